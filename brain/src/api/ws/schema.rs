//! The JSON Schema of all frames.

use api_types::events::Event;
use api_types::frames::{
    ClientFrame, LiveEnvelope, PROTOCOL_VERSION, ReplyFrame, WebSocketEnvelope,
};
use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use serde_json::{Value, json};

/// One schema with three parts: what clients send, what answers them, and what is pushed.
#[must_use]
pub fn document() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| settings.meta_schema = None);
    let mut generator = SchemaGenerator::new(settings);
    let request = generator.subschema_for::<LiveEnvelope<WebSocketEnvelope<ClientFrame>>>();
    let reply = generator.subschema_for::<LiveEnvelope<WebSocketEnvelope<ReplyFrame>>>();
    let event = generator.subschema_for::<LiveEnvelope<WebSocketEnvelope<Event>>>();
    let mut definitions = generator.take_definitions(true);
    for (name, schema) in [("request", request), ("reply", reply), ("event", event)] {
        definitions.insert(name.to_owned(), schema.to_value());
    }
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": format!("Frames of /brain/{{tenant}}/ws, protocol version {PROTOCOL_VERSION}"),
        "$defs": definitions,
        "anyOf": [
            {"$ref": "#/$defs/request"},
            {"$ref": "#/$defs/reply"},
            {"$ref": "#/$defs/event"},
        ],
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use api_types::frames::CLIENT_FRAME_TYPES;

    #[test]
    fn every_request_and_every_reference_is_described() {
        let document = document();
        let text = document.to_string();
        for kind in CLIENT_FRAME_TYPES {
            assert!(text.contains(&format!("\"const\":\"{kind}\"")), "{kind}");
        }
        for reference in text.split("\"$ref\":\"#/$defs/").skip(1) {
            let name = reference.split('"').next().unwrap();
            assert!(document["$defs"].get(name).is_some(), "{name}");
        }
    }
}
