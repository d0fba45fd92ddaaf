//! Tool lists, modes and profiles.

use indexmap::IndexMap;

use super::fields::Fields;
use super::{root, templates};
use crate::load::Report;
use crate::recipe::{
    DEFAULT, OnDisconnect, OnIdle, OnSuspend, ProfileBlock, SessionPolicy, ToolLists,
};
use crate::yaml::Node;

/// The keys of [`ToolLists`].
pub(super) const TOOL_KEYS: [&str; 5] = [
    "allowedToolsAdd",
    "allowedToolsRemove",
    "allowedToolsDefer",
    "allowedToolsKeep",
    "allowedToolsDropFirst",
];

const PROFILE_KEYS: [&str; 9] = [
    "allowedToolsAdd",
    "allowedToolsRemove",
    "allowedToolsDefer",
    "allowedToolsKeep",
    "allowedToolsDropFirst",
    "modes",
    "promptPrefixAppend",
    "params",
    "session",
];

const SESSION_KEYS: [&str; 5] =
    ["onDisconnect", "onIdle", "onSuspend", "idleTimeoutMs", "suspendKeepDurationMs"];

pub(super) fn tools(report: &mut Report<'_>, fields: &Fields<'_, '_>) -> ToolLists {
    let [add, remove, defer, keep, drop_first] = TOOL_KEYS.map(|key| fields.texts(report, key));
    ToolLists { add, remove, defer, keep, drop_first }
}

/// Blocks by mode. Modes are written in upper case, as they are in the process; `default` is not a mode.
pub(super) fn modes(
    report: &mut Report<'_>,
    fields: &Fields<'_, '_>,
) -> IndexMap<String, ToolLists> {
    let prefix = fields.path("modes");
    named(report, fields, "modes", |report, name, node| {
        let prefix = format!("{prefix}.{name}.");
        let block = Fields::of(report, node, &prefix)?;
        block.warn_unknown(report, &TOOL_KEYS);
        Some(tools(report, &block))
    })
    .into_iter()
    .map(|(name, block)| if name == DEFAULT { (name, block) } else { (name.to_uppercase(), block) })
    .collect()
}

pub(super) fn profiles(
    report: &mut Report<'_>,
    fields: &Fields<'_, '_>,
) -> IndexMap<String, ProfileBlock> {
    named(report, fields, "profiles", |report, name, node| {
        let prefix = format!("profiles.{name}.");
        let block = Fields::of(report, node, &prefix)?;
        block.warn_unknown(report, &PROFILE_KEYS);
        Some(ProfileBlock {
            tools: tools(report, &block),
            modes: modes(report, &block),
            prompt_prefix_append: templates::prompt(report, &block, "promptPrefixAppend"),
            params: root::params(report, &block),
            session: session(report, &block),
        })
    })
}

fn named<T>(
    report: &mut Report<'_>,
    fields: &Fields<'_, '_>,
    key: &str,
    read: impl Fn(&mut Report<'_>, &str, &Node<'_>) -> Option<T>,
) -> IndexMap<String, T> {
    let Some(value) = fields.get(key) else { return IndexMap::new() };
    let prefix = format!("{}.", fields.path(key));
    let Some(blocks) = Fields::of(report, value, &prefix) else { return IndexMap::new() };
    let blocks = blocks.iter(report);
    blocks
        .into_iter()
        .filter_map(|(name, _, node)| Some((name.to_owned(), read(report, name, node)?)))
        .collect()
}

fn session(report: &mut Report<'_>, fields: &Fields<'_, '_>) -> Option<SessionPolicy> {
    let value = fields.get("session")?;
    let prefix = format!("{}.", fields.path("session"));
    let fields = Fields::of(report, value, &prefix)?;
    fields.warn_unknown(report, &SESSION_KEYS);
    let on_disconnect = [
        ("SUSPEND", OnDisconnect::Suspend),
        ("KEEP_OPEN", OnDisconnect::KeepOpen),
        ("CLOSE", OnDisconnect::Close),
    ];
    Some(SessionPolicy {
        on_disconnect: fields.choice(report, "onDisconnect", &on_disconnect),
        on_idle: fields.choice(
            report,
            "onIdle",
            &[("SUSPEND", OnIdle::Suspend), ("NONE", OnIdle::None)],
        ),
        on_suspend: fields.choice(
            report,
            "onSuspend",
            &[("KEEP", OnSuspend::Keep), ("CLOSE", OnSuspend::Close)],
        ),
        idle_timeout_ms: fields.number(report, "idleTimeoutMs"),
        suspend_keep_duration_ms: fields.number(report, "suspendKeepDurationMs"),
    })
}
