//! The entries of a map, read by key and by type.

use serde_json::{Map, Value as Json};

use super::json;
use crate::diagnostic::Code;
use crate::keys::closest;
use crate::load::Report;
use crate::yaml::{Node, Style, Value};

/// A map and where it stands: `` or `profiles.foot.`.
#[derive(Clone, Copy)]
pub(super) struct Fields<'n, 'a> {
    entries: &'n [(Node<'a>, Node<'a>)],
    at: usize,
    prefix: &'n str,
}

impl<'n, 'a> Fields<'n, 'a> {
    /// The entries of a map; anything else is an error, and nothing is an empty map.
    pub(super) fn of(report: &mut Report<'_>, node: &'n Node<'a>, prefix: &'n str) -> Option<Self> {
        let at = node.span.start;
        if node.is_null() {
            return Some(Fields { entries: &[], at, prefix });
        }
        let Some(entries) = node.entries() else {
            let what = prefix.trim_end_matches('.');
            report.error(
                Code::WrongType,
                at,
                format!("`{what}` should be a map and is {}", node.kind()),
            );
            return None;
        };
        Some(Fields { entries, at, prefix })
    }

    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// `profiles.foot.params`, as messages name it.
    pub(super) fn path(&self, key: &str) -> String {
        format!("{}{key}", self.prefix)
    }

    /// The value of a key, unless it is nothing.
    pub(super) fn get(&self, key: &str) -> Option<&'n Node<'a>> {
        self.present(key).filter(|value| !value.is_null())
    }

    /// The value of a key, nothing included.
    pub(super) fn present(&self, key: &str) -> Option<&'n Node<'a>> {
        self.entries.iter().find(|(name, _)| name.text() == Some(key)).map(|(_, value)| value)
    }

    /// Keys and values in the order of the document. Keys that are no text are errors.
    pub(super) fn iter(
        &self,
        report: &mut Report<'_>,
    ) -> Vec<(&'n str, &'n Node<'a>, &'n Node<'a>)> {
        let mut named = Vec::new();
        for (key, value) in self.entries {
            match key.text().map(str::trim).filter(|name| !name.is_empty()) {
                Some(name) => named.push((name, key, value)),
                None => report.error(
                    Code::WrongType,
                    key.span.start,
                    "this key should be a text that is not blank",
                ),
            }
        }
        named
    }

    /// Warns of keys that have no meaning; those that begin with `_` may hold anchors.
    pub(super) fn warn_unknown(&self, report: &mut Report<'_>, known: &[&str]) {
        for (name, key, _) in self.iter(report) {
            if known.contains(&name) || name.starts_with('_') {
                continue;
            }
            let path = self.path(name);
            let message = match closest(name, known.iter().copied()) {
                Some(meant) => {
                    format!("`{path}` is not known and has no effect; did you mean `{meant}`?")
                }
                None => format!("`{path}` is not known and has no effect"),
            };
            report.warn(Code::UnknownKey, key.span.start, message);
        }
    }

    /// A text that is not blank, as it is written.
    pub(super) fn text(&self, report: &mut Report<'_>, key: &str) -> Option<String> {
        let value = self.get(key)?;
        let Some(text) = value.text() else {
            self.wrong(report, key, value, "a text");
            return None;
        };
        Some(text.to_owned()).filter(|text| !text.trim().is_empty())
    }

    /// `true` or `false`, and nothing else that YAML dialects take for them.
    pub(super) fn flag(&self, report: &mut Report<'_>, key: &str) -> bool {
        let Some(value) = self.get(key) else { return false };
        match (&value.value, value.text()) {
            (Value::Scalar { style: Style::Plain, .. }, Some("true")) => true,
            (Value::Scalar { style: Style::Plain, .. }, Some("false")) => false,
            _ => {
                self.wrong(report, key, value, "`true` or `false`, without quotes");
                false
            }
        }
    }

    /// A whole number from 0.
    pub(super) fn number(&self, report: &mut Report<'_>, key: &str) -> Option<u64> {
        let value = self.get(key)?;
        let number = json::of(value).as_u64();
        if number.is_none() {
            self.wrong(report, key, value, "a whole number from 0");
        }
        number
    }

    /// One of a few words, in any case.
    pub(super) fn choice<T: Copy>(
        &self,
        report: &mut Report<'_>,
        key: &str,
        choices: &[(&str, T)],
    ) -> Option<T> {
        let value = self.get(key)?;
        let word = value.text().unwrap_or_default().trim();
        let found = choices
            .iter()
            .find(|(name, _)| name.eq_ignore_ascii_case(word))
            .map(|(_, choice)| *choice);
        if found.is_none() {
            let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
            let path = self.path(key);
            let message = format!("`{path}` is `{word}`, and can be {}", names.join(", "));
            report.error(Code::UnknownValue, value.span.start, message);
        }
        found
    }

    /// A list of texts that are not blank.
    pub(super) fn texts(&self, report: &mut Report<'_>, key: &str) -> Vec<String> {
        self.nodes(report, key).into_iter().map(|(text, _)| text).collect()
    }

    /// A list of texts that are not blank, each with its place.
    pub(super) fn nodes(&self, report: &mut Report<'_>, key: &str) -> Vec<(String, usize)> {
        let Some(value) = self.get(key) else { return Vec::new() };
        let Value::List(items) = &value.value else {
            self.wrong(report, key, value, "a list of texts");
            return Vec::new();
        };
        let mut texts = Vec::new();
        for item in items {
            match item.text().map(str::trim).filter(|text| !text.is_empty() && !item.is_null()) {
                Some(text) => texts.push((text.to_owned(), item.span.start)),
                None => {
                    let path = self.path(key);
                    let message =
                        format!("an entry of `{path}` should be a text and is {}", item.kind());
                    report.error(Code::WrongType, item.span.start, message);
                }
            }
        }
        texts
    }

    /// A map of parameters.
    pub(super) fn params(&self, report: &mut Report<'_>, key: &str) -> Map<String, Json> {
        let Some(value) = self.get(key) else { return Map::new() };
        let Some(entries) = value.entries() else {
            self.wrong(report, key, value, "a map");
            return Map::new();
        };
        json::map(entries)
    }

    fn wrong(&self, report: &mut Report<'_>, key: &str, value: &Node<'_>, wanted: &str) {
        let path = self.path(key);
        let message = format!("`{path}` should be {wanted} and is {}", value.kind());
        report.error(Code::WrongType, value.span.start, message);
    }
}
