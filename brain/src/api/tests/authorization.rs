//! Every route and every frame is tried without a token, with a wrong one, and as a second tenant.
//! A new one without a case here fails the test.

use api_types::frames::CLIENT_FRAME_TYPES;
use axum::body::Body;
use serde_json::{Value, json};

use super::desk::{Desk, EVE, JANE, Socket, request};
use crate::api::rest::route::Access;
use crate::api::rest::routes;

/// A request to each route that would do something for its rightful caller. `None`: no case.
fn case(name: &str, document: &str, session: &str) -> Option<(String, Value)> {
    let none = Value::Null;
    let get = |path: &str| Some((path.to_owned(), none.clone()));
    match name {
        "whoami" => get("whoami"),
        "listDocuments" => get("documents?projectId=home"),
        "getDocumentByPath" => get("documents/by-path?projectId=home&path=a.md"),
        "getDocument" => Some((format!("documents/{document}"), none)),
        "getDocumentContent" => Some((format!("documents/{document}/content"), none)),
        "putDocumentContent" => Some((format!("documents/{document}/content"), json!("x"))),
        "changeDocuments" => Some((
            "documents/changes?projectId=home".to_owned(),
            json!({"changes": [{"op": "delete", "path": "a.md", "expected": "any"}]}),
        )),
        "deleteDocument" => Some((format!("documents/{document}"), none)),
        "getDocumentHistory" => Some((format!("documents/{document}/history"), none)),
        "restoreDocument" => {
            Some((format!("documents/{document}/restore"), json!({"revision": 1})))
        }
        "getEffectiveSkills" => get("skills/effective?projectId=home"),
        "getActiveSkills" => Some((format!("skills/active?sessionId={session}"), none)),
        "explainText" => get("skills/matches?projectId=home&text=review"),
        "explainSkill" => get("skills/explain?projectId=home&name=private-skill"),
        "getSkillFile" => get("skills/file?projectId=home&name=private-skill&path=SKILL.md"),
        "listRecipes" => get("recipes?projectId=home"),
        "showRecipe" => get("recipes/show?projectId=home&name=private-recipe"),
        "listSessions" => get("sessions"),
        "getSession" => Some((format!("sessions/{session}"), none)),
        "listMessages" => Some((format!("sessions/{session}/messages"), none)),
        "closeSession" => Some((format!("sessions/{session}"), none)),
        _ => None,
    }
}

/// A desk on which `jane` has a document, a skill, a recipe and a session.
async fn furnished() -> (Desk, String, String, String) {
    let desk = Desk::new();
    let document = desk.put("home", "a.md", "jane's secret").await;
    let skill = "---\ntitle: Private\ndescription: jane's secret skill\n---\nbody\n";
    desk.put("home", "_vance/skills/private-skill/SKILL.md", skill).await;
    let recipe = "description: jane's secret recipe\nengine: ford\n";
    desk.put("home", "_vance/recipes/private-recipe.yaml", recipe).await;
    let address = desk.listen().await;
    let mut socket = Socket::open(&address, "acme", JANE).await;
    let bound = socket.ask("session-create", json!({"projectId": "home"})).await;
    let session = bound["data"]["sessionId"].as_str().unwrap().to_owned();
    socket.ask("session-unbind", json!({})).await;
    (desk, address, document["id"].as_str().unwrap().to_owned(), session)
}

fn body(value: &Value) -> Body {
    if value.is_null() { Body::empty() } else { Body::from(value.to_string()) }
}

#[tokio::test]
async fn every_route_refuses_strangers() {
    let (desk, _, document, session) = furnished().await;
    for route in routes().filter(|route| route.access == Access::Tenant) {
        let Some((path, data)) = case(route.name, &document, &session) else {
            panic!("the route {} has no case", route.name);
        };
        let path = format!("/brain/acme/{path}");
        let verb = route.verb.as_str();
        for (token, status) in [(None, 401), (Some("no-such-token"), 401), (Some(EVE), 404)] {
            let request = request(verb, &path, token).body(body(&data)).unwrap();
            let answer = desk.send(request).await;
            assert_eq!(answer.status, status, "{verb} {path} with {token:?}: {answer:?}");
            assert_eq!(answer.json()["errorCode"], status, "{verb} {path}");
        }
    }
    // Nothing of it happened.
    assert_eq!(desk.get(&format!("/brain/acme/documents/{document}")).await.status, 200);
    let session = desk.get(&format!("/brain/acme/sessions/{session}")).await.json();
    assert_ne!(session["status"], "CLOSED", "{session}");
}

#[tokio::test]
async fn a_second_tenant_finds_nothing_by_ids_it_should_not_know() {
    let (desk, _, document, session) = furnished().await;
    for route in routes().filter(|route| route.access == Access::Tenant) {
        let (path, data) = case(route.name, &document, &session).expect("has a case");
        let path = format!("/brain/other/{path}");
        let answer = desk
            .send(request(route.verb.as_str(), &path, Some(EVE)).body(body(&data)).unwrap())
            .await;
        let text = String::from_utf8_lossy(&answer.body).into_owned();
        assert!(!text.contains("secret"), "{path}: {text}");
        let lists = [
            "whoami",
            "listDocuments",
            "getEffectiveSkills",
            "explainText",
            "listRecipes",
            "listSessions",
        ];
        if !lists.contains(&route.name) {
            assert_eq!(answer.status, 404, "{path}: {text}");
        }
    }
    assert_eq!(desk.get(&format!("/brain/acme/documents/{document}")).await.status, 200);
}

#[tokio::test]
async fn open_routes_are_these_only() {
    let open = routes().filter(|route| route.access == Access::Open);
    let names: Vec<&str> = open.map(|route| route.name).collect();
    assert_eq!(names, ["healthz", "readyz", "openapi"]);
}

/// What a second tenant sends of each type, and the reason it is answered with; `None` where the
/// request is about the sender only. No case panics.
fn frame_case(kind: &str, session: &str) -> (Value, Option<&'static str>) {
    let process = json!({"processName": "chat"});
    match kind {
        "ping" => (json!({"clientTimestamp": 1}), None),
        "session-create" => (json!({"projectId": "elsewhere"}), Some("unknown_project")),
        "session-resume" => {
            (json!({"sessionId": session, "takeover": true}), Some("unknown_session"))
        }
        "session-bootstrap" => (
            json!({"sessionId": session, "takeover": true, "initialMessage": "hi"}),
            Some("unknown_session"),
        ),
        "session-list" => (json!({}), None),
        "session-unbind" | "logout" | "process-list" => (json!({}), Some("no_session_bound")),
        "process-messages" | "process-cancel" => (process, Some("no_session_bound")),
        "process-steer" => {
            (json!({"processName": "chat", "content": "hi"}), Some("no_session_bound"))
        }
        "process-skill" => {
            (json!({"processName": "chat", "command": "LIST"}), Some("no_session_bound"))
        }
        _ => panic!("the frame {kind} has no case"),
    }
}

#[tokio::test]
async fn every_frame_refuses_strangers() {
    let (_desk, address, _, session) = furnished().await;
    let version = [("x-vance-client-version", "9")];
    for (tenant, token, status) in
        [("acme", None, 401), ("acme", Some("no-such-token"), 401), ("acme", Some(EVE), 404)]
    {
        let refused = Socket::try_open(&address, tenant, token, &version).await;
        let (got, body) = refused.err().expect("refused");
        assert_eq!((got, &body["errorCode"]), (status, &json!(status)), "{token:?}");
    }
    let mut eve = Socket::open(&address, "other", EVE).await;
    for kind in CLIENT_FRAME_TYPES {
        let (data, refused) = frame_case(kind, &session);
        let answer = eve.ask(kind, data).await;
        match refused {
            Some(reason) => assert_eq!(answer["data"]["reason"], reason, "{kind}: {answer}"),
            None => assert_ne!(answer["type"], "error", "{kind}: {answer}"),
        }
        assert!(!answer.to_string().contains("secret"), "{kind}: {answer}");
    }
}
