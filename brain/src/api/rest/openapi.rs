//! The OpenAPI document, from the table of routes.

use api_types::error::ErrorBody;
use api_types::ids::TenantId;
use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use super::route::{Access, Gives, Param, Place, Route, Takes, schema};

/// The description of the whole REST interface, OpenAPI 3.1.
#[must_use]
pub fn document(version: &str) -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.definitions_path = "/components/schemas".into();
        settings.meta_schema = None;
    });
    let mut generator = SchemaGenerator::new(settings);
    let mut paths: Map<String, Value> = Map::new();
    for route in super::routes() {
        let operation = operation(route, &mut generator);
        let methods = paths.entry(route.path).or_insert_with(|| json!({}));
        methods[route.verb.as_str().to_lowercase()] = operation;
    }
    let failure = generator.subschema_for::<ErrorBody>();
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Brain",
            "version": version,
            "description": "Skills as documents, resolved and activated for agents. \
                Sessions run over the WebSocket at `/brain/{tenant}/ws`.",
        },
        "paths": paths,
        "components": {
            "schemas": generator.take_definitions(true),
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "responses": {
                "Error": {
                    "description": "The request failed; the body tells why and what to do.",
                    "content": {"application/json": {"schema": failure}},
                },
            },
        },
    })
}

fn operation(route: &Route, generator: &mut SchemaGenerator) -> Value {
    let mut operation = json!({
        "operationId": route.name,
        "summary": route.summary,
        "tags": [route.noun()],
        "parameters": parameters(route, generator),
        "responses": responses(route.gives, generator),
        "security": match route.access {
            Access::Open => json!([]),
            Access::Tenant => json!([{"token": []}]),
        },
    });
    if let Some(body) = request_body(route.takes, generator) {
        operation["requestBody"] = body;
    }
    operation
}

fn parameters(route: &Route, generator: &mut SchemaGenerator) -> Vec<Value> {
    const TENANT: Param = Param::path("tenant", schema::<TenantId>, "The token's tenant.");
    let tenant = (route.access == Access::Tenant).then_some(&TENANT);
    let all = tenant.into_iter().chain(route.params);
    all.map(|param| {
        json!({
            "name": param.name,
            "in": match param.place {
                Place::Path => "path",
                Place::Query => "query",
                Place::Header => "header",
            },
            "required": param.required,
            "description": param.about,
            "schema": (param.schema)(generator),
        })
    })
    .collect()
}

fn request_body(takes: Takes, generator: &mut SchemaGenerator) -> Option<Value> {
    let about = format!("At most {} bytes.", takes.bytes_max());
    let content = match takes {
        Takes::Nothing => return None,
        Takes::Json { schema, .. } => json!({"application/json": {"schema": schema(generator)}}),
        Takes::Bytes { .. } => json!({"application/octet-stream": {}}),
    };
    Some(json!({"required": true, "description": about, "content": content}))
}

fn responses(gives: Gives, generator: &mut SchemaGenerator) -> Value {
    let mut responses = json!({"default": {"$ref": "#/components/responses/Error"}});
    match gives {
        Gives::Json(schema) => {
            responses["200"] = json!({
                "description": "Done.",
                "content": {"application/json": {"schema": schema(generator)}},
            });
        }
        Gives::Bytes => {
            responses["200"] = json!({"description": "The bytes.", "content": {"*/*": {}}});
            responses["304"] = json!({"description": "What the caller has is still right."});
        }
        Gives::Nothing => responses["204"] = json!({"description": "Done."}),
    }
    responses
}
