//! From the parser's events to the tree, within limits.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use saphyr_parser::{Event, Parser, ScalarStyle, Span};

use super::place::{Edit, Places, apply};
use super::{Duplicate, Failure, FailureKind, Node, Style, Tree, Value};
use crate::limits::{YAML_ALIASES_MAX, YAML_DEPTH_MAX, YAML_NODES_MAX};

/// Reads the head of a file, as it is or with the edits of a repair.
pub(crate) fn parse<'a>(
    text: &'a str,
    head: Range<usize>,
    edits: &[Edit],
) -> Result<Tree<'a>, Failure> {
    if edits.is_empty() {
        let places = Places::new(head.start, head.len(), &text[head.clone()], edits);
        return Builder::new(places).build(&text[head], Cow::from);
    }
    let changed = apply(text, head.clone(), edits);
    let places = Places::new(head.start, head.len(), &changed, edits);
    let tree = Builder::new(places).build(&changed, |text| Cow::Owned(text.to_owned()))?;
    Ok(tree)
}

/// A collection that is being read.
enum Open<'a> {
    List(Vec<Node<'a>>),
    Map { entries: Vec<(Node<'a>, Node<'a>)>, key: Option<Node<'a>> },
}

struct Frame<'a> {
    open: Open<'a>,
    start: usize,
    anchor: usize,
    decorated: bool,
}

struct Builder<'a, 'e> {
    places: Places<'e>,
    frames: Vec<Frame<'a>>,
    root: Option<Node<'a>>,
    anchors: HashMap<usize, Node<'a>>,
    duplicates: Vec<Duplicate>,
    nodes: usize,
    aliases: usize,
}

impl<'a, 'e> Builder<'a, 'e> {
    fn new(places: Places<'e>) -> Self {
        Self {
            places,
            frames: Vec::new(),
            root: None,
            anchors: HashMap::new(),
            duplicates: Vec::new(),
            nodes: 0,
            aliases: 0,
        }
    }

    /// `keep` takes over a slice of `text`.
    fn build<'t>(
        mut self,
        text: &'t str,
        keep: impl Fn(&'t str) -> Cow<'a, str>,
    ) -> Result<Tree<'a>, Failure> {
        let mut parser = Parser::new_from_str(text);
        let mut documents = 0;
        while let Some(next) = parser.next_event() {
            let (event, span) = next.map_err(|error| Failure {
                kind: FailureKind::Syntax(error.info().to_owned()),
                at: self.places.byte(error.marker().index()),
            })?;
            if let Event::DocumentStart(_) = event {
                documents += 1;
                if documents > 1 {
                    let problem = "a second YAML document starts here".to_owned();
                    return Err(self.failure(FailureKind::Syntax(problem), &span));
                }
            }
            self.event(event, &span, &keep)?;
        }
        Ok(Tree { root: self.root, duplicates: self.duplicates })
    }

    fn failure(&self, kind: FailureKind, span: &Span) -> Failure {
        Failure { kind, at: self.places.byte(span.start.index()) }
    }

    fn event<'t>(
        &mut self,
        event: Event<'t>,
        span: &Span,
        keep: &impl Fn(&'t str) -> Cow<'a, str>,
    ) -> Result<(), Failure> {
        let start = self.places.byte(span.start.index());
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                let text = match text {
                    Cow::Borrowed(text) => keep(text),
                    Cow::Owned(text) => Cow::Owned(text),
                };
                let style = match style {
                    ScalarStyle::Plain => Style::Plain,
                    ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted => Style::Quoted,
                    ScalarStyle::Literal | ScalarStyle::Folded => Style::Block,
                };
                let span_bytes = start..self.places.byte(span.end.index());
                let decorated = anchor > 0 || tag.is_some();
                let value = Value::Scalar { text, style };
                self.finish(Node { value, span: span_bytes, decorated }, anchor, span)
            }
            Event::SequenceStart(anchor, tag) => {
                let decorated = anchor > 0 || tag.is_some();
                self.open(Open::List(Vec::new()), start, anchor, decorated, span)
            }
            Event::MappingStart(anchor, tag) => {
                let decorated = anchor > 0 || tag.is_some();
                let open = Open::Map { entries: Vec::new(), key: None };
                self.open(open, start, anchor, decorated, span)
            }
            Event::SequenceEnd | Event::MappingEnd => self.close(span),
            Event::Alias(anchor) => self.alias(anchor, span),
            _ => Ok(()),
        }
    }

    fn open(
        &mut self,
        open: Open<'a>,
        start: usize,
        anchor: usize,
        decorated: bool,
        span: &Span,
    ) -> Result<(), Failure> {
        if self.frames.len() >= YAML_DEPTH_MAX {
            return Err(self.failure(FailureKind::TooDeep, span));
        }
        self.frames.push(Frame { open, start, anchor, decorated });
        Ok(())
    }

    fn close(&mut self, span: &Span) -> Result<(), Failure> {
        let Some(frame) = self.frames.pop() else {
            return Ok(());
        };
        let value = match frame.open {
            Open::List(items) => Value::List(items),
            Open::Map { entries, .. } => Value::Map(entries),
        };
        let end = self.places.byte(span.end.index());
        let node = Node { value, span: frame.start..end, decorated: frame.decorated };
        self.finish(node, frame.anchor, span)
    }

    fn alias(&mut self, anchor: usize, span: &Span) -> Result<(), Failure> {
        self.aliases += 1;
        if self.aliases > YAML_ALIASES_MAX {
            return Err(self.failure(FailureKind::TooManyAliases, span));
        }
        let Some(mut node) = self.anchors.get(&anchor).cloned() else {
            let problem = "this alias stands inside its own anchor".to_owned();
            return Err(self.failure(FailureKind::Syntax(problem), span));
        };
        self.nodes += size(&node);
        node.span = self.places.byte(span.start.index())..self.places.byte(span.end.index());
        node.decorated = true;
        self.finish(node, 0, span)
    }

    /// Puts a complete value where it belongs.
    fn finish(&mut self, node: Node<'a>, anchor: usize, span: &Span) -> Result<(), Failure> {
        self.nodes += 1;
        if self.nodes > YAML_NODES_MAX {
            return Err(self.failure(FailureKind::TooManyNodes, span));
        }
        if anchor > 0 {
            self.anchors.insert(anchor, node.clone());
        }
        match self.frames.last_mut().map(|frame| &mut frame.open) {
            None => self.root = Some(node),
            Some(Open::List(items)) => items.push(node),
            Some(Open::Map { entries, key }) => match key.take() {
                None => *key = Some(node),
                Some(name) => entry(entries, &mut self.duplicates, name, node),
            },
        }
        Ok(())
    }
}

fn entry<'a>(
    entries: &mut Vec<(Node<'a>, Node<'a>)>,
    duplicates: &mut Vec<Duplicate>,
    key: Node<'a>,
    value: Node<'a>,
) {
    let first = entries.iter().find(|(known, _)| known.value == key.value);
    match (first, key.text()) {
        (Some((first, _)), Some(text)) => {
            // The list is for people; a file of thousands of equal keys needs no more of them.
            if duplicates.len() < crate::limits::DIAGNOSTICS_MAX {
                duplicates.push(Duplicate {
                    key: text.to_owned(),
                    first: first.span.start,
                    span: key.span.clone(),
                });
            }
        }
        _ => entries.push((key, value)),
    }
}

fn size(node: &Node<'_>) -> usize {
    match &node.value {
        Value::Scalar { .. } => 1,
        Value::List(items) => 1 + items.iter().map(size).sum::<usize>(),
        Value::Map(entries) => {
            1 + entries.iter().map(|(key, value)| size(key) + size(value)).sum::<usize>()
        }
    }
}
