//! From a folder's name to a skill's name.

use api_types::ids::{InvalidSkillName, SkillName};
use unicode_normalization::UnicodeNormalization;
use unicode_security::{RestrictionLevel, RestrictionLevelDetection, skeleton};

/// A name made from a folder's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mapped {
    /// The skill's name.
    pub name: SkillName,
    /// Whether the folder is called differently.
    pub changed: bool,
}

/// Makes a folder's name into a skill's: lower case, NFC, `_`, `.` and blanks as `-`.
///
/// # Errors
/// The folder's name has other characters, is too long, or is a reserved word.
pub fn from_folder(folder: &str) -> Result<Mapped, InvalidSkillName> {
    if is_plain(folder) {
        return Ok(Mapped { name: folder.parse()?, changed: false });
    }
    let dashes = |c: char| c.is_whitespace() || matches!(c, '_' | '.');
    let normal: String = folder.trim().to_lowercase().nfc().collect();
    let mut name = String::with_capacity(normal.len());
    for c in normal.chars() {
        match c {
            c if dashes(c) || c == '-' => {
                if !name.ends_with('-') && !name.is_empty() {
                    name.push('-');
                }
            }
            c => name.push(c),
        }
    }
    let trimmed = name.trim_end_matches('-').len();
    name.truncate(trimmed);
    let name: SkillName = if name.is_empty() { folder.parse()? } else { name.parse()? };
    let changed = name.as_str() != folder;
    Ok(Mapped { name, changed })
}

/// The names of nearly all folders: nothing to map or to normalise.
fn is_plain(folder: &str) -> bool {
    folder.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-'))
        && !folder.starts_with('-')
        && !folder.ends_with('-')
        && !folder.contains("--")
}

/// Why a name can be mistaken for another, if it can.
#[must_use]
pub fn confusable(name: &SkillName) -> Option<String> {
    let text = name.as_str();
    if text.is_ascii() {
        return None;
    }
    let looks: String = skeleton(text).collect();
    if looks.is_ascii() {
        return Some(format!("the name looks like `{looks}`, but has other letters"));
    }
    let words = text.split('-').filter(|word| !word.is_empty());
    let mixed = |word: &str| word.detect_restriction_level() > RestrictionLevel::HighlyRestrictive;
    let mixed_word = words.clone().find(|word| mixed(word))?;
    Some(format!("`{mixed_word}` mixes letters of several scripts that look alike"))
}

/// What a name looks like: two names of one look can be mistaken for each other.
pub(crate) fn look(name: &SkillName) -> String {
    skeleton(name.as_str()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(folder: &str, name: &str, changed: bool) {
        let mapped = from_folder(folder).unwrap();
        assert_eq!((mapped.name.as_str(), mapped.changed), (name, changed));
    }

    #[test]
    fn folders_become_names() {
        check("code-review", "code-review", false);
        check("Code_Review", "code-review", true);
        check("My Skill v1.2", "my-skill-v1-2", true);
        check("_private_-x.", "private-x", true);
        check("代码", "代码", false);
        check("обзор", "обзор", false);
        check("pru\u{308}fung", "prüfung", true);
        for bad in ["", "-", "a/b", "list", "clear", "a\u{202e}b", "x!", &"x".repeat(65)] {
            assert!(from_folder(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn look_alikes_are_recognised() {
        let warned = |text: &str| confusable(&text.parse().unwrap()).is_some();
        assert!(warned("соре"), "Cyrillic that looks like Latin");
        assert!(warned("pаypal"), "a Cyrillic letter among Latin ones");
        for fine in ["обзор", "代码", "pdf-处理", "prüfung", "コード-review", "pdf処理"]
        {
            assert!(!warned(fine), "{fine}");
        }
    }
}
