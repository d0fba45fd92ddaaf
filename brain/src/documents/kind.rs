//! What a document is: by its place below `_vance/`, by its head, or by its file name.

use api_types::ids::DocumentPath;

/// Kinds by place: folder, ending, kind.
const PLACES: &[(&str, &str, &str)] = &[
    ("_vance/skills", "/SKILL.md", "skill"),
    ("_vance/recipes", ".yaml", "recipe"),
    ("_vance/recipes", ".yml", "recipe"),
    ("_vance/manuals", ".md", "manual"),
    ("_vance/prompts", ".md", "prompt"),
    ("_vance/guards", ".js", "guard"),
    ("_vance/hooks", ".yaml", "hook"),
];

/// By the file name's ending: kind and MIME type.
const ENDINGS: &[(&str, &str, &str)] = &[
    ("md", "markdown", "text/markdown"),
    ("markdown", "markdown", "text/markdown"),
    ("yaml", "yaml", "application/yaml"),
    ("yml", "yaml", "application/yaml"),
    ("json", "json", "application/json"),
    ("jsonl", "json", "application/jsonl"),
    ("toml", "toml", "application/toml"),
    ("xml", "xml", "application/xml"),
    ("csv", "table", "text/csv"),
    ("tsv", "table", "text/tab-separated-values"),
    ("html", "html", "text/html"),
    ("htm", "html", "text/html"),
    ("css", "code", "text/css"),
    ("js", "code", "text/javascript"),
    ("mjs", "code", "text/javascript"),
    ("ts", "code", "text/x-typescript"),
    ("py", "code", "text/x-python"),
    ("sh", "code", "application/x-sh"),
    ("rs", "code", "text/x-rust"),
    ("go", "code", "text/x-go"),
    ("java", "code", "text/x-java"),
    ("sql", "code", "application/sql"),
    ("txt", "text", "text/plain"),
    ("log", "text", "text/plain"),
    ("pdf", "pdf", "application/pdf"),
    ("png", "image", "image/png"),
    ("jpg", "image", "image/jpeg"),
    ("jpeg", "image", "image/jpeg"),
    ("gif", "image", "image/gif"),
    ("webp", "image", "image/webp"),
    ("svg", "image", "image/svg+xml"),
    ("zip", "archive", "application/zip"),
    ("gz", "archive", "application/gzip"),
];

/// How far into a body a head is looked for, in bytes.
const HEAD_BYTES_MAX: usize = 4_096;
/// Longest kind that a head may name, in bytes.
const KIND_BYTES_MAX: usize = 32;

/// Kind and MIME type.
#[must_use]
pub fn of(path: &DocumentPath, body: &[u8]) -> (String, String) {
    let (kind, mime) = by_ending(path, body);
    let kind = by_place(path)
        .map(str::to_owned)
        .or_else(|| (kind == "markdown").then(|| in_head(body)).flatten())
        .unwrap_or_else(|| kind.to_owned());
    (kind, mime.to_owned())
}

fn by_place(path: &DocumentPath) -> Option<&'static str> {
    let fits =
        |folder: &str, ending: &str| path.is_below(folder) && path.as_str().ends_with(ending);
    PLACES.iter().find(|(folder, ending, _)| fits(folder, ending)).map(|(.., kind)| *kind)
}

fn by_ending(path: &DocumentPath, body: &[u8]) -> (&'static str, &'static str) {
    let ending = path.file_name().rsplit_once('.').map(|(_, e)| e.to_ascii_lowercase());
    let known = ending.and_then(|e| ENDINGS.iter().find(|(ending, ..)| *ending == e));
    match known {
        Some((_, kind, mime)) => (kind, mime),
        None if is_text(body) => ("text", "text/plain"),
        None => ("binary", "application/octet-stream"),
    }
}

fn is_text(body: &[u8]) -> bool {
    !body.contains(&0) && std::str::from_utf8(body).is_ok()
}

/// `kind: word` on a line of its own in the head of a Markdown text.
fn in_head(body: &[u8]) -> Option<String> {
    let start = &body[..body.len().min(HEAD_BYTES_MAX)];
    let mut lines = start.split(|b| *b == b'\n').map(<[u8]>::trim_ascii_end);
    if lines.next()? != b"---" {
        return None;
    }
    let value = lines.take_while(|line| *line != b"---").find_map(|l| l.strip_prefix(b"kind:"))?;
    let word = std::str::from_utf8(value.trim_ascii()).ok()?;
    let allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let fits = !word.is_empty() && word.len() <= KIND_BYTES_MAX && word.chars().all(allowed);
    fits.then(|| word.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, body: &[u8], kind: &str, mime: &str) {
        let got = of(&path.parse().unwrap(), body);
        assert_eq!((got.0.as_str(), got.1.as_str()), (kind, mime), "{path}");
    }

    #[test]
    fn place_counts_before_head_before_ending() {
        let head = b"---\nkind: checklist\r\n---\n";
        check("_vance/skills/a/SKILL.md", head, "skill", "text/markdown");
        check("_vance/skills/a/references/SKILL.md.txt", b"", "text", "text/plain");
        check("_vance/recipes/team/a.yml", b"", "recipe", "application/yaml");
        check("_vance/manuals/a.md", b"", "manual", "text/markdown");
        check("_vance/hooks/stop/a.yaml", b"", "hook", "application/yaml");
        check("_vance/guards/a.js", b"", "guard", "text/javascript");
        check("recipes/a.yaml", b"", "yaml", "application/yaml");
        check("notes/a.md", head, "checklist", "text/markdown");
        check("notes/a.MD", b"kind: checklist", "markdown", "text/markdown");
        check("notes/a.md", b"---\nkind: Not A Word\n---\n", "markdown", "text/markdown");
        check("notes/a.md", b"---\ntitle: x\n---\nkind: body\n", "markdown", "text/markdown");
        check("Makefile", b"all:\n", "text", "text/plain");
        check("blob", b"\0\x01", "binary", "application/octet-stream");
        check("blob.xyz", b"\xff", "binary", "application/octet-stream");
    }
}
