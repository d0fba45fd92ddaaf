use std::time::Duration;

use axum::body::Body;
use serde_json::{Value, json};

use super::desk::{Answer, Desk, JANE, Socket, jane, request};
use crate::documents::DOCUMENT_BYTES_MAX;

async fn conditional(desk: &Desk, method: &str, path: &str, header: (&str, &str)) -> Answer {
    let request = request(method, path, Some(JANE)).header(header.0, header.1);
    desk.send(request.body(Body::from("new body")).unwrap()).await
}

#[tokio::test]
async fn a_document_lives_through_the_routes() {
    let desk = Desk::new();
    let made = desk.put("home", "notes/a.md", "one").await;
    let id = made["id"].as_str().unwrap();
    let base = format!("/brain/acme/documents/{id}");

    let listed = desk.get("/brain/acme/documents?projectId=home&pathPrefix=notes").await.json();
    assert_eq!((&listed["items"][0], &listed["revision"]), (&made, &json!(1)));
    let by_path = desk.get("/brain/acme/documents/by-path?projectId=home&path=notes/a.md").await;
    assert_eq!(by_path.json(), made);
    assert_eq!(desk.get(&base).await.json(), made);

    let content = desk.get(&format!("{base}/content")).await;
    assert_eq!((&content.body[..], content.header("etag")), (&b"one"[..], "\"1\""));
    assert!(content.header("content-type").starts_with("text/markdown"));
    assert_eq!(content.header("x-content-type-options"), "nosniff");
    let path = format!("{base}/content");
    let same = conditional(&desk, "GET", &path, ("if-none-match", "\"0\", \"1\"")).await;
    assert_eq!((same.status.as_u16(), same.body.len()), (304, 0));

    let stale = conditional(&desk, "PUT", &path, ("if-match", "\"7\"")).await;
    let error = stale.json();
    assert_eq!((stale.status.as_u16(), &error["code"]), (412, &json!("CONFLICT")));
    assert_eq!((&error["currentRevision"], &error["errorCode"]), (&json!(1), &json!(412)));
    let written = conditional(&desk, "PUT", &path, ("if-match", "\"1\"")).await;
    assert_eq!((written.status.as_u16(), &written.json()["revision"]), (200, &json!(2)));

    assert_eq!(&desk.get(&format!("{path}?revision=1")).await.body[..], b"one");
    assert_eq!(&desk.get(&path).await.body[..], b"new body");
    let history = desk.get(&format!("{base}/history")).await.json();
    let revisions: Vec<&Value> =
        history["versions"].as_array().unwrap().iter().map(|v| &v["revision"]).collect();
    assert_eq!(revisions, [&json!(2), &json!(1)]);

    let stale = conditional(&desk, "DELETE", &base, ("if-match", "\"1\"")).await;
    assert_eq!(stale.status, 412);
    let deleted = desk.call("DELETE", &base, "").await;
    assert_eq!((deleted.status.as_u16(), deleted.body.len()), (204, 0));
    assert_eq!(desk.get(&base).await.json()["trashedFrom"], "notes/a.md");
    let restored = desk.call("POST", &format!("{base}/restore"), "{}").await.json();
    assert_eq!(restored["path"], "notes/a.md", "{restored}");
}

#[tokio::test]
async fn a_change_set_is_all_or_none_and_says_which_expectation_failed() {
    let desk = Desk::new();
    desk.put("home", "a.md", "one").await;
    let set = json!({"changes": [
        {"op": "put", "path": "b.md", "base64": "AAEC", "expected": "absent"},
        {"op": "put", "path": "a.md", "text": "two", "expected": {"revision": 9}},
    ]});
    let path = "/brain/acme/documents/changes?projectId=home";
    let refused = desk.call("POST", path, set.to_string()).await;
    assert_eq!(refused.status, 409, "{refused:?}");
    assert!(refused.json()["errorMessage"].as_str().unwrap().contains("a.md"), "{refused:?}");
    let listed = desk.get("/brain/acme/documents?projectId=home").await.json();
    assert_eq!(listed["items"].as_array().unwrap().len(), 1, "{listed}");
}

#[tokio::test]
async fn pages_follow_each_other() {
    let desk = Desk::new();
    for name in ["a", "b", "c", "d", "e"] {
        desk.put("home", &format!("{name}.md"), name).await;
    }
    let mut paths = Vec::new();
    let mut cursor = String::new();
    loop {
        let page =
            desk.get(&format!("/brain/acme/documents?projectId=home&limit=2{cursor}")).await.json();
        let items = page["items"].as_array().unwrap();
        paths.extend(items.iter().map(|item| item["path"].as_str().unwrap().to_owned()));
        match page["nextCursor"].as_str() {
            Some(next) => cursor = format!("&cursor={}", encode(next)),
            None => break,
        }
    }
    assert_eq!(paths, ["a.md", "b.md", "c.md", "d.md", "e.md"]);
}

fn encode(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

/// What a bad request is told, without what differs from run to run.
#[derive(serde::Serialize)]
struct Told {
    request: String,
    status: u16,
    code: Value,
    reason: Value,
    message: Value,
}

async fn told(desk: &Desk, method: &str, path: &str, body: &str) -> Told {
    let answer = desk.call(method, path, body.to_owned()).await;
    let error = answer.json();
    assert_eq!(error["requestId"], answer.header("x-request-id"), "{answer:?}");
    let shown: String = path.chars().take(100).collect();
    Told {
        request: format!("{method} {shown}"),
        status: answer.status.as_u16(),
        code: error["code"].clone(),
        reason: error["reason"].clone(),
        message: error["errorMessage"].clone(),
    }
}

#[tokio::test]
async fn bad_requests_are_told_what_is_wrong_and_where() {
    let desk = Desk::new();
    let id = desk.put("home", "a.md", "one").await["id"].as_str().unwrap().to_owned();
    let changes = "/brain/acme/documents/changes?projectId=home";
    let long = format!("/brain/acme/documents?projectId=home&pathPrefix={}", "x".repeat(9_000));
    let cases = [
        ("GET", "/brain/acme/documents", ""),
        ("GET", "/brain/acme/documents?projectId=Home", ""),
        ("GET", "/brain/acme/documents?projectId=elsewhere", ""),
        ("GET", "/brain/acme/documents?projectId=_user_eve", ""),
        ("GET", "/brain/acme/documents?projectId=home&prefix=a", ""),
        ("GET", "/brain/acme/documents?projectId=home&projectId=home", ""),
        ("GET", "/brain/acme/documents?projectId=home&limit=0", ""),
        ("GET", "/brain/acme/documents?projectId=home&limit=many", ""),
        ("GET", &long, ""),
        ("GET", "/brain/acme/documents/by-path?projectId=home&path=../a", ""),
        ("GET", "/brain/acme/documents/by-path?projectId=home&path=b.md", ""),
        ("GET", "/brain/acme/documents/doc_7", ""),
        ("GET", "/brain/acme/documents/doc_00000000000000000000000000000000", ""),
        ("GET", "/brain/acme/whoami?x=1", ""),
        ("GET", "/brain/acme/nothing", ""),
        ("PATCH", "/brain/acme/sessions", ""),
        ("POST", changes, ""),
        ("POST", changes, "{\"changes\": [\n  {\"op\": \"put\",}]}"),
        ("POST", changes, "{\"changes\": [{\"op\": \"put\", \"path\": 7, \"expected\": \"any\"}]}"),
        ("POST", changes, "{\"changes\": []}"),
        ("POST", changes, "{\"changes\": []} x"),
        (
            "POST",
            changes,
            "{\"changes\": [{\"op\": \"put\", \"path\": \"a\", \"expected\": \"any\"}]}",
        ),
        ("GET", "/brain/acme/skills/explain?projectId=home&name=code-reviev", ""),
        ("GET", "/brain/acme/skills/explain?projectId=home&name=code-review&layer=mine", ""),
        ("GET", "/brain/acme/skills/active?sessionId=sess_1", ""),
        ("GET", "/brain/acme/recipes/show?projectId=home&name=defualt", ""),
        ("GET", "/brain/acme/sessions/sess_00000000000000000000000000000000", ""),
        ("POST", &format!("/brain/acme/documents/{id}/restore"), "{}"),
    ];
    let mut all = Vec::new();
    for (method, path, body) in cases {
        all.push(told(&desk, method, path, body).await);
    }
    let text = serde_json::to_string_pretty(&all).unwrap().replace(&id, "doc_<id>");
    insta::assert_snapshot!("bad_requests", text);
}

#[tokio::test]
async fn a_body_beyond_the_limit_is_refused() {
    let desk = Desk::new();
    let id = desk.put("home", "a.md", "one").await["id"].as_str().unwrap().to_owned();
    let path = format!("/brain/acme/documents/{id}/content");
    let answer = desk.call("PUT", &path, vec![b'x'; DOCUMENT_BYTES_MAX + 1]).await;
    assert_eq!((answer.status.as_u16(), &answer.json()["reason"]), (413, &json!("body_too_large")));
    // Its length untold.
    let chunks = (0..9).map(|_| Ok::<_, std::io::Error>(vec![b'x'; 1 << 20]));
    let chunks = futures::stream::iter(chunks);
    let answer = desk.call("PUT", &path, Body::from_stream(chunks)).await;
    assert_eq!(answer.status, 413);
    assert_eq!(&desk.get(&path).await.body[..], b"one");
}

#[tokio::test]
async fn methods_that_a_path_has_are_named() {
    let desk = Desk::new();
    let answer = desk.call("POST", "/brain/acme/sessions", "").await;
    assert_eq!((answer.status.as_u16(), answer.header("allow")), (405, "GET"));
}

#[tokio::test(start_paused = true)]
async fn an_answer_waits_for_the_revision_that_is_demanded() {
    let desk = Desk::new();
    desk.put("home", "a.md", "one").await;
    let ask = |revision: &'static str| {
        let request = request("GET", "/brain/acme/documents?projectId=home", Some(JANE));
        request.header("x-vance-at-least", revision).body(Body::empty()).unwrap()
    };
    assert_eq!(desk.send(ask("1")).await.status, 200);
    let later = async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        desk.put("home", "b.md", "two").await;
    };
    let (answer, ()) = tokio::join!(desk.send(ask("2")), later);
    assert_eq!(answer.json()["revision"], 2);
    let never = desk.send(ask("99")).await;
    assert_eq!(
        (never.status.as_u16(), &never.json()["reason"]),
        (504, &json!("revision_not_reached"))
    );
    assert_eq!(desk.send(ask("soon")).await.status, 400);
}

#[tokio::test]
async fn skills_are_shown_with_their_reasons() {
    let desk = Desk::new();
    let text = "---\ntitle: Mine\ndescription: my own review\n---\nlook\n";
    desk.put("home", "_vance/skills/code-review/SKILL.md", text).await;
    let skills = desk.get("/brain/acme/skills/effective?projectId=home").await.json();
    let skills = skills["skills"].as_array().unwrap();
    let mine = skills.iter().find(|skill| skill["name"] == "code-review").unwrap();
    assert_eq!((&mine["source"], &mine["title"]), (&json!("PROJECT"), &json!("Mine")));

    let path = "/brain/acme/skills/explain?projectId=home&name=code-review";
    let explained = desk.get(path).await.json();
    let verdicts: Vec<&Value> = explained["candidates"]
        .as_array()
        .unwrap()
        .iter()
        .map(|candidate| &candidate["verdict"])
        .collect();
    assert_eq!(verdicts, [&json!("WINS"), &json!("SHADOWED")]);
    assert_eq!(explained["shown"]["text"], text);
    let bundled = desk.get(&format!("{path}&layer=bundled")).await.json();
    assert_eq!(bundled["shown"]["summary"]["source"], "RESOURCE");

    let file = "/brain/acme/skills/file?projectId=home&name=code-review&path=SKILL.md";
    let file = desk.get(file).await;
    assert_eq!((&file.body[..], file.header("etag")), (text.as_bytes(), "\"1\""));
    assert!(file.header("content-type").starts_with("text/markdown"));
}

#[tokio::test]
async fn recipes_are_listed_and_shown() {
    let desk = Desk::new();
    let listed = desk.get("/brain/acme/recipes?projectId=home").await.json();
    let recipes = listed["recipes"].as_array().unwrap();
    assert!(recipes.iter().any(|recipe| recipe["name"] == "default"), "{listed}");
    let shown = desk.get("/brain/acme/recipes/show?projectId=home&name=default").await.json();
    assert_eq!((&shown["name"], &shown["source"]), (&json!("default"), &json!("RESOURCE")));
    assert!(shown["text"].as_str().unwrap().contains("engine"), "{shown}");
}

#[tokio::test]
async fn sessions_are_listed_read_and_closed() {
    let desk = Desk::new();
    let address = desk.listen().await;
    let mut socket = Socket::open(&address, "acme", JANE).await;
    let bound = socket.ask("session-create", json!({"projectId": "home"})).await;
    let id = bound["data"]["sessionId"].as_str().unwrap().to_owned();
    let listed = desk.get("/brain/acme/sessions?projectId=home").await.json();
    assert_eq!(listed["sessions"][0]["sessionId"], id);

    let mut pen = desk.own(&id).await;
    for number in 0..3 {
        pen.write(vec![super::sockets::message(number)]).await;
    }
    let base = format!("/brain/acme/sessions/{id}");
    let session = desk.get(&base).await.json();
    assert_eq!(session["processes"][0]["name"], "chat", "{session}");
    let first = desk.get(&format!("{base}/messages?limit=2")).await.json();
    let cursor = first["nextCursor"].as_str().unwrap();
    let second = desk.get(&format!("{base}/messages?limit=2&cursor={cursor}")).await.json();
    let text = |page: &Value, index: usize| page["messages"][index]["content"].clone();
    assert_eq!(
        [text(&first, 0), text(&first, 1), text(&second, 0)],
        ["message 0", "message 1", "message 2"]
    );
    assert_eq!(second["nextCursor"], Value::Null);

    let active = desk.get(&format!("/brain/acme/skills/active?sessionId={id}")).await.json();
    assert_eq!(active, json!({"skills": []}));
    assert_eq!(desk.call("DELETE", &base, "").await.status, 204);
    assert_eq!(desk.get(&base).await.json()["status"], "CLOSED");
    assert_eq!(jane().tenant.as_str(), "acme");
}

#[tokio::test]
async fn probes_tell_life_from_readiness() {
    let desk = Desk::new();
    let probe = |path: &'static str| request("GET", path, None).body(Body::empty()).unwrap();
    assert_eq!(
        desk.send(probe("/healthz")).await.json(),
        json!({"status": "ok", "version": "1.2.3"})
    );
    assert_eq!(desk.send(probe("/readyz")).await.status, 200);
    desk.services.tasks.stop(Duration::from_secs(1)).await;
    assert_eq!(desk.send(probe("/healthz")).await.status, 200);
    let unready = desk.send(probe("/readyz")).await;
    assert_eq!((unready.status.as_u16(), unready.header("retry-after")), (503, "1"));
}

#[tokio::test]
async fn a_caller_may_shorten_its_own_deadline() {
    let desk = Desk::new();
    let ask = |ms: &'static str| {
        let request = request("GET", "/brain/acme/whoami", Some(JANE));
        request.header("x-vance-timeout-ms", ms).body(Body::empty()).unwrap()
    };
    assert_eq!(desk.send(ask("5000")).await.json()["userId"], "jane");
    assert_eq!(desk.send(ask("0")).await.status, 400);
    assert_eq!(desk.send(ask("soon")).await.status, 400);
}
