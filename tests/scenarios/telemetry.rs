//! The export to OpenTelemetry: the spans of a run with tools and a sub-flow, while it runs and afterwards.

use plait_api::runs::ShowRun;
use plait_api::{Options, Plait, dispatch};
use plait_core::id::RunId;
use plait_journal::view::RunStatus;
use plait_journal::{Event, RunEvent};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::app::all_grants;
use crate::support::binary::Home;
use crate::support::collector::{Collector, ReceivedSpan};
use crate::support::folder::{FlowFolder, flow_json};
use crate::support::server::{ModelServer, ServerReply};

const SECRET: &str = "a private question";

/// A flow that calls a tool, and a sub-flow that calls a model.
fn flows() -> FlowFolder {
    let parent = flow_json(
        "Support",
        json!({
            "start": { "type": "contextStart", "config": { "provider": "openai", "model": "gpt-4.1-mini" } },
            "ask": { "type": "manualInput", "config": { "text": SECRET } },
            "tools": { "type": "tools", "config": { "tools": ["calculator"] } },
            "answer": { "type": "chat", "config": { "temperature": 0.5 } },
            "sub": { "type": "subflow", "config": { "file": "child.flow.json" } },
        }),
        &[
            "start.context -> answer.context",
            "ask.value -> answer.message",
            "tools.tools -> answer.tools",
            "answer.context -> sub.context",
        ],
    );
    let child = flow_json(
        "Translate",
        json!({
            "start": { "type": "contextStart", "config": { "provider": "openai", "model": "gpt-4.1-nano" } },
            "text": { "type": "manualInput" },
            "chat": { "type": "chat" },
            "out": { "type": "output" },
        }),
        &["start.context -> text.context", "text.context -> chat.context", "chat.response -> out.value"],
    );
    FlowFolder::with_files(&[("parent.flow.json", &parent), ("child.flow.json", &child)])
}

async fn model_server() -> ModelServer {
    ModelServer::start(|request, _| {
        let messages = request["messages"].as_array().map_or(0, Vec::len);
        let has_tools = request["tools"].is_array();
        if has_tools && messages == 1 {
            ServerReply::Tool { name: "calculator".into(), arguments: json!({ "expression": "2 + 2" }) }
        } else {
            ServerReply::Text("It is four.".into())
        }
    })
    .await
}

/// The application, set up for this server, with these telemetry settings.
async fn open(home: &TempDir, server: &ModelServer, telemetry: Value) -> Plait {
    let mut options = Options::new(home.path(), plait_app::parts());
    options.keys = Some(plait_api::keys::KeyStore::in_memory());
    let app = Plait::open(options).unwrap();
    let mut settings = dispatch(&app, "settings.get", json!({})).await.unwrap();
    settings["providers"]["openai"] = json!({ "kind": "openAi", "baseUrl": server.url });
    settings["telemetry"] = telemetry;
    dispatch(&app, "settings.set", json!({ "settings": settings })).await.unwrap();
    app
}

/// Runs the flow to its end.
async fn run(app: &Plait, folder: &FlowFolder) -> RunId {
    let path = folder.file("parent.flow.json");
    let flow: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    let request = json!({ "flow": flow, "path": path, "grants": all_grants() });
    let started = dispatch(app, "run.start", request).await.unwrap();
    let run = RunId::from(started["run"].as_str().unwrap());
    let mut watch = app.runs().watch(&run, 0).await.unwrap();
    let mut last = None;
    while let Some(entry) = watch.next().await {
        last = Some(entry.unwrap().event);
    }
    assert!(matches!(last, Some(Event::Run(RunEvent::Finished { .. }))), "{last:#?}");
    run
}

fn named<'s>(spans: &'s [ReceivedSpan], name: &str) -> Vec<&'s ReceivedSpan> {
    spans.iter().filter(|span| span.name == name).collect()
}

fn one<'s>(spans: &'s [ReceivedSpan], name: &str) -> &'s ReceivedSpan {
    match named(spans, name)[..] {
        [span] => span,
        ref found => panic!("{} spans `{name}` in {spans:#?}", found.len()),
    }
}

/// Asserts that these are the spans of the run, named and nested by the conventions.
fn assert_spans_of_run(spans: &[ReceivedSpan]) {
    let names: Vec<&str> = spans.iter().map(|span| span.name.as_str()).collect();
    let expected = [
        "answer",
        "ask",
        "chat",
        "chat gpt-4.1-mini",
        "chat gpt-4.1-mini",
        "chat gpt-4.1-nano",
        "execute_tool calculator",
        "invoke_workflow Support",
        "invoke_workflow Translate",
        "out",
        "start",
        "start",
        "sub",
        "text",
        "tools",
    ];
    assert_eq!(names, expected);
    assert!(spans.iter().all(|span| span.trace == spans[0].trace), "one trace");
    let root = one(spans, "invoke_workflow Support");
    let (answer, sub) = (one(spans, "answer"), one(spans, "sub"));
    assert_eq!((&root.parent, &answer.parent), (&None, &Some(root.id.clone())));
    let child = one(spans, "invoke_workflow Translate");
    assert_eq!(child.parent.as_ref(), Some(&sub.id), "a child run hangs under the node that started it");
    assert_eq!(one(spans, "chat").parent.as_ref(), Some(&child.id));
    for span in named(spans, "chat gpt-4.1-mini") {
        assert_eq!(span.parent.as_ref(), Some(&answer.id));
        let attributes = &span.attributes;
        assert_eq!(attributes["gen_ai.operation.name"], "chat");
        assert_eq!(attributes["gen_ai.provider.name"], "openai");
        assert_eq!(attributes["gen_ai.request.model"], "gpt-4.1-mini");
        assert_eq!(attributes["gen_ai.request.temperature"], 0.5);
        assert_eq!(attributes["gen_ai.usage.input_tokens"], "7");
        assert_eq!(attributes["gen_ai.usage.output_tokens"], "3");
        assert_eq!(span.raw["kind"], 3);
    }
    let mut reasons: Vec<String> = named(spans, "chat gpt-4.1-mini")
        .iter()
        .map(|span| span.attributes["gen_ai.response.finish_reasons"]["values"][0]["stringValue"].to_string())
        .collect();
    reasons.sort();
    assert_eq!(reasons, ["\"stop\"", "\"tool_call\""]);
    let tool = one(spans, "execute_tool calculator");
    assert_eq!(tool.parent.as_ref(), Some(&answer.id));
    assert_eq!(tool.attributes["gen_ai.operation.name"], "execute_tool");
    assert_eq!(tool.attributes["gen_ai.tool.name"], "calculator");
    assert_eq!(tool.attributes["gen_ai.tool.call.id"], "call_0");
    assert_eq!(root.attributes["gen_ai.operation.name"], "invoke_workflow");
    assert_eq!(root.attributes["gen_ai.workflow.name"], "Support");
}

#[tokio::test]
async fn collector_receives_tools_and_sub_flow_with_stable_ids() {
    let (server, collector, home, folder) =
        (model_server().await, Collector::start().await, TempDir::new().unwrap(), flows());
    let app = open(&home, &server, json!({})).await;
    let run = run(&app, &folder).await;
    assert!(collector.spans().is_empty(), "nothing is sent unless it is wanted");

    let export = |content: bool| json!({ "run": run, "endpoint": collector.url, "content": content });
    let exported = dispatch(&app, "lens.export", export(false)).await.unwrap();
    let first = collector.spans();
    assert_eq!(exported, json!({ "spans": first.len(), "rejected": 0 }));
    assert_spans_of_run(&first);
    let text = serde_json::to_string(&first.iter().map(|span| &span.raw).collect::<Vec<_>>()).unwrap();
    assert!(!text.contains(SECRET) && !text.contains("2 + 2"), "no contents: {text}");

    collector.clear();
    dispatch(&app, "lens.export", export(true)).await.unwrap();
    let second = collector.spans();
    let ids = |spans: &[ReceivedSpan]| spans.iter().map(|span| span.id.clone()).collect::<Vec<_>>();
    assert_eq!(ids(&first), ids(&second), "exporting again gives the same ids");
    let inputs: Vec<&Value> = named(&second, "chat gpt-4.1-mini")
        .into_iter()
        .map(|span| &span.attributes["gen_ai.input.messages"])
        .collect();
    assert!(inputs.iter().all(|input| input.as_str().unwrap().contains(SECRET)), "{inputs:#?}");
    let tool = one(&second, "execute_tool calculator");
    assert!(tool.attributes["gen_ai.tool.call.arguments"].as_str().unwrap().contains("2 + 2"));

    // Of a child run alone: the same spans, in the same trace.
    let child = one(&first, "invoke_workflow Translate").attributes["plait.run.id"].clone();
    collector.clear();
    dispatch(&app, "lens.export", json!({ "run": child, "endpoint": collector.url })).await.unwrap();
    let alone = collector.spans();
    assert_eq!(alone.len(), 6, "{alone:#?}");
    assert!(alone.iter().all(|span| span.trace == first[0].trace && ids(&first).contains(&span.id)));
    app.close().await.unwrap();
}

#[tokio::test]
async fn spans_are_sent_while_runs_run() {
    let (server, collector, home, folder) =
        (model_server().await, Collector::start().await, TempDir::new().unwrap(), flows());
    let app = open(&home, &server, json!({ "endpoint": collector.url })).await;
    let run = run(&app, &folder).await;
    // Closing waits until what ended is sent.
    app.close().await.unwrap();
    let live = collector.spans();
    assert_spans_of_run(&live);
    drop(app);

    collector.clear();
    let app = open(&home, &server, json!({})).await;
    dispatch(&app, "lens.export", json!({ "run": run, "endpoint": collector.url })).await.unwrap();
    assert_eq!(collector.spans(), live, "an export afterwards gives the same spans");
    app.close().await.unwrap();
}

#[tokio::test]
async fn unreachable_collector_does_not_affect_a_run() {
    // A free port without a listener.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let (server, home, folder) = (model_server().await, TempDir::new().unwrap(), flows());
    let app = open(&home, &server, json!({ "endpoint": endpoint })).await;
    let run = run(&app, &folder).await;
    let shown = app.call(ShowRun { run: run.clone() }).await.unwrap();
    assert_eq!(shown.summary.status, RunStatus::Finished);
    let error = dispatch(&app, "lens.export", json!({ "run": run })).await.unwrap_err();
    assert_eq!(error.code.to_string(), "telemetry.export_failed");
    app.close().await.unwrap();
}

#[tokio::test]
async fn bad_endpoints_are_refused_with_a_code() {
    let (server, home) = (model_server().await, TempDir::new().unwrap());
    let app = open(&home, &server, json!({})).await;
    let mut settings = dispatch(&app, "settings.get", json!({})).await.unwrap();
    for (telemetry, code) in [
        (json!({ "endpoint": "collector:4318" }), "telemetry.bad_endpoint"),
        (json!({ "endpoint": "http://me:secret@host" }), "telemetry.bad_endpoint"),
        (json!({ "headersVariable": "api-key=123" }), "settings.telemetry"),
    ] {
        settings["telemetry"] = telemetry;
        let error = dispatch(&app, "settings.set", json!({ "settings": settings })).await.unwrap_err();
        assert_eq!(error.code.to_string(), code);
    }
    app.close().await.unwrap();
}

#[test]
fn command_writes_spans_to_a_file_or_says_what_is_missing() {
    let home = Home::default();
    assert_eq!(home.plait(&["run", "hello"]).code, 0);
    let file = home.path().join("spans.json");
    let output = home.plait(&["export", "otlp", "last", "--file", &file.display().to_string()]);
    assert_eq!(output.code, 0, "{output:#?}");
    let written: Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    let scope = &written["resourceSpans"][0]["scopeSpans"][0];
    assert_eq!(scope["schemaUrl"], "https://opentelemetry.io/schemas/1.41.0");
    let spans = scope["spans"].as_array().unwrap();
    assert!(output.err.contains(&format!("{} spans exported", spans.len())), "{output:#?}");
    assert!(
        spans.iter().any(|span| span["name"] == "chat echo" || span["name"] == "chat script"),
        "{spans:#?}"
    );
    let output = home.plait(&["export", "otlp", "last"]);
    assert!(output.code == 1 && output.err.contains("telemetry.no_endpoint"), "{output:#?}");
}
