//! The built-in model: answers with the outline of its prompt, so that everything can be tried without a key.

use std::fmt::Write as _;

use async_trait::async_trait;

use super::draft::estimate;
use super::error::Error;
use super::message::{Message, cut};
use super::request::ProviderName;
use super::segment::Dialect;
use super::{Answer, Delta, Provider, Request, Sink, Stop, Usage};
use crate::ctx::OpCtx;

/// Characters of one piece of the stream.
const PIECE_CHARS: usize = 24;

/// Most of the last user message that is repeated, in bytes.
pub(crate) const ECHOED_BYTES_MAX: usize = 4000;

/// See the module.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Echo;

#[async_trait]
impl Provider for Echo {
    async fn call(&self, ctx: &OpCtx, request: &Request, sink: &dyn Sink) -> Result<Answer, Error> {
        let text = outline(request);
        let stream = async {
            for piece in pieces(&text) {
                sink.delta(Delta::Text(piece.to_owned()));
                tokio::task::yield_now().await;
            }
        };
        let stopped = |stopped| Error::stopped(stopped, ProviderName::Echo, None);
        ctx.bound(stream).await.map_err(stopped)?;
        let usage = Usage {
            input: estimate(bytes(request)),
            output: estimate(text.len()),
            ..Usage::default()
        };
        Ok(Answer {
            text,
            thinking: String::new(),
            calls: Vec::new(),
            usage,
            stop: Stop::EndTurn,
            model: "echo".to_owned(),
            carry: None,
        })
    }
}

fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let end = rest.char_indices().nth(PIECE_CHARS).map_or(rest.len(), |(at, _)| at);
        let (piece, later) = rest.split_at(end);
        rest = later;
        (!piece.is_empty()).then_some(piece)
    })
}

fn outline(request: &Request) -> String {
    let sent = || request.system.iter().filter(|block| !block.text.trim().is_empty());
    let mut text = String::new();
    let mut line = |name: &str, value: &dyn std::fmt::Display| {
        writeln!(text, "{name}: {value}").expect("a string takes every text");
    };
    line("system blocks", &sent().count());
    for heading in sent().flat_map(|block| block.text.lines()).filter_map(skill_heading) {
        line("skill", &heading);
    }
    line("tools", &request.tools.specs().len());
    line("messages", &request.messages.len());
    let said = last_user(request);
    let shown = cut(said, ECHOED_BYTES_MAX);
    let more = if shown.len() < said.len() { "…" } else { "" };
    text.push_str("user: ");
    text.push_str(shown);
    text.push_str(more);
    text
}

/// The name in a line `--- Skill: name ---`.
fn skill_heading(line: &str) -> Option<&str> {
    let heading = line.trim_end().strip_prefix("--- Skill:")?;
    Some(heading.trim_end_matches('-').trim())
}

fn last_user(request: &Request) -> &str {
    let said = request.messages.iter().rev().find_map(|segment| match segment.message() {
        Message::User { text } => Some(text.as_str()),
        _ => None,
    });
    said.unwrap_or_default()
}

fn bytes(request: &Request) -> usize {
    let system: usize = request.system.iter().map(|block| block.text.len()).sum();
    let wire = |segment: &std::sync::Arc<super::Segment>| segment.wire(Dialect::OpenAi).len();
    system
        + request.tools.wire(Dialect::OpenAi).len()
        + request.messages.iter().map(wire).sum::<usize>()
}
