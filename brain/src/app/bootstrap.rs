//! The first tenant, and the file that lets the first client in.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use api_types::ids::{ProjectId, TenantId, UserLogin};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};

use super::{App, Error};
use crate::ctx::SystemCtx;
use crate::tenants::{Bootstrap, Identity, Store, TokenDigest};

/// Name of the file in the data folder.
const FILE: &str = "bootstrap.json";

/// What the file says.
#[derive(Serialize, Deserialize)]
struct Contents {
    url: String,
    tenant: TenantId,
    project: ProjectId,
    user: UserLogin,
    token: String,
}

/// Makes the first tenant if the store has none, and keeps the file true. Returns the tenant.
pub(super) async fn ensure(app: &App, ctx: &SystemCtx, url: &str) -> Result<TenantId, Error> {
    let path = app.config.data.join(FILE);
    let failed = |source| Error::Store { folder: app.config.data.clone(), source };
    let file = |source| Error::Bootstrap { path: path.clone(), source };
    let known = read(&path).map_err(file)?;
    let fresh = Contents {
        url: url.to_owned(),
        tenant: "default".parse().expect("`default` is a name"),
        project: "home".parse().expect("`home` is a name"),
        user: "admin".parse().expect("`admin` is a name"),
        token: new_token(app),
    };
    let first = Bootstrap {
        tenant: fresh.tenant.clone(),
        project: fresh.project.clone(),
        user: fresh.user.clone(),
        token: TokenDigest::of(&fresh.token),
        at: app.clock.now(),
    };
    let made = app.store.bootstrap(ctx, &first).await.map_err(failed)?;
    let contents = match known {
        Some(known) if !made && accepted(app, &known).await.map_err(failed)? => {
            Contents { url: url.to_owned(), ..known }
        }
        // A new store, or a file that is lost or of another store: its user gets a new token.
        _ if !made => {
            let identity = Identity { tenant: fresh.tenant.clone(), user: fresh.user.clone() };
            app.store.replace_token(ctx, &identity, &first.token).await.map_err(failed)?;
            tracing::warn!(path = %path.display(), "the bootstrap file was missing or stale; it has a new token");
            fresh
        }
        _ => fresh,
    };
    write(&path, &contents).map_err(file)?;
    Ok(contents.tenant)
}

fn new_token(app: &App) -> String {
    let bytes = [app.ids.bits().to_be_bytes(), app.ids.bits().to_be_bytes()].concat();
    format!("bf_{}", URL_SAFE_NO_PAD.encode(bytes))
}

async fn accepted(app: &App, contents: &Contents) -> crate::port::Result<bool> {
    let identity = app.store.identify(&TokenDigest::of(&contents.token)).await?;
    Ok(identity.is_some_and(|found| found.tenant == contents.tenant && found.user == contents.user))
}

fn read(path: &Path) -> io::Result<Option<Contents>> {
    match fs::read(path) {
        Ok(bytes) => Ok(serde_json::from_slice(&bytes).ok()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Whole or not at all, and for its owner only.
fn write(path: &Path, contents: &Contents) -> io::Result<()> {
    let fresh = path.with_extension("json.new");
    drop(fs::remove_file(&fresh));
    let mut file = private(&fresh)?;
    file.write_all(&serde_json::to_vec_pretty(contents)?)?;
    file.sync_all()?;
    fs::rename(&fresh, path)
}

fn private(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    File::options().write(true).create_new(true).mode(0o600).open(path)
}
