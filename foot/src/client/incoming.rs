//! Frames from the brain.

use api_types::error::ErrorBody;
use api_types::events::Event;
use api_types::frames::ReplyFrame;
use serde::Deserialize;
use serde_json::value::RawValue;

/// A frame from the brain.
#[derive(Clone, Debug)]
pub(crate) struct Incoming {
    /// The inner envelope as it came, on one line.
    pub(crate) raw: String,
    /// Where a client that has seen it resumes.
    pub(crate) cursor: Option<String>,
    /// What it says.
    pub(crate) body: Body,
}

/// What a frame says.
#[derive(Clone, Debug)]
pub(crate) enum Body {
    /// An answer to a request.
    Reply(String, ReplyFrame),
    /// A request was refused.
    Refused(String, ErrorBody),
    /// A push.
    Event(Event),
    /// A frame of a kind that this version does not know, or can't read.
    Unknown {
        /// Its type.
        kind: String,
        /// Why it can't be read.
        problem: String,
    },
}

#[derive(Deserialize)]
struct Outer<'a> {
    #[serde(borrow)]
    payload: &'a RawValue,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Head {
    #[serde(default)]
    reply_to: Option<String>,
    #[serde(default)]
    cursor: Option<String>,
    r#type: String,
}

/// Reads a frame.
pub(super) fn read(text: &str) -> Result<Incoming, serde_json::Error> {
    let outer: Outer<'_> = serde_json::from_str(text)?;
    let payload = outer.payload.get();
    let head: Head = serde_json::from_str(payload)?;
    let body = match &head.reply_to {
        Some(to) if head.r#type == "error" => event(payload).map(|event| match event {
            Event::Error(error) => Body::Refused(to.clone(), error),
            event => Body::Event(event),
        }),
        Some(to) => serde_json::from_str(payload).map(|reply| Body::Reply(to.clone(), reply)),
        None => event(payload).map(Body::Event),
    };
    let body = body
        .unwrap_or_else(|error| Body::Unknown { kind: head.r#type, problem: error.to_string() });
    let raw = if payload.contains('\n') { compact(payload)? } else { payload.to_owned() };
    Ok(Incoming { raw, cursor: head.cursor, body })
}

fn event(payload: &str) -> Result<Event, serde_json::Error> {
    serde_json::from_str(payload)
}

/// Line ends between values are gone after this; those inside are escaped anyway.
fn compact(payload: &str) -> Result<String, serde_json::Error> {
    serde_json::from_str::<serde_json::Value>(payload).map(|value| value.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(payload: &str) -> Body {
        read(&format!(r#"{{"channel":"session","payload":{payload}}}"#)).unwrap().body
    }

    #[test]
    fn replies_refusals_and_events_are_told_apart() {
        let reply = body(r#"{"replyTo":"3","type":"session-unbind","data":{}}"#);
        assert!(matches!(reply, Body::Reply(to, ReplyFrame::SessionUnbind(_)) if to == "3"));
        let error = r#"{"code":"NOT_FOUND","errorCode":404,"errorMessage":"no"}"#;
        let refused = body(&format!(r#"{{"replyTo":"4","type":"error","data":{error}}}"#));
        assert!(matches!(refused, Body::Refused(to, _) if to == "4"));
        let pushed = body(&format!(r#"{{"type":"error","data":{error}}}"#));
        assert!(matches!(pushed, Body::Event(Event::Error(_))));
    }

    #[test]
    fn what_a_newer_brain_says_is_not_fatal() {
        let frame = body(r#"{"type":"tea-is-ready","data":{"pot":1}}"#);
        assert!(matches!(frame, Body::Unknown { kind, .. } if kind == "tea-is-ready"));
        let frame = body(r#"{"type":"turn-closed","data":{"odd":true}}"#);
        assert!(matches!(frame, Body::Unknown { problem, .. } if problem.contains("processId")));
    }

    #[test]
    fn the_raw_frame_is_one_line() {
        let text =
            "{\"channel\":\"session\",\"payload\":{\n \"type\":\"x\",\n \"data\":\"a\\nb\"}}";
        assert_eq!(read(text).unwrap().raw, r#"{"type":"x","data":"a\nb"}"#);
    }
}
