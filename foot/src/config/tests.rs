use std::collections::HashMap;

use super::*;

struct Fake {
    variables: HashMap<&'static str, String>,
    folder: tempfile::TempDir,
}

impl Fake {
    fn new(variables: &[(&'static str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let variables = variables.iter().map(|(k, v)| (*k, (*v).to_owned())).collect();
        Self { variables, folder }
    }

    fn with_bootstrap(self, url: &str) -> Self {
        let folder = self.folder.path().join("data");
        std::fs::create_dir_all(&folder).unwrap();
        let text = format!(
            r#"{{"url":"{url}","tenant":"boot","project":"bp","user":"admin","token":"boot-token"}}"#
        );
        std::fs::write(folder.join("bootstrap.json"), text).unwrap();
        self
    }

    fn with_login(self, url: &str) -> Self {
        let login = Login {
            url: url.parse().unwrap(),
            tenant: Some("saved".parse().unwrap()),
            project: None,
            user: Some("jane".parse().unwrap()),
            token: "saved-token".parse().unwrap(),
        };
        LoginFile::in_home(&self.folder.path().join("home")).write(&login).unwrap();
        self
    }
}

impl Environment for Fake {
    fn variable(&self, name: &str) -> Option<String> {
        if name == "FOOT_HOME" {
            return Some(self.folder.path().join("home").display().to_string());
        }
        self.variables.get(name).cloned()
    }

    fn working_folder(&self) -> PathBuf {
        self.folder.path().to_owned()
    }
}

/// `url tenant project user token`
#[track_caller]
fn check(flags: &Flags, env: &Fake, expect: &str) {
    let got = match Settings::find(flags, env) {
        Err(error) => format!("{:?}", error.exit()),
        Ok(s) => {
            let user = s.user.map_or_else(|| "-".to_owned(), String::from);
            let token = s.token.authorization().replace("Bearer ", "");
            format!("{} {} {} {user} {token}", s.url, s.tenant, s.project)
        }
    };
    assert_eq!(got, expect);
}

fn flags(url: &str, token: &str) -> Flags {
    let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    Flags { url: some(url), token: some(token), ..Flags::default() }
}

#[test]
fn flags_win_over_environment_over_files() {
    let none = Flags::default();
    check(&none, &Fake::new(&[]), "Unreachable");
    check(&none, &Fake::new(&[]).with_login("http://s"), "http://s saved home jane saved-token");
    let both = Fake::new(&[]).with_login("http://s").with_bootstrap("http://b");
    check(&none, &both, "http://b boot bp admin boot-token");
    let env = Fake::new(&[("BRAIN_URL", "http://e"), ("BRAIN_TOKEN", "et")]).with_login("http://s");
    check(&none, &env, "http://e default home - et");
    check(&flags("http://f", "ft"), &env, "http://f default home - ft");
    check(&flags("", "ft"), &both, "http://b boot bp - ft");
    let mut named = flags("", "");
    named.tenant = Some("t".to_owned());
    named.project = Some("p".to_owned());
    check(&named, &both, "http://b t p admin boot-token");
}

#[test]
fn a_token_goes_only_to_its_own_url() {
    let both = Fake::new(&[]).with_login("http://s").with_bootstrap("http://b");
    check(&flags("http://s/", ""), &both, "http://s saved home jane saved-token");
    check(&flags("http://evil", ""), &both, "Denied");
    check(&flags("https://s", ""), &both, "Denied");
}

#[test]
fn wrong_settings_are_usage_errors() {
    check(&flags("nonsense", ""), &Fake::new(&[]), "Usage");
    check(&flags("http://x", "a b"), &Fake::new(&[]), "Usage");
    let tenant = Flags { tenant: Some("../x".to_owned()), ..flags("http://x", "t") };
    check(&tenant, &Fake::new(&[]), "Usage");
}

#[test]
fn a_broken_file_is_named() {
    let env = Fake::new(&[]).with_bootstrap("nonsense");
    let error = Settings::find(&Flags::default(), &env).unwrap_err().to_string();
    assert!(error.contains("bootstrap.json") && error.contains("nonsense"), "{error}");
}

#[cfg(unix)]
#[test]
fn the_saved_login_is_private_and_can_be_removed() {
    use std::os::unix::fs::PermissionsExt;
    let env = Fake::new(&[]).with_login("http://s").with_login("http://t");
    let file = LoginFile::in_home(&env.folder.path().join("home"));
    assert_eq!(std::fs::metadata(file.path()).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(file.read().unwrap().unwrap().url.to_string(), "http://t");
    assert!(file.remove().unwrap());
    assert!(!file.remove().unwrap());
}

#[test]
fn a_token_is_never_shown() {
    assert_eq!(format!("{:?}", "secret".parse::<Token>().unwrap()), "Token(…)");
}
