//! `foot docs diff`

use api_types::documents::DocumentDto;
use api_types::ids::{DocumentPath, Revision};
use similar::TextDiff;

use super::here_or_trashed;
use crate::client::Api;
use crate::error::{Error, Result};
use crate::output::{Format, Output};

/// Lines around a change.
const CONTEXT_LINES: usize = 3;

pub(super) async fn run(
    path: &DocumentPath,
    from: Option<Revision>,
    to: Option<Revision>,
    api: &Api,
    out: &mut Output,
) -> Result<()> {
    let document = here_or_trashed(path, api).await?;
    let to = to.unwrap_or(document.revision);
    let from = match from {
        Some(from) => from,
        None => before(&document, to, api).await?,
    };
    let old = api.content(&document.id, Some(from)).await?;
    let new = api.content(&document.id, Some(to)).await?;
    let text = unified(path, from, &old, to, &new);
    match out.format {
        Format::Text | Format::Sarif => out.text(&text)?,
        Format::Json | Format::StreamJson => out.value(&serde_json::json!({
            "path": path, "from": from, "to": to, "diff": text,
        }))?,
    }
    Ok(())
}

/// The version before a revision.
async fn before(document: &DocumentDto, revision: Revision, api: &Api) -> Result<Revision> {
    let versions = api.history(&document.id, crate::client::VERSIONS_MAX).await?;
    let older =
        versions.iter().map(|version| version.revision).filter(|older| *older < revision).max();
    older.ok_or_else(|| Error::failed(format!("{} has only one version", document.path)))
}

/// A unified diff; empty when nothing changed.
fn unified(path: &DocumentPath, from: Revision, old: &[u8], to: Revision, new: &[u8]) -> String {
    if old == new {
        return String::new();
    }
    let (Ok(old), Ok(new)) = (std::str::from_utf8(old), std::str::from_utf8(new)) else {
        return format!("Binary contents of {path} differ at revisions {from} and {to}\n");
    };
    let diff = TextDiff::from_lines(old, new);
    let (old_name, new_name) =
        (format!("{path}\t(revision {from})"), format!("{path}\t(revision {to})"));
    diff.unified_diff().context_radius(CONTEXT_LINES).header(&old_name, &new_name).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diff_names_both_revisions() {
        let path = "a.md".parse().unwrap();
        let text = unified(&path, Revision(1), b"a\nb\n", Revision(2), b"a\nc\n");
        insta::assert_snapshot!(text.replace('\t', " "), @r"
        --- a.md (revision 1)
        +++ a.md (revision 2)
        @@ -1,2 +1,2 @@
         a
        -b
        +c
        ");
        assert_eq!(unified(&path, Revision(1), b"a", Revision(2), b"a"), "");
        assert!(unified(&path, Revision(1), &[0xff], Revision(2), b"a").starts_with("Binary"));
    }
}
