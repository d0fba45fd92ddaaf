//! Building request bodies out of pieces, for every dialect.

use std::borrow::Cow;
use std::sync::Arc;

use bytes::{BufMut, Bytes, BytesMut};
use serde::Serialize;

use super::adjust::Adjust;
use super::request::{ModelSpec, Request};
use super::segment::{Dialect, Segment};

/// Room for what is not counted: names, limits, brackets.
const FRAME_BYTES: usize = 512;

/// A request body under construction.
pub(crate) struct Body(BytesMut);

impl Body {
    /// Reserves for the whole request at once: copying the history is cheap, growing the buffer under it is not.
    pub(crate) fn with_room_for(request: &Request, dialect: Dialect) -> Self {
        let system: usize = request.system.iter().map(|block| block.text.len() + 64).sum();
        let messages: usize =
            request.messages.iter().map(|s| s.wire_for(dialect, &request.model).len() + 1).sum();
        let tools = request.tools.wire(dialect).len();
        Self(BytesMut::with_capacity(FRAME_BYTES + system + system / 8 + messages + tools))
    }

    /// Appends bytes that are JSON already, or parts of it.
    pub(crate) fn raw(&mut self, bytes: &[u8]) -> &mut Self {
        self.0.put_slice(bytes);
        self
    }

    /// Appends a value as JSON.
    pub(crate) fn json<T: Serialize + ?Sized>(&mut self, value: &T) -> &mut Self {
        write(&mut self.0, value);
        self
    }

    /// The finished body.
    pub(crate) fn finish(&mut self) -> Bytes {
        self.0.split().freeze()
    }
}

/// A message as the model of this request gets it.
pub(crate) fn of<'a>(
    segment: &'a Arc<Segment>,
    dialect: Dialect,
    model: &ModelSpec,
    adjust: Adjust,
) -> &'a Bytes {
    if adjust.no_carry { segment.wire(dialect) } else { segment.wire_for(dialect, model) }
}

/// A value as JSON.
pub(crate) fn json<T: Serialize + ?Sized>(value: &T) -> Bytes {
    let mut bytes = BytesMut::new();
    write(&mut bytes, value);
    bytes.freeze()
}

/// Values as JSON, with commas between.
pub(crate) fn joined<T: Serialize>(values: impl IntoIterator<Item = T>) -> Bytes {
    let mut bytes = BytesMut::new();
    for value in values {
        if !bytes.is_empty() {
            bytes.put_u8(b',');
        }
        write(&mut bytes, &value);
    }
    bytes.freeze()
}

fn write<T: Serialize + ?Sized>(bytes: &mut BytesMut, value: &T) {
    serde_json::to_writer(bytes.writer(), value)
        .expect("wire types have string keys and memory takes every byte");
}

/// An id or tool name in the alphabet that all providers take. A conversation can change its provider, and a model can
/// make up a tool name; either would have the whole request refused.
pub(crate) fn wire_id(id: &str) -> Cow<'_, str> {
    const BYTES_MAX: usize = 64;
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if !id.is_empty() && id.len() <= BYTES_MAX && id.chars().all(fits) {
        return Cow::Borrowed(id);
    }
    if id.is_empty() {
        return Cow::Borrowed("unnamed");
    }
    let digest = blake3::hash(id.as_bytes()).to_hex();
    let kept: String = id.chars().take(40).map(|c| if fits(c) { c } else { '_' }).collect();
    Cow::Owned(format!("{kept}-{}", &digest[..12]))
}
