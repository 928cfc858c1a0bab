//! HTTP tools against a scripted server: the exact bytes that it receives.

use std::sync::Arc;

use parking_lot::Mutex;
use plait_core::error::Fault;
use plait_llm::http_tool::HttpTool;
use plait_llm::tool::ToolContext;
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use super::*;
use crate::keys::{KeyOwner, KeyStore};
use crate::project_files::FileAccess;
use crate::tools::environment::{ToolSecret, ToolSettings};

/// Answers each request with the same response, and records the requests.
struct Server {
    port: u16,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Server {
    async fn start(response: String) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("bound");
        let port = listener.local_addr().expect("address").port();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&requests);
        tokio::spawn(async move {
            while let Ok((mut socket, _)) = listener.accept().await {
                let (mut request, mut byte) = (Vec::new(), [0]);
                while !request.ends_with(b"\r\n\r\n") && socket.read_exact(&mut byte).await.is_ok() {
                    request.push(byte[0]);
                }
                let head = String::from_utf8_lossy(&request).into_owned();
                let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
                let mut body = vec![0; length.map_or(0, |length| length.parse().expect("length"))];
                socket.read_exact(&mut body).await.expect("body");
                seen.lock().push(head + &String::from_utf8(body).expect("text"));
                // The client may have gone.
                let _ = socket.write_all(response.as_bytes()).await;
            }
        });
        Self { port, requests }
    }

    async fn json(body: &str) -> Self {
        Self::start(answer(200, "application/json", body)).await
    }

    fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    /// The requests without the headers that all have.
    fn requests(&self) -> Vec<String> {
        let common = [
            "accept: */*\r\n".to_owned(),
            format!("user-agent: plait/{}\r\n", env!("CARGO_PKG_VERSION")),
            format!("host: 127.0.0.1:{}\r\n", self.port),
        ];
        let strip =
            |request: &String| common.iter().fold(request.clone(), |text, header| text.replace(header, ""));
        self.requests.lock().iter().map(strip).collect()
    }
}

fn answer(status: u16, media_type: &str, body: &str) -> String {
    format!(
        "HTTP/1.1 {status} X\r\ncontent-type: {media_type}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    )
}

/// The host, with the local machine allowed.
fn tools(secrets: &[(&str, &str)]) -> HttpTools {
    let environment = ToolEnvironment::new(FileAccess::default(), KeyStore::in_memory());
    let secrets = secrets.iter().map(|&(name, origin)| {
        environment
            .keys
            .set_session_key(&KeyOwner::new(name, Some(origin)), "sk-0123456789abcdef")
            .expect("set");
        (name.to_owned(), ToolSecret { origin: origin.to_owned(), variable: None })
    });
    environment.set_settings(ToolSettings {
        allowed_hosts: vec!["127.0.0.1".to_owned()],
        secrets: secrets.collect(),
    });
    HttpTools::new(&environment)
}

async fn call_with(
    tools: &HttpTools,
    tool: Value,
    arguments: Value,
    context: ToolContext,
) -> Result<Value, Fault> {
    let mut declared: HttpTool = serde_json::from_value(tool).expect("declared");
    declared.name = "test".to_owned();
    let invocation =
        ToolInvocation { context: Arc::new(context), ..ToolInvocation::new(declared.to_spec(), arguments) };
    tools.call(invocation).await
}

async fn call(tool: Value, arguments: Value) -> Result<Value, Fault> {
    call_with(&tools(&[]), tool, arguments, conversation()).await
}

/// What no request may hold unless its tool opts in.
fn conversation() -> ToolContext {
    ToolContext {
        workflow_summary: Some("They talk about größe.".to_owned()),
        recent_turns: vec!["Ada: hi".to_owned(), "Bot: hello".to_owned()],
        round: 2,
    }
}

#[tokio::test]
async fn get_fills_path_and_query() {
    let server = Server::json("{\"ok\": true}").await;
    let tool = json!({
        "url": server.url("/users/{{user.id}}/x?fixed=1&q={{q}}"),
        "query": { "tag": "{{tags}}", "note": "n:{{note}}", "absent": "{{absent}}" },
        "headers": { "X-Team": "{{team}}", "X-Absent": "{{absent}}" },
    });
    let arguments = json!({
        "user": { "id": "a/b?c#d&e=f%2e" }, "q": "x&y=z ü", "tags": ["1", "2"], "note": "n", "team": "red", "extra": { "a": 1 },
    });
    assert_eq!(call(tool, arguments).await, Ok(json!({ "ok": true })));
    assert_eq!(
        server.requests(),
        ["GET /users/a%2Fb%3Fc%23d%26e%3Df%252e/x?fixed=1&q=x%26y%3Dz%20%C3%BC&note=n%3An&tag=1&tag=2\
          &extra=%7B%22a%22%3A1%7D HTTP/1.1\r\nx-team: red\r\n\r\n"]
    );
}

#[tokio::test]
async fn post_sends_the_arguments_that_stand_nowhere_else() {
    let server = Server::json("[1]").await;
    let tool = json!({ "method": "POST", "url": server.url("/orders/{{id}}") });
    let arguments = json!({ "id": 7, "item": "tea", "count": 2, "none": null });
    assert_eq!(call(tool, arguments).await, Ok(json!([1])));
    assert_eq!(
        server.requests(),
        [
            "POST /orders/7 HTTP/1.1\r\ncontent-type: application/json\r\ncontent-length: 24\r\n\r\n{\"count\":2,\"item\":\"tea\"}"
        ]
    );
}

#[tokio::test]
async fn request_of_a_node_sends_no_body_unless_one_is_set() {
    let server = Server::json("[1]").await;
    for body in [Value::Null, json!({})] {
        let mut spec = ToolSpec::new("http_request", "", json!({}), "http");
        spec.binding =
            json!({ "method": "POST", "url": server.url("/x"), "fullResponse": true, "body": body });
        tools(&[]).call(ToolInvocation::new(spec, json!({}))).await.expect("sent");
    }
    let requests = server.requests();
    assert!(requests[0].ends_with("\r\n\r\n") && !requests[0].contains("content-type"), "{requests:?}");
    assert!(requests[1].ends_with("content-length: 2\r\n\r\n{}"), "{requests:?}");
}

#[tokio::test]
async fn body_template_keeps_types_and_cannot_be_broken_out_of() {
    let server = Server::json("null").await;
    let tool = json!({
        "method": "PUT",
        "url": server.url("/"),
        "body": { "name": "Dear {{name}}", "age": "{{age}}", "gone": "{{gone}}", "list": ["{{gone}}", "{{age}}"], "{{k}}": 1 },
    });
    let arguments = json!({ "name": "\", \"admin\": true, \"x\": \"{{age}}", "age": 3 });
    assert_eq!(call(tool, arguments).await, Ok(json!(null)));
    let body = server.requests()[0].split_once("\r\n\r\n").map(|(_, body)| body.to_owned()).expect("body");
    assert_eq!(
        serde_json::from_str::<Value>(&body).expect("JSON"),
        json!({ "name": "Dear \", \"admin\": true, \"x\": \"{{age}}", "age": 3, "list": [3], "{{k}}": 1 })
    );
}

#[tokio::test]
async fn arguments_stay_in_their_place() {
    let server = Server::json("{}").await;
    let path = json!({ "url": server.url("/users/{{id}}/files") });
    for id in ["..", ".", "", "%2e%2e"] {
        let outcome = call(path.clone(), json!({ "id": id })).await;
        // An escaped percent sign is data again.
        let expected = if id.starts_with('%') { None } else { Some("tool.bad_arguments".to_owned()) };
        assert_eq!(outcome.err().map(|fault| fault.code.to_string()), expected, "{id}");
    }
    let joined = json!({ "url": server.url("/users/.{{id}}") });
    assert_eq!(
        call(joined, json!({ "id": "." })).await.expect_err("dots").code.as_str(),
        "tool.bad_arguments"
    );
    let header = json!({ "url": server.url("/"), "headers": { "X": "{{x}}" } });
    let outcome = call(header, json!({ "x": "a\r\nHost: evil.test" })).await;
    assert_eq!(outcome.expect_err("line break").code.as_str(), "tool.bad_arguments");
    assert_eq!(server.requests(), ["GET /users/%252e%252e/files HTTP/1.1\r\n\r\n"]);
}

#[tokio::test]
async fn context_is_in_the_body_only_of_a_tool_that_opts_in() {
    let server = Server::json("{}").await;
    let plain = json!({ "method": "POST", "url": server.url("/") });
    let opted_in = json!({ "method": "POST", "url": server.url("/"), "context": "body" });
    // A model can't pass another context.
    let arguments = json!({ "q": 1, "__context": { "workflowSummary": "false" } });
    call(plain, arguments.clone()).await.expect("called");
    call(opted_in, arguments).await.expect("called");
    let head = |length: usize| {
        format!("POST / HTTP/1.1\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n")
    };
    let body = "{\"__context\":{\"recentTurns\":[\"Ada: hi\",\"Bot: hello\"],\"round\":2,\
                \"workflowSummary\":\"They talk about größe.\"},\"q\":1}";
    assert_eq!(server.requests(), [format!("{}{{\"q\":1}}", head(7)), format!("{}{body}", head(body.len()))]);
}

#[tokio::test]
async fn context_is_in_a_header_only_of_a_tool_that_opts_in_and_never_in_a_query() {
    let server = Server::json("{}").await;
    call(json!({ "url": server.url("/") }), json!({ "q": "x" })).await.expect("called");
    call(json!({ "url": server.url("/"), "context": "header" }), json!({ "q": "x" })).await.expect("called");
    let header = "x-plait-context: {\"recentTurns\":[\"Ada: hi\",\"Bot: hello\"],\"round\":2,\
                  \"workflowSummary\":\"They talk about gr\\u00f6\\u00dfe.\"}";
    assert_eq!(
        server.requests(),
        ["GET /?q=x HTTP/1.1\r\n\r\n".to_owned(), format!("GET /?q=x HTTP/1.1\r\n{header}\r\n\r\n")]
    );
    let body = json!({ "url": server.url("/"), "context": "body" });
    assert_eq!(call(body, json!({})).await.expect_err("no body").code.as_str(), "tools.bad_declaration");
    let long = ToolContext { recent_turns: vec!["x".repeat(4_000), "y".repeat(4_000)], ..conversation() };
    let tool = json!({ "url": server.url("/"), "context": "header" });
    call_with(&tools(&[]), tool, json!({}), long).await.expect("called");
    let last = server.requests().pop().expect("request");
    assert!(!last.contains("xxx") && last.contains("yyy"), "the oldest turn is left out");
}

#[tokio::test]
async fn secrets_are_sent_only_to_their_own_origin() {
    let server = Server::json("{}").await;
    let tool = json!({ "url": server.url("/"), "headers": { "Authorization": "Bearer ${API}" } });
    let origin = server.url("");
    let outcome = call_with(&tools(&[("API", &origin)]), tool.clone(), json!({}), conversation()).await;
    assert_eq!(outcome, Ok(json!({})));
    assert_eq!(server.requests(), ["GET / HTTP/1.1\r\nauthorization: Bearer sk-0123456789abcdef\r\n\r\n"]);
    for secrets in
        [&[][..], &[("API", "http://127.0.0.1:1")], &[("API", "https://api.test")], &[("OTHER", &origin)]]
    {
        let fault =
            call_with(&tools(secrets), tool.clone(), json!({}), conversation()).await.expect_err("refused");
        assert_eq!(fault.code.as_str(), "tool.no_secret", "{secrets:?}");
    }
    // A model that names a secret gets nothing but its own text back.
    let echo = json!({ "url": server.url("/"), "headers": { "X-Note": "{{note}}" } });
    let outcome =
        call_with(&tools(&[("API", &origin)]), echo, json!({ "note": "${API}" }), conversation()).await;
    assert_eq!(outcome, Ok(json!({})));
    assert_eq!(server.requests()[1..], ["GET / HTTP/1.1\r\nx-note: ${API}\r\n\r\n"]);
}

#[tokio::test]
async fn answers_become_values() {
    for (media_type, body, value) in [
        ("application/json; charset=utf-8", "{\"a\": 1}", json!({ "a": 1 })),
        ("application/problem+json", "3", json!(3)),
        ("text/plain", "[1]", json!([1])),
        ("text/plain", "12", json!("12")),
        ("text/html", "<p>hi</p>", json!("<p>hi</p>")),
        ("application/json", "{broken", json!("{broken")),
        ("application/json", "", json!(null)),
    ] {
        let server = Server::start(answer(200, media_type, body)).await;
        assert_eq!(
            call(json!({ "url": server.url("/") }), json!({})).await,
            Ok(value),
            "{media_type} {body}"
        );
    }
    let server = Server::start(answer(200, "image/png", "x")).await;
    assert_eq!(
        call(json!({ "url": server.url("/") }), json!({})).await.expect_err("image").code.as_str(),
        "tool.not_text"
    );
    let large = "x".repeat((4 << 20) + 1);
    let server = Server::start(answer(200, "text/plain", &large)).await;
    assert_eq!(
        call(json!({ "url": server.url("/") }), json!({})).await.expect_err("large").code.as_str(),
        "tool.too_large"
    );
}

#[tokio::test]
async fn error_statuses_are_faults_and_say_whether_a_retry_may_help() {
    for (status, retryable) in
        [(400, false), (401, false), (404, false), (429, true), (500, true), (503, true)]
    {
        let response = answer(status, "text/plain", "why")
            .replace("\r\ncontent-type", "\r\nretry-after: 3\r\ncontent-type");
        let server = Server::start(response).await;
        let fault = call(json!({ "url": server.url("/a?key=1") }), json!({})).await.expect_err("failed");
        assert_eq!((fault.code.as_str(), fault.retryable), ("tool.http_status", retryable), "{status}");
        assert_eq!(fault.retry_after_ms, retryable.then_some(3_000));
        assert_eq!(fault.details, json!({ "status": status, "body": "why" }));
        assert!(!fault.message.contains("key"), "{fault}");
    }
}

#[tokio::test]
async fn full_responses_have_status_and_headers() {
    let server = Server::start(answer(404, "text/plain", "none")).await;
    let mut spec = ToolSpec::new("http_request", "", json!({}), "http");
    spec.binding = json!({ "url": server.url("/"), "fullResponse": true, "acceptAnyStatus": true });
    let value = tools(&[]).call(ToolInvocation::new(spec, json!({}))).await.expect("answered");
    assert_eq!((&value["status"], &value["body"]), (&json!(404), &json!("none")));
    assert_eq!(value["headers"]["content-type"], "text/plain");
}

#[tokio::test]
async fn addresses_that_are_not_allowed_are_refused() {
    let environment = ToolEnvironment::new(FileAccess::default(), KeyStore::in_memory());
    let server = Server::json("{}").await;
    let tool = json!({ "url": server.url("/") });
    let outcome = call_with(&HttpTools::new(&environment), tool, json!({}), conversation()).await;
    assert_eq!(outcome.expect_err("refused").code.as_str(), "tool.address_refused");
    assert_eq!(server.requests(), [""; 0]);
}

#[tokio::test]
async fn binding_that_is_none_is_a_fault() {
    for binding in [
        json!(null),
        json!({ "url": 3 }),
        json!({ "url": "ftp://a.test" }),
        json!({ "url": "http://a.test", "x": 1 }),
    ] {
        let mut spec = ToolSpec::new("t", "", json!({}), "http");
        spec.binding = binding.clone();
        let fault = tools(&[]).call(ToolInvocation::new(spec, json!({}))).await.expect_err("refused");
        assert_eq!(fault.code.as_str(), "tools.bad_declaration", "{binding}");
    }
}
