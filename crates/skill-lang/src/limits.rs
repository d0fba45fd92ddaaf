//! Limits of the loader, each with its unit.

/// Bytes of a `SKILL.md`; larger files are refused.
pub const SKILL_BYTES_MAX: usize = 1 << 20;
/// Bytes between the fences; larger heads are refused.
pub const HEAD_BYTES_MAX: usize = 64 << 10;
/// Levels of nested collections in a head.
pub const YAML_DEPTH_MAX: usize = 16;
/// Values in a head, each expansion of an alias counted.
pub const YAML_NODES_MAX: usize = 4_000;
/// Aliases (`*name`) in a head.
pub const YAML_ALIASES_MAX: usize = 16;
/// Problems reported for one file; the rest is counted in a last one.
pub const DIAGNOSTICS_MAX: usize = 100;
/// Code points of a description, counted after folding; longer ones load with a warning.
pub const DESCRIPTION_CHARS_MAX: usize = 1_024;
/// Code points of a pattern of a trigger.
pub const PATTERN_CHARS_MAX: usize = 1_000;
/// Bytes of a compiled pattern.
pub const PATTERN_COMPILED_BYTES_MAX: usize = 1 << 20;
/// Steps of the backtracking pattern engine for one text.
pub const PATTERN_BACKTRACKS_MAX: usize = 20_000;
/// Triggers of a skill.
pub const TRIGGERS_MAX: usize = 50;
/// Keywords of a trigger.
pub const KEYWORDS_MAX: usize = 200;
/// Declared arguments of a skill, and parameters of a script.
pub const ARGUMENTS_MAX: usize = 32;
/// Scripts of a skill.
pub const SCRIPTS_MAX: usize = 64;
/// Reference documents of a skill.
pub const REFERENCE_DOCS_MAX: usize = 100;
/// Characters of the name of a tool, a script or an argument.
pub const TOOL_NAME_CHARS_MAX: usize = 64;
