//! The keys of a head, their two dialects, and what a misspelt one was meant to be.

macro_rules! keys {
    ($($variant:ident = $name:literal $dialect:ident,)*) => {
        /// A key that the loader knows.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub(crate) enum Key { $($variant,)* }

        const ALL: &[Key] = &[$(Key::$variant,)*];

        impl Key {
            /// As it is written in a head.
            pub(crate) fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// The key of exactly this spelling.
            pub(crate) fn exact(text: &str) -> Option<Self> {
                match text { $($name => Some(Self::$variant),)* _ => None }
            }

            /// Whether only native skills have it.
            pub(crate) fn is_native(self) -> bool {
                matches!(match self { $(Self::$variant => Of::$dialect,)* }, Of::Native)
            }
        }
    };
}

enum Of {
    Native,
    Portable,
    Both,
}

keys! {
    Title = "title" Native,
    Description = "description" Both,
    Version = "version" Both,
    Name = "name" Portable,
    Tags = "tags" Both,
    Enabled = "enabled" Native,
    Lifecycle = "lifecycle" Native,
    Run = "run" Native,
    Arguments = "arguments" Native,
    Activate = "activate" Native,
    Deactivate = "deactivate" Native,
    Action = "action" Native,
    Triggers = "triggers" Native,
    Tools = "tools" Native,
    ManualPaths = "manualPaths" Native,
    ReferenceDocs = "referenceDocs" Native,
    Scripts = "scripts" Native,
    License = "license" Portable,
    Compatibility = "compatibility" Portable,
    Metadata = "metadata" Portable,
    AllowedTools = "allowed-tools" Portable,
    DisallowedTools = "disallowed-tools" Portable,
    DisableModelInvocation = "disable-model-invocation" Portable,
    UserInvocable = "user-invocable" Portable,
    ArgumentHint = "argument-hint" Portable,
    WhenToUse = "when_to_use" Portable,
    WhenToUseCamel = "whenToUse" Portable,
    Serves = "serves" Portable,
    Template = "template" Both,
    Pin = "pin" Both,
}

/// Whether a line that starts with this word and a colon starts an entry of a head.
pub(crate) fn is_known(text: &str) -> bool {
    Key::exact(text).is_some()
}

/// Keys of other products' skills, which are meant as they are written.
const ELSEWHERE: [&str; 12] = [
    "hooks", "model", "agent", "context", "author", "category", "homepage", "paths", "effort",
    "shell", "icon", "type",
];

/// How a key of a head was understood.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    Known(Key),
    /// The same letters in another case or with other separators: no doubt about the meaning.
    Respelt(Key),
    Unknown {
        meant: Option<&'static str>,
    },
}

pub(crate) fn read(text: &str) -> Reading {
    if let Some(key) = Key::exact(text) {
        return Reading::Known(key);
    }
    let folded = fold(text);
    if let Some(key) = ALL.iter().find(|key| fold(key.as_str()) == folded) {
        return Reading::Respelt(*key);
    }
    if ELSEWHERE.contains(&folded.as_str()) {
        return Reading::Unknown { meant: None };
    }
    Reading::Unknown { meant: closest(text, ALL.iter().map(|key| key.as_str())) }
}

fn fold(text: &str) -> String {
    let letters = text.chars().filter(|c| !matches!(c, '-' | '_' | ' '));
    letters.flat_map(char::to_lowercase).collect()
}

/// The candidate that differs from the text by the fewest slips, if they are few.
pub(crate) fn closest<'c>(
    text: &str,
    candidates: impl Iterator<Item = &'c str>,
) -> Option<&'c str> {
    let written = fold(text);
    let length = written.chars().count();
    if length > 40 {
        return None;
    }
    let slips_max = match length {
        0..=2 => 0,
        3..=4 => 1,
        _ => 2,
    };
    let scored = candidates.map(|candidate| (slips(&written, &fold(candidate)), candidate));
    let (slips, candidate) = scored.min_by_key(|(slips, _)| *slips)?;
    (slips <= slips_max).then_some(candidate)
}

/// Insertions, deletions, replacements and swaps of neighbours between two words.
fn slips(left: &str, right: &str) -> usize {
    let (left, right): (Vec<char>, Vec<char>) = (left.chars().collect(), right.chars().collect());
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=right.len()).collect();
    for (row, a) in left.iter().enumerate() {
        let mut current = vec![row + 1];
        for (column, b) in right.iter().enumerate() {
            let replaced = above[column] + usize::from(a != b);
            let mut best = replaced.min(above[column + 1] + 1).min(current[column] + 1);
            let swapped = row > 0 && column > 0 && left[row - 1] == *b && right[column - 1] == *a;
            if swapped {
                best = best.min(before[column - 1] + 1);
            }
            current.push(best);
        }
        before = std::mem::replace(&mut above, current);
    }
    above[right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_of_the_pen_are_recognised() {
        assert_eq!(read("title"), Reading::Known(Key::Title));
        assert_eq!(read("Allowed_Tools"), Reading::Respelt(Key::AllowedTools));
        assert_eq!(read("reference-docs"), Reading::Respelt(Key::ReferenceDocs));
        for (text, meant) in [
            ("argument", Some("arguments")),
            ("trigger", Some("triggers")),
            ("desciption", Some("description")),
            ("lifecylce", Some("lifecycle")),
            ("author", None),
            ("model", None),
            ("hooks", None),
            ("x", None),
        ] {
            assert_eq!(read(text), Reading::Unknown { meant }, "{text}");
        }
    }
}
