//! Checking that a change changed what was asked for.

use serde_json::Value as Json;

use super::{Change, find, is_meant};
use crate::split::split;
use crate::yaml::{self, Node, Style, Value};

pub(super) fn holds(before: &[(Node<'_>, Node<'_>)], changes: &[Change<'_>], result: &str) -> bool {
    let Ok(parts) = split(result) else { return false };
    let Ok(tree) = yaml::parse(result, parts.head, &[]) else { return false };
    let after = tree.root.as_ref().and_then(Node::entries).unwrap_or_default();
    let kept =
        before.iter().filter(|(key, _)| key.text().is_none_or(|k| find(changes, k).is_none()));
    let all_kept = kept
        .clone()
        .all(|(key, value)| after.iter().any(|(k, v)| alike(k, key) && alike(v, value)));
    let set: Vec<&Change<'_>> = changes
        .iter()
        .enumerate()
        .filter(|(index, (key, new))| {
            let last = !changes[index + 1..].iter().any(|(later, _)| is_meant(later, key));
            last && new.is_some()
        })
        .map(|(_, change)| change)
        .collect();
    let all_set = set.iter().all(|(key, new)| {
        let found = after.iter().find(|(k, _)| k.text() == Some(key));
        found.zip(new.as_ref()).is_some_and(|((_, value), new)| is(value, new))
    });
    tree.duplicates.is_empty() && all_kept && all_set && after.len() == kept.count() + set.len()
}

/// Equal but for its place.
fn alike(left: &Node<'_>, right: &Node<'_>) -> bool {
    match (&left.value, &right.value) {
        (Value::Scalar { text: a, .. }, Value::Scalar { text: b, .. }) => {
            a == b && left.is_null() == right.is_null()
        }
        (Value::List(a), Value::List(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| alike(a, b))
        }
        (Value::Map(a), Value::Map(b)) => {
            let pair = |((ak, av), (bk, bv)): (&(Node<'_>, Node<'_>), &(Node<'_>, Node<'_>))| {
                alike(ak, bk) && alike(av, bv)
            };
            a.len() == b.len() && a.iter().zip(b).all(pair)
        }
        _ => false,
    }
}

/// Whether a node says what the JSON value says.
fn is(node: &Node<'_>, value: &Json) -> bool {
    match (&node.value, value) {
        (_, Json::Null) => node.is_null(),
        (Value::Scalar { text, style: Style::Plain }, Json::Bool(value)) => {
            *text == value.to_string()
        }
        (Value::Scalar { text, style: Style::Plain }, Json::Number(value)) => {
            *text == value.to_string()
        }
        (Value::Scalar { text, .. }, Json::String(value)) => text == value && !node.is_null(),
        (Value::List(items), Json::Array(values)) => {
            items.len() == values.len() && items.iter().zip(values).all(|(i, v)| is(i, v))
        }
        (Value::Map(entries), Json::Object(values)) => {
            entries.len() == values.len()
                && entries.iter().all(|(key, entry)| {
                    key.text().and_then(|key| values.get(key)).is_some_and(|value| is(entry, value))
                })
        }
        _ => false,
    }
}
