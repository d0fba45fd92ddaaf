use std::collections::BTreeSet;

use serde_json::Value;

use super::desk::Desk;
use crate::api::rest::{openapi, routes};

#[tokio::test]
async fn the_description_names_every_route() {
    let desk = Desk::new();
    let answer = desk.get("/openapi.json").await;
    let document = answer.json();
    let mut listed = Vec::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            let name = operation["operationId"].as_str().unwrap();
            listed.push(format!("{} {path} {name}", method.to_uppercase()));
        }
    }
    assert_eq!(listed.len(), routes().count());
    insta::assert_snapshot!("routes", listed.join("\n"));
}

#[test]
fn every_reference_leads_somewhere() {
    let document = openapi::document("1.2.3");
    let text = document.to_string();
    for reference in text.split("\"$ref\":\"#").skip(1) {
        let pointer = reference.split('"').next().unwrap();
        assert!(document.pointer(pointer).is_some(), "{pointer}");
    }
}

#[test]
fn path_parameters_and_names_are_sound() {
    let mut names = BTreeSet::new();
    for route in routes() {
        assert!(names.insert(route.name), "two routes are named {}", route.name);
        let document = openapi::document("1.2.3");
        let operation = &document["paths"][route.path][route.verb.as_str().to_lowercase()];
        let declared = operation["parameters"].as_array().unwrap().iter();
        let declared: BTreeSet<String> = declared
            .filter(|param| param["in"] == "path")
            .map(|param| param["name"].as_str().unwrap().to_owned())
            .collect();
        let in_path: BTreeSet<String> =
            route.path.split(['{', '}']).skip(1).step_by(2).map(str::to_owned).collect();
        assert_eq!(declared, in_path, "{}", route.name);
        assert_ne!(operation["responses"], Value::Null);
    }
}
