//! Reading a client's frame, and saying precisely what is wrong with one.

use api_types::frames::{CLIENT_FRAME_TYPES, ClientFrame};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use crate::api::error::ApiError;
use crate::near::nearest;

/// Longest id of a request, in bytes.
pub(super) const REQUEST_ID_BYTES_MAX: usize = 128;

/// A request.
#[derive(Debug)]
pub(super) struct Request {
    /// Chosen by the client.
    pub(super) id: Option<String>,
    /// What it wants.
    pub(super) frame: ClientFrame,
}

/// A frame that is no request.
#[derive(Debug)]
pub(super) struct BadFrame {
    /// The request's id, where it could be read.
    pub(super) id: Option<String>,
    /// What is wrong.
    pub(super) error: ApiError,
}

#[derive(Deserialize)]
struct Outer<'a> {
    channel: String,
    #[serde(borrow)]
    payload: &'a RawValue,
}

#[derive(Deserialize)]
struct Inner<'a> {
    #[serde(default)]
    id: Option<serde_json::Value>,
    #[serde(default)]
    r#type: Option<serde_json::Value>,
    #[serde(borrow, default)]
    data: Option<&'a RawValue>,
}

/// Reads a frame.
///
/// # Errors
/// [`BadFrame`], with the path into the frame and the reason.
pub(super) fn read(text: &str) -> Result<Request, Box<BadFrame>> {
    let anonymous = |error| Box::new(BadFrame { id: None, error });
    let outer: Outer<'_> =
        serde_json::from_str(text).map_err(|error| anonymous(bad_json("the frame", &error)))?;
    let inner: Inner<'_> = serde_json::from_str(outer.payload.get())
        .map_err(|error| anonymous(bad_json("`payload`", &error)))?;
    let id = match &inner.id {
        Some(serde_json::Value::String(id)) if id.len() <= REQUEST_ID_BYTES_MAX => Some(id.clone()),
        None | Some(serde_json::Value::Null) => None,
        Some(_) => {
            let message =
                format!("`payload.id` must be a text of at most {REQUEST_ID_BYTES_MAX} bytes");
            return Err(anonymous(ApiError::invalid(message).because("invalid_frame")));
        }
    };
    let fail = |error| Box::new(BadFrame { id: id.clone(), error });
    if outer.channel != "session" {
        let message =
            format!("unknown channel {:?}; the only one is `session`", cut(&outer.channel));
        return Err(fail(ApiError::invalid(message).because("unknown_channel")));
    }
    let Some(serde_json::Value::String(kind)) = &inner.r#type else {
        let message = "`payload.type` must be the name of a request";
        return Err(fail(ApiError::invalid(message).because("invalid_frame")));
    };
    let frame = body(kind, inner.data).map_err(fail)?;
    Ok(Request { id, frame })
}

fn body(kind: &str, raw: Option<&RawValue>) -> Result<ClientFrame, ApiError> {
    Ok(match kind {
        "ping" => ClientFrame::Ping(data(kind, raw)?),
        "session-create" => ClientFrame::SessionCreate(data(kind, raw)?),
        "session-resume" => ClientFrame::SessionResume(data(kind, raw)?),
        "session-bootstrap" => ClientFrame::SessionBootstrap(data(kind, raw)?),
        "session-unbind" => ClientFrame::SessionUnbind(data(kind, raw)?),
        "session-list" => ClientFrame::SessionList(data(kind, raw)?),
        "process-list" => ClientFrame::ProcessList(data(kind, raw)?),
        "process-messages" => ClientFrame::ProcessMessages(data(kind, raw)?),
        "process-steer" => ClientFrame::ProcessSteer(data(kind, raw)?),
        "process-cancel" => ClientFrame::ProcessCancel(data(kind, raw)?),
        "process-skill" => ClientFrame::ProcessSkill(data(kind, raw)?),
        "logout" => ClientFrame::Logout(data(kind, raw)?),
        _ => return Err(unknown(kind)),
    })
}

/// Reads a request's data; absent data is an empty object, so that requests without any need none.
fn data<T: DeserializeOwned>(kind: &str, raw: Option<&RawValue>) -> Result<T, ApiError> {
    let text = raw.map_or("{}", RawValue::get);
    let text = if text == "null" { "{}" } else { text };
    let mut reader = serde_json::Deserializer::from_str(text);
    serde_path_to_error::deserialize(&mut reader).map_err(|error| {
        let path = error.path().to_string();
        let place = if path == "." { "data".to_owned() } else { format!("data.{path}") };
        let message = format!("`{kind}`: `{place}`: {}", reason(error.inner()));
        ApiError::invalid(message).because("invalid_frame")
    })
}

/// The reason without «at line 1 column 7», which would count from the start of `data`.
fn reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.rfind(" at line ") {
        Some(end) => text[..end].to_owned(),
        None => text,
    }
}

fn bad_json(what: &str, error: &serde_json::Error) -> ApiError {
    ApiError::invalid(format!("{what} is not the JSON that is expected: {error}"))
        .because("invalid_json")
}

fn unknown(kind: &str) -> ApiError {
    let known = CLIENT_FRAME_TYPES;
    let shown = cut(kind);
    let hint = match nearest(&shown, known) {
        Some(known) => format!("; did you mean `{known}`?"),
        None => format!("; known are: {}", known.join(", ")),
    };
    ApiError::invalid(format!("unknown type {shown:?}{hint}")).because("unknown_type")
}

fn cut(text: &str) -> String {
    text.chars().take(80).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, id: Option<&str>, expect: &str) {
        let bad = read(text).expect_err("the frame is bad");
        let request = crate::api::error::RequestId::from_bits(0);
        assert_eq!(bad.id.as_deref(), id, "{text}");
        assert_eq!(bad.error.into_body(&request).error_message, expect, "{text}");
    }

    #[test]
    fn a_bad_frame_is_told_where_and_why() {
        check(
            "{",
            None,
            "the frame is not the JSON that is expected: EOF while parsing an object at line 1 column 1",
        );
        check(
            r#"{"channel":"session"}"#,
            None,
            "the frame is not the JSON that is expected: missing field `payload` at line 1 column 21",
        );
        check(
            r#"{"channel":"notify","payload":{"id":"1","type":"ping"}}"#,
            Some("1"),
            "unknown channel \"notify\"; the only one is `session`",
        );
        check(
            r#"{"channel":"session","payload":{"id":"1","type":"proces-steer"}}"#,
            Some("1"),
            "unknown type \"proces-steer\"; did you mean `process-steer`?",
        );
        check(
            r#"{"channel":"session","payload":{"id":"1"}}"#,
            Some("1"),
            "`payload.type` must be the name of a request",
        );
        check(
            r#"{"channel":"session","payload":{"id":7,"type":"ping"}}"#,
            None,
            "`payload.id` must be a text of at most 128 bytes",
        );
        check(
            r#"{"channel":"session","payload":{"id":"1","type":"process-steer","data":{"processName":"chat"}}}"#,
            Some("1"),
            "`process-steer`: `data`: missing field `content`",
        );
        check(
            r#"{"channel":"session","payload":{"id":"1","type":"session-bootstrap","data":{"activations":[{"skillName":"A B"}]}}}"#,
            Some("1"),
            "`session-bootstrap`: `data.activations[0].skillName`: skill name \"A B\": ' ' is not allowed; use letters, digits and `-`",
        );
    }

    #[test]
    fn an_entirely_unknown_type_lists_the_known_ones() {
        let bad = read(r#"{"channel":"session","payload":{"type":"workflow-start"}}"#);
        let body =
            bad.expect_err("unknown").error.into_body(&crate::api::error::RequestId::from_bits(0));
        assert!(body.error_message.contains("known are: ping, session-create"), "{body:?}");
    }

    #[test]
    fn every_type_of_the_list_is_read() {
        for kind in CLIENT_FRAME_TYPES {
            if let Err(error) = body(kind, None) {
                assert_ne!(error.reason(), Some("unknown_type"), "{kind}");
            }
        }
    }

    #[test]
    fn a_request_without_data_needs_none() {
        let text = r#"{"channel":"session","payload":{"id":"1","type":"process-list"}}"#;
        let request = read(text).unwrap();
        assert!(matches!(request.frame, ClientFrame::ProcessList(_)));
    }
}
