//! The lens: it shows the exact requests to the model server; and `plait lens`.

use plait_api::keys::KeyStore;
use plait_api::{Options, Plait, dispatch};
use plait_core::id::RunId;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::app::all_grants;
use crate::support::binary::Home;
use crate::support::folder::{FlowFolder, flow_json};
use crate::support::server::{ModelServer, ServerReply, last_message_text};

async fn open(home: &TempDir, server: &ModelServer) -> Plait {
    let mut options = Options::new(home.path(), plait_app::parts());
    options.keys = Some(KeyStore::in_memory());
    let app = Plait::open(options).unwrap();
    let mut settings = dispatch(&app, "settings.get", json!({})).await.unwrap();
    settings["providers"]["openai"] =
        json!({ "kind": "openAi", "baseUrl": server.url, "keyEnv": "PLAIT_TEST_NO_SUCH_KEY" });
    dispatch(&app, "settings.set", json!({ "settings": settings })).await.unwrap();
    dispatch(&app, "provider.setKey", json!({ "provider": "openai", "key": KEY, "keep": "session" }))
        .await
        .unwrap();
    app
}

const KEY: &str = "sk-test-0123456789abcdef0123456789";

async fn run(app: &Plait, flow: &Value) -> RunId {
    let request = json!({ "flow": flow, "grants": all_grants() });
    let started = dispatch(app, "run.start", request).await.unwrap();
    let run = RunId::from(started["run"].as_str().unwrap());
    let mut watch = app.runs().watch(&run, 0).await.unwrap();
    while let Some(entry) = watch.next().await {
        entry.unwrap();
    }
    run
}

/// Two chats in one conversation, the second with tools; then an extraction with a rejected first reply.
fn flow() -> Value {
    flow_json(
        "lens",
        json!({
            "start": { "type": "contextStart", "config": { "provider": "openai", "model": "m",
                "systemInstructions": "Be brief; it's \"quoted\"." } },
            "one": { "type": "manualInput", "config": { "text": "Who are you?" } },
            "first": { "type": "chat" },
            "two": { "type": "manualInput", "config": { "text": "What is two and two?" } },
            "tools": { "type": "tools", "config": { "tools": ["calculator"] } },
            "second": { "type": "chat", "config": { "temperature": 0.25, "maxTokens": 99,
                "options": { "top_p": 0.5 } } },
            "number": { "type": "extract", "config": { "schema": {
                "type": "object", "properties": { "number": { "type": "integer" } }, "required": ["number"] } } },
        }),
        &[
            "start.context -> first.context",
            "one.value -> first.message",
            "first.context -> second.context",
            "two.value -> second.message",
            "tools.tools -> second.tools",
            "second.context -> number.context",
        ],
    )
}

async fn model_server() -> ModelServer {
    ModelServer::start(|request, before| match before {
        1 => ServerReply::Tool { name: "calculator".into(), arguments: json!({ "expression": "2 + 2" }) },
        3 => ServerReply::Text("four".into()),
        4 => ServerReply::Text("{\"number\": 4}".into()),
        _ => ServerReply::Text(format!("re: {}", last_message_text(request))),
    })
    .await
}

fn body_of(curl: &str) -> Value {
    let (_, quoted) = curl.split_once("--data-raw '").unwrap();
    serde_json::from_str(&quoted.strip_suffix('\'').unwrap().replace("'\\''", "'")).unwrap()
}

#[tokio::test]
async fn every_request_is_rebuilt_as_it_was_sent() {
    let (server, home) = (model_server().await, TempDir::new().unwrap());
    let app = open(&home, &server).await;
    let run = run(&app, &flow()).await;
    let shown = dispatch(&app, "lens.show", json!({ "run": run })).await.unwrap();
    let calls = shown["calls"].as_array().unwrap();
    let received = server.calls();
    assert_eq!((calls.len(), received.len()), (5, 5), "{shown:#}");
    for (call, body) in calls.iter().zip(&received) {
        let place = json!({ "run": run, "node": call["node"], "epoch": call["epoch"], "call": call["call"] });
        let request = dispatch(&app, "lens.request", place).await.unwrap();
        let curl = request["curl"].as_str().unwrap();
        assert_eq!(body_of(curl), *body, "{call:#}");
        assert_eq!(request["exact"], true, "the reply key of {curl}");
        assert!(curl.starts_with(&format!("curl '{}/chat/completions'", server.url)), "{curl}");
        assert!(curl.contains("-H \"authorization: Bearer $PLAIT_TEST_NO_SUCH_KEY\""), "{curl}");
        assert!(!curl.contains(KEY), "{curl}");
        // The view for people has the same texts.
        let seen: Vec<&str> =
            call["messages"].as_array().unwrap().iter().map(|one| one["text"].as_str().unwrap()).collect();
        let sent: Vec<&str> = body["messages"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["content"].as_str().unwrap_or_default())
            .collect();
        assert_eq!(seen, sent);
    }
    // Another server: it can't be the same request.
    let mut settings = dispatch(&app, "settings.get", json!({})).await.unwrap();
    settings["providers"]["openai"]["baseUrl"] = json!("http://127.0.0.1:9/v1");
    dispatch(&app, "settings.set", json!({ "settings": settings })).await.unwrap();
    let request = dispatch(&app, "lens.request", json!({ "run": run, "node": "first" })).await.unwrap();
    assert_eq!(request["exact"], false);
    let missing = json!({ "run": run, "node": "first", "call": 7 });
    let error = dispatch(&app, "lens.request", missing).await.unwrap_err();
    assert_eq!(error.code.to_string(), "lens.no_call");
    app.close().await.unwrap();
}

#[tokio::test]
async fn search_covers_prompts_replies_and_child_runs() {
    let parent = flow_json(
        "parent",
        json!({
            "start": { "type": "contextStart" },
            "text": { "type": "manualInput", "config": { "text": "Parcel 7731" } },
            "ask": { "type": "chat" },
            "sub": { "type": "subflow", "config": { "file": "child.flow.json" } },
        }),
        &["start.context -> ask.context", "text.value -> ask.message", "ask.context -> sub.context"],
    );
    let child = flow_json(
        "child",
        json!({
            "start": { "type": "contextStart" },
            "text": { "type": "manualInput" },
            "chat": { "type": "chat" },
        }),
        &["start.context -> text.context", "text.context -> chat.context"],
    );
    let folder = FlowFolder::with_files(&[("parent.flow.json", &parent), ("child.flow.json", &child)]);
    let app = crate::support::app::App::offline();
    let run = folder.start(&app, "parent.flow.json", "").await;
    app.follow(&run, [""; 0]).await;
    let hits =
        dispatch(&app.plait, "lens.search", json!({ "run": run, "text": "PARCEL 7731" })).await.unwrap();
    let places: Vec<(bool, &str, bool)> = hits
        .as_array()
        .unwrap()
        .iter()
        .map(|hit| (hit["run"] == json!(run), hit["node"].as_str().unwrap(), hit["message"].is_null()))
        .collect();
    let expected = [(true, "ask", false), (true, "ask", true), (false, "chat", false), (false, "chat", true)];
    assert_eq!(places, expected, "{hits:#}");
    // The tree has the child under its node.
    let trace = dispatch(&app.plait, "lens.trace", json!({ "run": run })).await.unwrap();
    let sub =
        trace["children"].as_array().unwrap().iter().find(|span| span["name"] == "sub").unwrap().clone();
    assert_eq!((&sub["children"][0]["kind"], &sub["children"][0]["name"]), (&json!("run"), &json!("child")));
    app.close().await;
}

#[tokio::test]
async fn patterns_of_the_settings_are_redacted_before_anything_is_stored_or_sent() {
    let (server, home) = (model_server().await, TempDir::new().unwrap());
    let app = open(&home, &server).await;
    let mut settings = dispatch(&app, "settings.get", json!({})).await.unwrap();
    settings["redaction"] = json!({ "patterns": [{ "name": "customer", "regex": "C-\\d{6}" }] });
    dispatch(&app, "settings.set", json!({ "settings": settings })).await.unwrap();
    let flow = flow_json(
        "redacted",
        json!({
            "start": { "type": "contextStart", "config": { "provider": "openai", "model": "m" } },
            "text": { "type": "manualInput" },
            "chat": { "type": "chat" },
        }),
        &["start.context -> text.context", "text.context -> chat.context"],
    );
    let request = json!({ "flow": flow, "input": "I am C-123456", "grants": all_grants() });
    let started = dispatch(&app, "run.start", request).await.unwrap();
    let run = RunId::from(started["run"].as_str().unwrap());
    app.runs().settled(&run).await;
    assert_eq!(last_message_text(&server.calls()[0]), "I am [customer]");
    let shown = dispatch(&app, "runs.show", json!({ "run": run })).await.unwrap().to_string();
    assert!(shown.contains("[customer]") && !shown.contains("C-123456"), "{shown}");

    settings["redaction"] = json!({ "patterns": [{ "name": "open", "regex": "(" }] });
    let error = dispatch(&app, "settings.set", json!({ "settings": settings })).await.unwrap_err();
    assert_eq!(error.code.to_string(), "settings.redaction");
    app.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn show_says_how_a_schema_was_sent_unless_it_is_enforced() {
    let server = ModelServer::start(|_, _| ServerReply::Text("{\"number\": 3}".into())).await;
    let home = Home::default();
    home.set_provider_url(&server.url).await;
    let said = |schema: Value| {
        let nodes = json!({
            "start": { "type": "contextStart", "config": { "provider": "openai", "model": "m" } },
            "text": { "type": "manualInput", "config": { "text": "Three." } },
            "number": { "type": "extract", "config": { "schema": schema } },
        });
        let edges = ["start.context -> number.context", "text.value -> number.text"];
        let file = home.file("extract.flow.json", &flow_json("Extract", nodes, &edges).to_string());
        let ran = home.plait(&["run", &file]);
        assert_eq!(ran.code, 0, "{ran:#?}");
        let shown = home.plait(&["lens", "show", "last"]).out;
        shown.lines().find(|line| line.starts_with("Reply schema: ")).map(str::to_owned)
    };
    let number = json!({ "number": { "type": "integer" } });
    let closed = json!({ "type": "object", "properties": number, "required": ["number"], "additionalProperties": false });
    // An object with other properties is more than strict mode takes.
    let open = json!({ "type": "object", "properties": number });
    assert_eq!(said(closed), None);
    let hint = "Reply schema: sent as a format that the provider does not enforce";
    assert_eq!(said(open).as_deref(), Some(hint));
    let strict: Vec<_> =
        server.calls().iter().map(|call| call["response_format"]["json_schema"]["strict"] == true).collect();
    assert_eq!(strict, [true, false]);
}

#[test]
fn commands_show_lists_prompts_traces_and_matches() {
    let home = Home::default();
    let mut flow = flow();
    // The simulator has options of its own.
    flow["nodes"]["second"]["config"] = json!({});
    let text = flow.to_string().replace("\"openai\"", "\"offline\"").replace("\"m\"", "\"echo\"");
    let file = home.file("lens.flow.json", &text);
    let ran = home.plait(&["run", &file, "--allow", "tool=*"]);
    assert_ne!(ran.code, 2, "{ran:#?}");

    let list = home.plait(&["lens", "list", "--json"]);
    let runs: Value = serde_json::from_str(&list.out).unwrap();
    assert!(runs[0]["calls"].as_u64().unwrap() >= 2, "{runs:#}");
    assert!(home.plait(&["lens", "list"]).out.contains("lens"));

    let show = home.plait(&["lens", "show", "last"]);
    assert!(show.out.contains("Call 1 · first · offline/echo"), "{}", show.out);
    assert!(
        show.out.contains("── system (") && show.out.contains("Be brief; it's \"quoted\"."),
        "{}",
        show.out
    );
    assert!(show.out.contains("You said: Who are you?"), "{}", show.out);
    let second = home.plait(&["lens", "show", "last", "--node", "second", "--call", "1", "--json"]);
    let call = &second.events()[0];
    assert_eq!(
        (&call["number"], &call["node"], &call["tools"]),
        (&json!(1), &json!("second"), &json!(["calculator"]))
    );
    let texts: Vec<&str> = call["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|message| message["text"].as_str().unwrap())
        .collect();
    assert_eq!(texts[1..], ["Who are you?", "You said: Who are you?", "What is two and two?"]);

    let trace = home.plait(&["lens", "trace", "last"]);
    assert!(trace.out.contains("─ second") && trace.out.contains("─ model offline/echo"), "{}", trace.out);
    let tree: Value = serde_json::from_str(&home.plait(&["lens", "trace", "last", "--json"]).out).unwrap();
    assert_eq!((&tree["kind"], &tree["name"]), (&json!("run"), &json!("lens")));

    let search = home.plait(&["lens", "search", "last", "two AND two"]);
    assert!(search.out.contains("second call 1, user:"), "{search:#?}");
    let curl = home.plait(&["lens", "curl", "last"]);
    assert!(curl.code == 1 && curl.err.contains("lens.no_request"), "{curl:#?}");
    let missing = home.plait(&["lens", "show", "last", "--call", "99"]);
    assert!(missing.code == 1 && missing.err.contains("lens.no_call"), "{missing:#?}");
}
