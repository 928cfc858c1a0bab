//! What MCP servers ask during a call, through whole runs: questions to the person, and replies of a model. With the scripted
//! server of `tests/mcp`, and with `@modelcontextprotocol/server-everything` in the terminal.

use std::path::{Path, PathBuf};

use plait_core::flow;
use plait_journal::{CallEvent, Event, NodeEvent};
use plait_llm::context::Role;
use plait_llm::tool::ToolPauseKind;
use serde_json::{Value, json};

use crate::mcp_servers::{app, caller, flow};
use crate::support::app::PauseResponse;
use crate::support::binary::{CliOutput, Home};
use crate::support::journal::Journal;
use crate::support::provider::{RecordingProvider, SentRequest, text};

/// The kinds of the questions of a run, in order.
fn questions(journal: &Journal) -> Vec<ToolPauseKind> {
    let kinds = journal.events().filter_map(|event| match event {
        Event::Node(_, NodeEvent::Paused { tool, .. }) => Some(tool.as_ref()?.kind),
        _ => None,
    });
    kinds.collect()
}

fn accept() -> PauseResponse {
    PauseResponse::Value(json!({ "accept": true }))
}

#[tokio::test]
async fn server_gets_the_reply_of_the_chats_model_and_the_run_counts_it() {
    let folder = tempfile::tempdir().unwrap();
    // The model calls the tool, replies to the server, and then answers with the tool's result.
    let provider = caller("act", vec![json!({ "do": "sample" })]);
    let app = app(&provider, "good", &folder.path().join("state")).await;
    let journal = app.run(&flow(&json!({ "server": "scripted" })), [accept()]).await;
    let sent = provider.sent();
    assert_eq!(sent.len(), 3);
    let expected = SentRequest {
        model: "echo".into(),
        system: Some("Be brief.".into()),
        messages: vec![(Role::User, "Say hello.".into())],
        tools: Vec::new(),
    };
    assert_eq!(sent[1], expected);
    // The recording provider repeats its input.
    let received: Value = serde_json::from_str(sent[2].last_text()).unwrap();
    assert_eq!((&received["model"], &received["role"]), (&json!("echo"), &json!("assistant")));
    assert_eq!(received["content"]["text"], json!("Say hello."));
    assert_eq!(questions(&journal), [ToolPauseKind::Sampling]);
    let view = journal.view();
    assert_eq!(view.totals.model_calls, 3);
    let sampling: Vec<_> = journal
        .events()
        .filter_map(|event| match event {
            Event::Call(_, CallEvent::ModelReplied { sampling, account, .. }) => {
                Some((sampling.as_ref()?.call_id.clone(), account.is_some()))
            }
            _ => None,
        })
        .collect();
    assert_eq!(sampling, [("c0".to_owned(), true)], "it has its price");
    app.close().await;
}

#[tokio::test]
async fn limit_of_model_calls_holds_for_replies_to_tools() {
    let folder = tempfile::tempdir().unwrap();
    let provider = caller("act", vec![json!({ "do": "sample" })]);
    let app = app(&provider, "good", &folder.path().join("state")).await;
    let mut flow = serde_json::to_value(flow(&json!({ "server": "scripted" }))).unwrap();
    flow["settings"] = json!({ "limits": { "maxModelCalls": 1 } });
    let flow = flow::read(&flow.to_string()).unwrap();
    let journal = app.run(&flow, [accept()]).await;
    assert_eq!(journal.fault("chat"), "run.too_many_model_calls");
    assert_eq!(provider.sent().len(), 1);
    app.close().await;
}

/// Two calls of one reply that both ask: each gets its own answer, one after the other.
#[tokio::test]
async fn calls_of_a_reply_do_not_mix_up_their_questions() {
    let folder = tempfile::tempdir().unwrap();
    let provider = RecordingProvider::with_rule(|sent, before| {
        let call = |id: &str, what: &str| plait_llm::context::ToolCall {
            id: id.to_owned(),
            name: "act".to_owned(),
            arguments: json!({ "do": what }),
        };
        let calls = match before {
            0 => vec![call("ask", "ask"), call("sample", "sample")],
            _ if sent.last_text() == "Say hello." => return Ok(text("Hello.")),
            _ => return Ok(text("Done.")),
        };
        Ok(plait_llm::provider::ModelReply { tool_calls: calls, ..text("") })
    });
    let app = app(&provider, "good", &folder.path().join("state")).await;
    let ada = PauseResponse::Value(json!({ "accept": true, "content": { "name": "Ada" } }));
    let journal = app.run(&flow(&json!({ "server": "scripted" })), [ada, accept()]).await;
    let results: Vec<(String, Option<String>)> = journal
        .events()
        .filter_map(|event| match event {
            Event::Call(_, CallEvent::ToolFinished { call_id, result, error, .. }) => {
                let text = result.as_ref().map(|result| result.as_str().unwrap().to_owned());
                Some((call_id.clone(), text.or_else(|| error.as_ref().map(|error| error.code.to_string()))))
            }
            _ => None,
        })
        .collect();
    // The order of the two is a matter of timing; neither may get the other's value.
    for (call, result) in results {
        let result = result.unwrap();
        let own = if call == "ask" { "Ada" } else { "Hello." };
        assert!(result.contains(own), "{call}: {result}");
    }
    app.close().await;
}

/// The entry script of the reference server, installed by `cargo xtask test`.
fn everything() -> PathBuf {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests/mcp/node_modules/@modelcontextprotocol/server-everything/dist/index.js");
    assert!(path.exists(), "`{}` is missing: run `npm ci --ignore-scripts` in tests/mcp", path.display());
    path
}

/// A data directory with the reference server, and a flow that calls a tool of it.
fn home_with_everything(tool: &str, config: &Value) -> (Home, String) {
    let home = Home::default();
    let entry = json!({ "mcpServers": { "every": { "command": "node", "args": [everything(), "stdio"] } } });
    let file = home.file("servers.json", &entry.to_string());
    let added = home.plait(&["mcp", "add", "--json", &file]);
    assert_eq!(added.code, 0, "{added:#?}");
    let mut call = config.clone();
    call["tool"] = json!(tool);
    let document = json!({
        "version": 1,
        "nodes": {
            "server": { "type": "mcpServer", "config": { "server": "every", "tools": [tool] } },
            "call": { "type": "callTool", "config": call },
        },
        "edges": {
            "1": { "source": "server", "sourceOutput": "tools", "target": "call", "targetInput": "tools" },
        },
    });
    let flow = home.file("ask.flow.json", &document.to_string());
    (home, flow)
}

fn run(home: &Home, flow: &str) -> CliOutput {
    home.plait(&["run", flow, "--allow", "command=every,tool=every/*", "--json"])
}

/// The value of `call.result` in the last event.
fn result(output: &CliOutput) -> String {
    assert_eq!((output.code, output.last_type().as_str()), (0, "run.finished"), "{output:#?}");
    let end = output.events().pop().unwrap();
    end["outputs"]["call"]["result"].as_str().unwrap_or_else(|| panic!("{end}")).to_owned()
}

#[test]
fn reference_server_samples_from_the_offline_provider() {
    let config = json!({
        "arguments": { "prompt": "Name a color.", "maxTokens": 50 }, "provider": "offline", "model": "echo",
    });
    let (home, flow) = home_with_everything("trigger-sampling-request", &config);
    let asked = run(&home, &flow);
    assert_eq!(asked.code, 3, "{asked:#?}");
    for part in [
        "**every** requests the reply of a model, for its tool `trigger-sampling-request`.",
        "Let `offline/echo` reply, with at most 50 tokens?",
        "You are a helpful test server.",
        "Name a color.",
    ] {
        assert!(asked.err.contains(part), "{part} is not in {}", asked.err);
    }
    let done = home.plait(&["resume", "last", "--answer", "yes", "--json"]);
    let result = result(&done);
    let said = "You said: Resource trigger-sampling-request context: Name a color.";
    assert!(result.contains(said) && result.contains("\"model\": \"echo\""), "{result}");
    let shown = home.plait(&["runs", "show", "last", "--json"]);
    let replies = shown.out.matches("\"model.replied\"").count();
    assert_eq!(replies, 1, "{}", shown.out);
}

#[test]
fn reference_server_is_refused_a_reply_if_the_person_declines() {
    let config = json!({ "arguments": { "prompt": "Hi" }, "provider": "offline", "model": "echo" });
    let (home, flow) = home_with_everything("trigger-sampling-request", &config);
    assert_eq!(run(&home, &flow).code, 3);
    let done = home.plait(&["resume", "last", "--answer", "no"]);
    assert_eq!(done.code, 1, "{done:#?}");
    assert!(done.err.contains("rejected the sampling request"), "{}", done.err);
    assert!(!home.plait(&["runs", "show", "last", "--json"]).out.contains("model.replied"));
}

#[test]
fn call_without_a_model_says_what_to_set() {
    let (home, flow) =
        home_with_everything("trigger-sampling-request", &json!({ "arguments": { "prompt": "Hi" } }));
    let failed = run(&home, &flow);
    assert_eq!(failed.code, 1, "{failed:#?}");
    assert!(failed.out.contains("tool.no_model") && failed.out.contains("Set the node's"), "{}", failed.out);
}

#[test]
fn reference_server_asks_and_gets_the_answer_of_the_terminal() {
    let (home, flow) = home_with_everything("trigger-elicitation-request", &json!({}));
    let asked = run(&home, &flow);
    assert_eq!(asked.code, 3, "{asked:#?}");
    assert!(
        asked.err.contains("**every** asks, for its tool `trigger-elicitation-request`"),
        "{}",
        asked.err
    );
    // An answer that does not match the schema leaves the question open.
    let wrong = home.plait(&["resume", "last", "--answer", "{\"name\": 5}"]);
    assert!(wrong.code == 3 && wrong.err.contains("takes `yes`, `no` or JSON"), "{wrong:#?}");
    let done = home.plait(&[
        "resume",
        "last",
        "--answer",
        "{\"name\": \"Ada Lovelace\", \"check\": true}",
        "--json",
    ]);
    let result = result(&done);
    assert!(result.contains("Ada Lovelace"), "{result}");

    assert_eq!(run(&home, &flow).code, 3);
    let declined = home.plait(&["resume", "last", "--answer", "no", "--json"]);
    let result = self::result(&declined);
    assert!(result.contains("declined"), "{result}");
}
