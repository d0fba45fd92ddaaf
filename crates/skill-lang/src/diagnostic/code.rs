//! The stable names of the rules.

use serde::{Deserialize, Serialize};

macro_rules! codes {
    ($($(#[$doc:meta])* $variant:ident = $name:literal,)*) => {
        /// Names a rule. The kebab-case form is a contract: scripts and suppressions use it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum Code {
            $($(#[$doc])* #[serde(rename = $name)] $variant,)*
        }

        impl Code {
            /// All rules, for documentation and for SARIF's table of rules.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// The stable name.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }
        }
    };
}

codes! {
    /// The file is larger than the loader reads.
    FileTooLarge = "file-too-large",
    /// The file is not UTF-8.
    NotUtf8 = "not-utf8",
    /// The file starts with a byte order mark.
    ByteOrderMark = "byte-order-mark",
    /// The head's lines end with carriage return and line feed.
    CarriageReturn = "carriage-return",
    /// A character that no text needs, such as NUL.
    ControlCharacter = "control-character",
    /// Blank lines or comments stand before the head.
    TextBeforeHead = "text-before-head",
    /// The file has no head.
    MissingHead = "missing-head",
    /// The head has no end.
    UnclosedHead = "unclosed-head",
    /// The head is larger than the loader reads.
    HeadTooLarge = "head-too-large",
    /// The head is not YAML, and no repair was found.
    InvalidYaml = "invalid-yaml",
    /// The head is YAML, but not a list of keys with values.
    HeadNotAMap = "head-not-a-map",
    /// Collections are nested too deeply.
    YamlTooDeep = "yaml-too-deep",
    /// Too many values, aliases expanded.
    YamlTooManyNodes = "yaml-too-many-nodes",
    /// Too many aliases.
    YamlTooManyAliases = "yaml-too-many-aliases",
    /// A key stands twice in one map.
    DuplicateKey = "duplicate-key",
    /// A value that YAML reads differently from how it was meant, or not at all, was repaired.
    UnquotedValue = "unquoted-value",
    /// A line is indented with tabs.
    TabIndentation = "tab-indentation",
    /// A line is indented differently from its neighbours.
    WrongIndentation = "wrong-indentation",
    /// No blank stands between a key's colon and its value.
    MissingBlank = "missing-blank",
    /// A key of the head can't be read and is ignored.
    UnreadableEntry = "unreadable-entry",
    /// A key that the loader does not know.
    UnknownKey = "unknown-key",
    /// A known key in another spelling.
    MisspeltKey = "misspelt-key",
    /// A truth value other than `true` or `false`.
    LooseBoolean = "loose-boolean",
    /// A value of the wrong type.
    WrongType = "wrong-type",
    /// A value that is not one of those allowed.
    UnknownValue = "unknown-value",
    /// The folder's name can't be a skill's name.
    InvalidName = "invalid-name",
    /// The folder's name had to be changed to be a skill's name.
    FolderRenamed = "folder-renamed",
    /// `name` differs from the folder.
    NameMismatch = "name-mismatch",
    /// Two folders stand for one name.
    NameConflict = "name-conflict",
    /// The name can be mistaken for another.
    ConfusableName = "confusable-name",
    /// The portable format wants a `name`.
    MissingName = "missing-name",
    /// A native skill wants a `title`.
    MissingTitle = "missing-title",
    /// No description.
    MissingDescription = "missing-description",
    /// A description over the limit.
    DescriptionTooLong = "description-too-long",
    /// A native skill wants a `version`.
    MissingVersion = "missing-version",
    /// The version is not a semantic version.
    InvalidVersion = "invalid-version",
    /// More entries than the loader takes.
    TooMany = "too-many",
    /// `triggers` of the wrong shape.
    InvalidTrigger = "invalid-trigger",
    /// A pattern that is not a regular expression, or too large.
    InvalidPattern = "invalid-pattern",
    /// A pattern that needs the slower engine.
    SlowPattern = "slow-pattern",
    /// A keyword without a letter or digit to match.
    UselessKeyword = "useless-keyword",
    /// A trigger that can't have an effect.
    IdleTrigger = "idle-trigger",
    /// `arguments` of the wrong shape.
    InvalidArguments = "invalid-arguments",
    /// Two arguments of one name.
    DuplicateArgument = "duplicate-argument",
    /// An argument with a name that is taken.
    ReservedArgument = "reserved-argument",
    /// A required argument behind an optional one.
    RequiredAfterOptional = "required-after-optional",
    /// `scripts` of the wrong shape.
    InvalidScript = "invalid-script",
    /// A name that can't be a tool's.
    InvalidToolName = "invalid-tool-name",
    /// `referenceDocs` of the wrong shape.
    InvalidReferenceDoc = "invalid-reference-doc",
    /// A `file` outside the skill's folder.
    FileOutsideFolder = "file-outside-folder",
    /// A `file` that is not there.
    FileNotFound = "file-not-found",
    /// `run.target: spawn` without what it needs, or with what it can't have.
    InvalidRun = "invalid-run",
    /// A key without effect beside the others.
    IneffectiveKey = "ineffective-key",
    /// A command of `activate` or `deactivate` that can't run.
    InvalidCommand = "invalid-command",
    /// The body or the action is not a valid template.
    InvalidTemplate = "invalid-template",
    /// A construct of the template is read differently from what its author may expect.
    TemplateLint = "template-lint",
    /// A recipe without the engine that runs it.
    MissingEngine = "missing-engine",
    /// A key of a recipe that stands where it has no effect.
    MisplacedKey = "misplaced-key",
    /// A guard of a recipe of the wrong shape.
    InvalidGuard = "invalid-guard",
    /// A default skill that the recipe itself does not allow.
    SkillNotAllowed = "skill-not-allowed",
    /// Further problems are not listed.
    MoreProblems = "more-problems",
}

impl std::fmt::Display for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}
