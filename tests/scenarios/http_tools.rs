//! Native and HTTP tools in whole runs of the real binary: the requests to the model's server and to the tool's server.

use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::response::{IntoResponse as _, Response};
use parking_lot::Mutex;
use serde_json::{Value, json};

use crate::support::binary::{CliOutput, Home, with_store_lock};
use crate::support::folder::flow_json;
use crate::support::server::{ModelServer, ServerReply};

/// A data directory, and a folder for flows: none reads files of the data directory.
#[derive(Default)]
pub(super) struct Machine {
    pub(super) home: Home,
    flows: Flows,
}

pub(super) struct Flows(tempfile::TempDir);

impl Default for Flows {
    fn default() -> Self {
        Self(tempfile::tempdir().unwrap())
    }
}

impl Machine {
    pub(super) fn path(&self, name: &str) -> std::path::PathBuf {
        self.flows.0.path().join(name)
    }

    pub(super) fn write(&self, name: &str, text: &str) -> String {
        std::fs::write(self.path(name), text).unwrap();
        self.path(name).display().to_string()
    }

    pub(super) fn plait(&self, args: &[&str]) -> CliOutput {
        self.home.plait(args)
    }
}

/// A web server that records requests as "METHOD PATH body" with their headers.
pub(super) struct WebServer {
    pub(super) port: u16,
    requests: Arc<Mutex<Vec<(String, HeaderMap)>>>,
    work: tokio::task::JoinHandle<()>,
}

impl WebServer {
    pub(super) async fn start() -> Self {
        let requests: Arc<Mutex<Vec<(String, HeaderMap)>>> = Arc::default();
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let router = Router::new().fallback(answer).with_state(Arc::clone(&requests));
        let work = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { port, requests, work }
    }

    pub(super) fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    pub(super) fn lines(&self) -> Vec<String> {
        self.requests.lock().iter().map(|(line, _)| line.clone()).collect()
    }
}

impl Drop for WebServer {
    fn drop(&mut self) {
        self.work.abort();
    }
}

/// The requests that a server has received.
type Requests = Arc<Mutex<Vec<(String, HeaderMap)>>>;

async fn answer(
    State(requests): State<Requests>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let line = format!("{method} {uri} {}", String::from_utf8_lossy(&body)).trim_end().to_owned();
    let token =
        headers.get("authorization").and_then(|value| value.to_str().ok()).unwrap_or_default().to_owned();
    requests.lock().push((line, headers));
    match uri.path() {
        // Fails once.
        "/flaky" if requests.lock().iter().filter(|(line, _)| line.contains("/flaky")).count() == 1 => {
            StatusCode::SERVICE_UNAVAILABLE.into_response()
        }
        "/same-words" => "The same words.".into_response(),
        "/page" => {
            let html = "<html><head><title>T</title><script>bad()</script></head><body><h1>Tea</h1><p>Is <b>hot</b>.</p></body></html>";
            ([("content-type", "text/html; charset=utf-8")], html).into_response()
        }
        "/deep" => {
            let html = format!("{}x", "<div>".repeat(200_000));
            ([("content-type", "text/html")], html).into_response()
        }
        "/echo" => {
            ([("content-type", "application/json")], json!({ "seen": token }).to_string()).into_response()
        }
        // Never answers.
        "/never" => std::future::pending().await,
        "/away" => (StatusCode::FOUND, [("location", "http://localhost:9/elsewhere")], "").into_response(),
        "/inside" => (StatusCode::FOUND, [("location", "http://169.254.169.254/latest/meta-data/")], "")
            .into_response(),
        _ => ([("content-type", "application/json")], "{\"ok\":true}").into_response(),
    }
}

/// A flow in which a model may call the tools of the `tools` node.
fn agent(tools: &Value) -> String {
    let nodes = json!({
        "start": { "type": "contextStart", "config": { "provider": "openai", "model": "scripted" } },
        "ask": { "type": "manualInput", "config": { "text": "Go." } },
        "tools": { "type": "tools", "config": tools },
        "chat": { "type": "chat" },
    });
    let edges = ["start.context -> chat.context", "ask.value -> chat.message", "tools.tools -> chat.tools"];
    flow_json("Agent", nodes, &edges).to_string()
}

/// Runs a flow in which the model makes one call. Returns the bodies that the model's server received.
async fn run_agent(
    machine: &Machine,
    tools: Value,
    name: &str,
    arguments: Value,
    args: &[&str],
) -> Vec<Value> {
    let name = name.to_owned();
    let server = ModelServer::start(move |_, before| match before {
        0 => ServerReply::Tool { name: name.clone(), arguments: arguments.clone() },
        _ => ServerReply::Text("Done.".to_owned()),
    })
    .await;
    machine.home.set_provider_url(&server.url).await;
    let flow = machine.write("agent.flow.json", &agent(&tools));
    let run = machine.plait(&[&["run", &flow], args].concat());
    assert_eq!(run.code, 0, "{run:?}");
    server.calls()
}

fn tool_result(calls: &[Value]) -> String {
    let messages = calls[1]["messages"].as_array().unwrap();
    let result = messages.iter().find(|message| message["role"] == "tool").unwrap();
    result["content"].as_str().unwrap_or_default().to_owned()
}

fn with_variable(machine: &Machine, args: &[&str], name: &str, value: &str) -> CliOutput {
    let mut command = machine.home.command(args);
    command.env(name, value);
    with_store_lock(|| command.spawn().unwrap()).wait_with_output().unwrap().into()
}

#[tokio::test(flavor = "multi_thread")]
async fn model_calls_an_http_tool_and_receives_its_answer() {
    let (machine, web) = (Machine::default(), WebServer::start().await);
    let tools = json!({
        "tools": [],
        "http": [{
            "name": "find_user",
            "description": "Finds a user.",
            "url": web.url("/users/{{id}}"),
            "parameters": {
                "type": "object",
                "properties": { "id": { "type": "string" }, "full": { "type": "boolean" } },
                "required": ["id"],
            },
        }],
    });
    let allow = format!("host=127.0.0.1:{}", web.port);
    let arguments = json!({ "id": "a/../b", "full": true });
    let calls =
        run_agent(&machine, tools.clone(), "find_user", arguments.clone(), &["--allow", &allow]).await;
    assert_eq!(
        calls[0]["tools"],
        json!([{
            "type": "function",
            "function": {
                "name": "find_user",
                "description": "Finds a user.",
                "parameters": tools["http"][0]["parameters"],
            },
        }]),
        "no URL and no header reaches the model"
    );
    assert_eq!(web.lines(), ["GET /users/a%2F..%2Fb?full=true"]);
    assert_eq!(tool_result(&calls), "{\"ok\":true}");
    // Allowed with all other hosts, but not by its name: the server is not asked.
    let calls = run_agent(&machine, tools, "find_user", arguments, &["--allow", "host=*"]).await;
    assert!(tool_result(&calls).contains("tool.address_refused"), "{calls:#?}");
    assert_eq!(web.lines().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn model_calls_tools_of_an_openapi_document() {
    let (machine, web) = (Machine::default(), WebServer::start().await);
    let document = json!({
        "openapi": "3.1.0",
        "servers": [{ "url": web.url("/v1") }],
        "paths": {
            "/orders/{id}": {
                "put": {
                    "operationId": "saveOrder",
                    "parameters": [{ "name": "id", "in": "path", "schema": { "type": "integer" } }],
                    "requestBody": { "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Order" } } } },
                },
            },
        },
        "components": { "schemas": { "Order": { "type": "object", "properties": { "item": { "type": "string" } } } } },
    });
    let tools = json!({ "tools": [], "openapi": { "document": document } });
    let arguments = json!({ "id": 7, "body": { "item": "tea" } });
    let calls = run_agent(&machine, tools, "saveOrder", arguments, &["--allow", "host=127.0.0.1"]).await;
    assert_eq!(web.lines(), ["PUT /v1/orders/7 {\"item\":\"tea\"}"]);
    assert_eq!(tool_result(&calls), "{\"ok\":true}");
}

#[tokio::test(flavor = "multi_thread")]
async fn fetched_pages_reach_the_model_as_markdown() {
    let (machine, web) = (Machine::default(), WebServer::start().await);
    let fetch = async |path: &str| {
        let arguments = json!({ "url": web.url(path) });
        let tools = json!({ "tools": ["fetch_url"] });
        tool_result(
            &run_agent(&machine, tools, "fetch_url", arguments, &["--allow", "host=*,127.0.0.1"]).await,
        )
    };
    let page: Value = serde_json::from_str(&fetch("/page").await).unwrap();
    assert_eq!(page["text"], "# Tea\n\nIs **hot**.");
    // Nesting that a recursive parser does not survive ends its process, not the run.
    let deep = fetch("/deep").await;
    assert!(deep.contains("tool.too_large") || deep.contains("\"text\""), "{deep}");
    let redirected = fetch("/inside").await;
    assert!(
        redirected.contains("tool.address_refused") && redirected.contains("169.254.169.254"),
        "{redirected}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn programs_run_in_a_worker_and_are_stopped_there() {
    let machine = Machine::default();
    let run = async |code: &str, input: Value| {
        let arguments = json!({ "code": code, "input": input });
        tool_result(&run_agent(&machine, json!({ "tools": ["run_code"] }), "run_code", arguments, &[]).await)
    };
    assert_eq!(run("return input.map(x => x * 2)", json!([1, 2])).await, "{\"log\":[],\"result\":[2,4]}");
    let memory = run("const a = []; for (;;) a.push('x'.repeat(1000) + a.length)", json!(null)).await;
    assert!(memory.contains("tool.code_limit"), "{memory}");
    assert!(run("for (;;) {}", json!(null)).await.contains("tool.code_limit"));
}

#[tokio::test(flavor = "multi_thread")]
async fn files_are_written_only_where_the_flow_declares_it() {
    let machine = Machine::default();
    let write = async |settings: Value, path: &str| {
        let path = path.to_owned();
        let server = ModelServer::start(move |_, before| match before {
            0 => ServerReply::Tool {
                name: "write_file".to_owned(),
                arguments: json!({ "path": path, "text": "new" }),
            },
            _ => ServerReply::Text("Done.".to_owned()),
        })
        .await;
        machine.home.set_provider_url(&server.url).await;
        let mut flow: Value = serde_json::from_str(&agent(&json!({ "tools": ["write_file"] }))).unwrap();
        flow["settings"] = settings;
        let path = machine.write("agent.flow.json", &flow.to_string());
        let run = machine.plait(&["run", &path, "--allow", "tool=write_file,folder=out"]);
        assert_eq!(run.code, 0, "{run:?}");
        tool_result(&server.calls())
    };
    std::fs::create_dir_all(machine.path("out")).unwrap();
    let declared = json!({ "folders": [{ "path": "out", "write": true }] });
    assert!(write(json!({}), "out/a.md").await.contains("tool.read_only_folder"));
    assert_eq!(write(declared.clone(), "out/a.md").await, "{\"bytes\":3,\"path\":\"out/a.md\"}");
    assert_eq!(std::fs::read_to_string(machine.path("out/a.md")).unwrap(), "new");
    assert!(write(declared.clone(), "../a.md").await.contains("tool.outside_folder"));
    assert!(write(declared, "out/../agent.flow.json").await.contains("tool.outside_folder"));
}

/// A pipeline has any name that ends in `.yaml`, and `plait run` takes a flow of any name: what a text is decides.
#[tokio::test(flavor = "multi_thread")]
async fn no_tool_writes_what_a_person_runs() {
    let machine = Machine::default();
    let pipeline = "version: \"0.1\"\nname: Article\nagents:\n  writer:\n    provider: offline\n    model: echo\nsteps:\n  \
        - kind: step\n    name: draft\n    agent: writer\n    prompt: \"Write: {{input}}\"\n";
    assert_eq!(machine.plait(&["check", &machine.write("probe.yaml", pipeline)]).code, 0);
    let write = async |flow_name: &str, path: &str, text: &str| {
        let (path, text) = (path.to_owned(), text.to_owned());
        let server = ModelServer::start(move |_, before| match before {
            0 => ServerReply::Tool {
                name: "write_file".to_owned(),
                arguments: json!({ "path": path, "text": text }),
            },
            _ => ServerReply::Text("Done.".to_owned()),
        })
        .await;
        machine.home.set_provider_url(&server.url).await;
        let mut flow: Value = serde_json::from_str(&agent(&json!({ "tools": ["write_file"] }))).unwrap();
        flow["settings"] = json!({ "folders": [{ "path": ".", "write": true }] });
        let path = machine.write(flow_name, &flow.to_string());
        let run = machine.plait(&["run", &path, "--allow", "tool=write_file,folder=."]);
        assert_eq!(run.code, 0, "{run:?}");
        tool_result(&server.calls())
    };
    let refused = |said: String| assert!(said.contains("tool.protected_file"), "{said}");
    // The file of the running flow, also when its name says nothing.
    refused(write("agent", "agent", "Milk.").await);
    refused(write("agent.flow.json", "agent", "Milk.").await);
    // Other flows and pipelines, and what would be one.
    machine.write("article.yaml", pipeline);
    refused(write("agent.flow.json", "article.yaml", "Milk.").await);
    refused(write("agent.flow.json", "new.yaml", pipeline).await);
    refused(write("agent.flow.json", "new.txt", pipeline).await);
    refused(
        write(
            "agent.flow.json",
            "new",
            &flow_json("F", json!({ "v": { "type": "value" } }), &[]).to_string(),
        )
        .await,
    );
    // A file that has grants is one even while it is broken.
    let granted = machine.write("granted.yaml", pipeline);
    assert_eq!(machine.plait(&["grants", "allow", &granted, "host=a.com"]).code, 0);
    machine.write("granted.yaml", "steps: [");
    refused(write("agent.flow.json", "granted.yaml", "Milk.").await);
    assert_eq!(std::fs::read_to_string(&granted).unwrap(), "steps: [");
    let data = "name: Ada\nage: 7\n";
    assert!(write("agent.flow.json", "ada.yaml", data).await.contains("\"bytes\""));
    assert_eq!(std::fs::read_to_string(machine.path("ada.yaml")).unwrap(), data);
}

#[test]
fn folders_of_a_flow_are_checked() {
    let machine = Machine::default();
    let mut flow: Value = serde_json::from_str(&agent(&json!({}))).unwrap();
    flow["settings"] = json!({ "folders": [{ "path": "/etc" }, { "path": " " }, { "path": "ok" }] });
    let path = machine.write("bad.flow.json", &flow.to_string());
    let checked: Value = serde_json::from_str(&machine.plait(&["check", &path, "--json"]).out).unwrap();
    let places: Vec<_> =
        checked["diagnostics"].as_array().unwrap().iter().map(|found| &found["pointer"]).collect();
    assert_eq!(places, ["/settings/folders/0/path", "/settings/folders/1/path"]);
}

/// A flow of one `httpRequest` node.
pub(super) fn request_flow(config: &Value) -> String {
    flow_json("Request", json!({ "request": { "type": "httpRequest", "config": config } }), &[]).to_string()
}

pub(super) fn outputs(run: &CliOutput) -> Value {
    run.events().pop().unwrap()["outputs"].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn secrets_of_the_settings_are_sent_to_their_host_and_shown_nowhere() {
    let (machine, web) = (Machine::default(), WebServer::start().await);
    let plait =
        plait_api::Plait::open(plait_api::Options::new(machine.home.path(), plait_app::parts())).unwrap();
    let mut settings = plait_api::dispatch(&plait, "settings.get", json!({})).await.unwrap();
    settings["tools"] = json!({
        "allowedHosts": [format!("127.0.0.1:{}", web.port)],
        "secrets": { "API": { "origin": web.url(""), "variable": "SOME_VARIABLE" } },
    });
    plait_api::dispatch(&plait, "settings.set", json!({ "settings": settings.clone() })).await.unwrap();
    settings["tools"]["allowedHosts"] = json!(["http://localhost/x"]);
    let refused =
        plait_api::dispatch(&plait, "settings.set", json!({ "settings": settings })).await.unwrap_err();
    assert_eq!(refused.code.as_str(), "settings.tools");
    plait.close().await.unwrap();
    drop(plait);
    let flow =
        request_flow(&json!({ "url": web.url("/echo"), "headers": { "Authorization": "Bearer ${API}" } }));
    let flow = machine.write("agent.flow.json", &flow);
    let secret = "zxcvbnm-0123456789-asdf";
    let command = ["run", &flow, "--json", "--allow", "host=127.0.0.1"];
    let run = with_variable(&machine, &command, "SOME_VARIABLE", secret);
    assert_eq!(run.code, 0, "{run:?}");
    let sent = web.requests.lock()[0].1["authorization"].to_str().unwrap().to_owned();
    assert_eq!(sent, format!("Bearer {secret}"));
    assert!(!run.out.contains(secret) && !run.err.contains(secret), "the server's echo is redacted: {run:?}");
    assert!(run.out.contains("[key of API]"), "{run:?}");
    let missing = machine.plait(&command);
    assert!(missing.out.contains("tool.no_secret"), "{missing:?}");
    assert_eq!(web.lines().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn nodes_call_tools_without_a_model() {
    let (machine, web) = (Machine::default(), WebServer::start().await);
    let nodes = json!({
        "request": { "type": "httpRequest", "config": { "method": "POST", "url": web.url("/items/{{id}}"), "body": { "n": "{{id}}" } } },
        "id": { "type": "value", "config": { "value": 7 } },
        "code": { "type": "code", "config": { "code": "return input.ok ? 'yes' : 'no';" } },
        "file": { "type": "readFile", "config": { "path": "note.md" } },
        "tool": { "type": "callTool", "config": { "tool": "calculator", "arguments": { "expression": "6 * 7" } } },
    });
    let flow =
        flow_json("Nodes", nodes, &["id.value -> request.id", "request.body -> code.input"]).to_string();
    let path = machine.write("agent.flow.json", &flow);
    machine.write("note.md", "A note.");
    let run = machine.plait(&["run", &path, "--json", "--allow", "host=127.0.0.1,folder=."]);
    assert_eq!(run.code, 0, "{run:?}");
    assert_eq!(web.lines(), ["POST /items/7 {\"n\":7}"]);
    let outputs = outputs(&run);
    assert_eq!(outputs["code"]["result"], "yes");
    assert_eq!(outputs["file"]["text"], "A note.");
    assert_eq!(outputs["tool"]["result"], 42);
    let refused = machine.plait(&["run", &path, "--json", "--allow", "host=*,folder=."]);
    assert_eq!(refused.code, 1);
    assert!(refused.out.contains("tool.address_refused"), "{refused:?}");
    assert_eq!(web.lines().len(), 1);
}

#[test]
fn allow_refuses_what_is_no_rule() {
    let machine = Machine::default();
    let flow = machine.write("x.flow.json", &request_flow(&json!({ "url": "https://a.test/" })));
    for allow in ["host=", "localhost", "tool=a*", "host=http://a", "color=red"] {
        let run = machine.plait(&["run", &flow, "--allow", allow]);
        assert_eq!(run.code, 2, "{allow}: {run:?}");
        assert!(run.err.contains("grant.invalid"), "{allow}: {run:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn auto_offers_no_tool_that_writes() {
    let machine = Machine::default();
    let calls = run_agent(
        &machine,
        json!({}),
        "calculator",
        json!({ "expression": "1" }),
        &["--allow", "host=*,folder=."],
    )
    .await;
    let names: Vec<_> =
        calls[0]["tools"].as_array().unwrap().iter().map(|tool| &tool["function"]["name"]).collect();
    let expected =
        ["calculator", "current_time", "fetch_url", "identify_user", "read_file", "run_code", "search_files"];
    assert_eq!(names, expected);
}
