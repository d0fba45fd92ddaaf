//! YAML of a head as a tree in which every value knows its bytes in the file.

mod build;
mod place;
mod quote;
mod repair;
mod salvage;

use std::borrow::Cow;
use std::ops::Range;

use crate::text::BLANKS;

pub(crate) use self::build::parse;
pub(crate) use self::place::Edit;
pub(crate) use self::quote::{double_quoted, in_flow, scalar as quote_scalar};
pub(crate) use self::repair::repair;
pub(crate) use self::salvage::{Broken, salvage};

/// A value with its place.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Node<'a> {
    pub(crate) value: Value<'a>,
    /// Bytes of the file, tag and anchor excluded.
    pub(crate) span: Range<usize>,
    /// Has a tag or an anchor.
    pub(crate) decorated: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value<'a> {
    Scalar {
        text: Cow<'a, str>,
        style: Style,
    },
    List(Vec<Node<'a>>),
    /// In the order of the file; of two equal keys the first.
    Map(Vec<(Node<'a>, Node<'a>)>),
}

/// How a scalar is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    Plain,
    Quoted,
    Block,
}

impl<'a> Node<'a> {
    /// The text of a scalar.
    pub(crate) fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Scalar { text, .. } => Some(text),
            _ => None,
        }
    }

    /// Whether it is nothing: an empty value, `~` or `null`, unquoted.
    pub(crate) fn is_null(&self) -> bool {
        match &self.value {
            Value::Scalar { text, style: Style::Plain } => {
                matches!(&**text, "" | "~" | "null" | "Null" | "NULL")
            }
            _ => false,
        }
    }

    /// What people call its kind.
    pub(crate) fn kind(&self) -> &'static str {
        match &self.value {
            _ if self.is_null() => "nothing",
            Value::Scalar { .. } => "a text",
            Value::List(_) => "a list",
            Value::Map(_) => "a map",
        }
    }

    /// The entries of a map.
    pub(crate) fn entries(&self) -> Option<&[(Node<'a>, Node<'a>)]> {
        match &self.value {
            Value::Map(entries) => Some(entries),
            _ => None,
        }
    }

    /// Where it stands in the file, without the line ends that belong to a block scalar.
    pub(crate) fn written(&self, text: &str) -> Range<usize> {
        self.span.start..self.span.start + text[self.span.clone()].trim_end_matches(BLANKS).len()
    }
}

/// A head that was read.
#[derive(Debug)]
pub(crate) struct Tree<'a> {
    /// `None`: the head is empty.
    pub(crate) root: Option<Node<'a>>,
    /// Second and later keys of one name, each with the place of the first.
    pub(crate) duplicates: Vec<Duplicate>,
}

/// A key that stands twice in one map.
#[derive(Debug, PartialEq)]
pub(crate) struct Duplicate {
    pub(crate) key: String,
    pub(crate) first: usize,
    pub(crate) span: Range<usize>,
}

/// Why a head can't be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    pub(crate) kind: FailureKind,
    /// Byte of the file.
    pub(crate) at: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FailureKind {
    Syntax(String),
    TooDeep,
    TooManyNodes,
    TooManyAliases,
}
