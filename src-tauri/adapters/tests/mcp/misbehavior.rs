//! Servers that send invalid messages, flood, hang, die or return too much: a coded fault, and the next call works.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use plait_adapters::tools::mcp::McpServerPhase;
use plait_core::attachment::{AttachmentStore, attachments_of};
use plait_llm::tool::ToolContext;
use plait_llm::tool::ToolHost as _;
use serde_json::{Value, json};

use crate::fixture::{Fixture, with_timeout};

/// Asserts that the server can be used, and was started again or not.
async fn assert_works(fixture: &Fixture) {
    assert_eq!(fixture.act("structured").await.unwrap(), json!({ "temperature": 21 }));
}

#[tokio::test]
async fn invalid_lines_between_messages_is_logged_and_skipped() {
    let fixture = Fixture::scripted("chatty").await;
    assert_eq!(fixture.act("noise").await.unwrap(), json!("after the noise"));
    let log = fixture.log("s").await;
    assert!(log.iter().any(|line| line == "Welcome to my server!"), "{log:?}");
    assert!(log.iter().any(|line| line == "this is no message"), "{log:?}");
    assert!(log.iter().any(|line| line == "started as chatty"), "{log:?}");
}

#[tokio::test]
async fn server_that_dies_in_a_call_is_started_again() {
    let fixture = Fixture::scripted("good").await;
    let fault = fixture.act("die").await.unwrap_err();
    assert_eq!(fault.code.as_str(), "mcp.ended");
    assert!(fault.message.contains("exit status: 3"), "{fault}");
    assert!(fault.hint.unwrap().contains("about to die"), "its last words are the hint");
    assert!(fault.retryable);
    assert_works(&fixture).await;
    let log = fixture.log("s").await;
    assert_eq!(log.iter().filter(|line| *line == "started as good").count(), 2, "{log:?}");
}

#[tokio::test]
async fn hanging_call_times_out_and_is_canceled_at_the_server() {
    let fixture = Fixture::scripted("good").await;
    let fault = fixture.invoke("hang", |call| with_timeout(call, 300)).await.unwrap_err();
    assert_eq!(fault.code.as_str(), "mcp.timeout");
    while !fixture.state_file().exists() {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert_works(&fixture).await;
    assert_eq!(fixture.log("s").await.iter().filter(|line| *line == "started as good").count(), 1);
}

#[tokio::test]
async fn dropped_call_is_canceled_at_the_server() {
    let fixture = Fixture::scripted("good").await;
    assert_works(&fixture).await;
    assert!(tokio::time::timeout(Duration::from_millis(300), fixture.act("hang")).await.is_err());
    while !fixture.state_file().exists() {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test]
async fn oversized_result_fails_the_call_and_not_the_server() {
    let fixture = Fixture::scripted("good").await;
    let fault = fixture.act("huge").await.unwrap_err();
    assert_eq!(fault.code.as_str(), "mcp.too_large", "50 MB: {fault}");
    let fault = fixture.act("large").await.unwrap_err();
    assert_eq!(fault.code.as_str(), "mcp.too_large", "6 MB: {fault}");
    assert_works(&fixture).await;
    assert_eq!(fixture.log("s").await.iter().filter(|line| *line == "started as good").count(), 1);
}

#[tokio::test]
async fn endless_output_fails_the_call_and_the_connection() {
    let fixture = Fixture::scripted("good").await;
    for what in ["endless", "lines"] {
        let fault = fixture.act(what).await.unwrap_err();
        let expected = if what == "endless" { "mcp.too_large" } else { "mcp.invalid_message" };
        assert_eq!(fault.code.as_str(), expected, "{fault}");
        // The first call may fail before the output is judged endless.
        while fixture.servers.list()[0].phase == McpServerPhase::Connected {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        assert_works(&fixture).await;
    }
}

#[tokio::test]
async fn flooded_log_stays_bounded() {
    let fixture = Fixture::scripted("good").await;
    assert_eq!(fixture.act("stderr").await.unwrap(), json!("after the flood"));
    let log = loop {
        let log = fixture.log("s").await;
        if log.iter().any(|line| line.starts_with("line 49999")) {
            break log;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    };
    assert_eq!(log.len(), 1_000);
}

#[tokio::test]
async fn server_that_ends_at_once_says_why() {
    let fixture = Fixture::scripted("exit").await;
    let fault = fixture.servers.list_server("s").await.unwrap_err();
    assert_eq!(fault.code.as_str(), "mcp.ended");
    assert!(fault.message.contains("exit status: 7"), "{fault}");
    let status = &fixture.servers.list()[0];
    assert_eq!(status.phase, McpServerPhase::Failed);
    assert_eq!(status.fault.as_ref().unwrap().code.as_str(), "mcp.ended");
}

#[tokio::test]
async fn missing_program_cannot_be_started() {
    let fixture = Fixture::new();
    fixture.add("s", json!({ "command": "no-such-program-of-plait" })).await;
    let fault = fixture.servers.list_server("s").await.unwrap_err();
    assert_eq!(fault.code.as_str(), "mcp.cannot_start");
    assert!(fault.message.contains("no-such-program-of-plait"), "{fault}");
}

#[tokio::test]
async fn unreachable_url_and_no_mcp_server_behind_it() {
    let fixture = Fixture::new();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    drop(listener);
    fixture.add("s", json!({ "url": url })).await;
    let fault = fixture.servers.list_server("s").await.unwrap_err();
    assert_eq!(fault.code.as_str(), "mcp.unreachable", "{fault}");
}

#[tokio::test]
async fn faults_of_tools_reach_the_model() {
    let fixture = Fixture::scripted("good").await;
    let fault = fixture.act("fail").await.unwrap_err();
    assert_eq!(fault.code.as_str(), "mcp.tool_failed");
    assert!(fault.message.ends_with("It is broken."), "{fault}");
    let fault = fixture.act("refuse").await.unwrap_err();
    assert_eq!(fault.code.as_str(), "mcp.refused");
    assert!(fault.message.contains("No such argument."), "{fault}");
}

#[tokio::test]
async fn invalid_schema_keeps_a_tool_from_being_offered() {
    let fixture = Fixture::scripted("bad-schema").await;
    let names: Vec<_> = fixture.tools("s").await.into_iter().map(|tool| tool.name).collect();
    assert_eq!(names, ["act"]);
    let details = fixture.servers.connect("s").await.unwrap();
    let broken = details.tools.iter().find(|tool| tool.name == "broken.tool").unwrap();
    assert!(broken.problem.as_ref().unwrap().contains("not a JSON Schema"), "{:?}", broken.problem);
}

#[tokio::test]
async fn tool_without_a_schema_is_shown_with_its_problem_and_the_others_work() {
    let fixture = Fixture::scripted("no-schema").await;
    let names: Vec<_> = fixture.tools("s").await.into_iter().map(|tool| tool.name).collect();
    assert_eq!(names, ["act", "look"]);
    assert_works(&fixture).await;
    let details = fixture.servers.connect("s").await.unwrap();
    let problem = |name: &str| {
        details.tools.iter().find(|tool| tool.name == name).and_then(|tool| tool.problem.clone()).unwrap()
    };
    assert!(problem("bare").contains("no `inputSchema`"), "{details:#?}");
    assert!(problem("odd").contains("cannot be read"), "{details:#?}");
    assert_eq!(details.status.changes, None, "they were accepted as they are");
}

#[tokio::test]
async fn too_many_tools_are_refused() {
    let fixture = Fixture::scripted("many").await;
    let fault = fixture.servers.list_server("s").await.unwrap_err();
    assert_eq!(fault.code.as_str(), "mcp.too_many_tools");
}

#[tokio::test]
async fn process_gets_its_own_variables_and_none_of_plaits_secrets() {
    let fixture = Fixture::new();
    let script = crate::fixture::test_servers().join("scripted-server.mjs");
    // `CARGO_MANIFEST_DIR` stands for a variable of this process that a server has no business with.
    let env = json!({ "MODE": "test", "FOLDER": "${CARGO_MANIFEST_DIR}/x", "OTHER": "${NOT_SET:-fallback}" });
    fixture.add("s", json!({ "command": "node", "args": [script], "env": env })).await;
    let received: Value = serde_json::from_str(fixture.act("env").await.unwrap().as_str().unwrap()).unwrap();
    assert_eq!(received["MODE"], json!("test"));
    assert_eq!(received["FOLDER"], json!(concat!(env!("CARGO_MANIFEST_DIR"), "/x")));
    assert_eq!(received["OTHER"], json!("fallback"));
    assert!(received["PATH"].is_string());
    let foreign: Vec<_> =
        received.as_object().unwrap().keys().filter(|name| name.starts_with("CARGO")).collect();
    assert!(foreign.is_empty(), "{foreign:?}");
}

#[tokio::test]
async fn missing_variable_fails_before_the_server_starts() {
    let fixture = Fixture::new();
    fixture.add("s", json!({ "command": "node", "args": ["${PLAIT_TEST_NOT_SET}"] })).await;
    let fault = fixture.servers.list_server("s").await.unwrap_err();
    assert_eq!(fault.code.as_str(), "mcp.no_variable");
    assert!(fault.message.contains("PLAIT_TEST_NOT_SET"), "{fault}");
}

#[tokio::test]
async fn results_keep_text_and_structure_and_describe_the_rest() {
    let fixture = Fixture::scripted("good").await;
    assert_eq!(fixture.act("structured").await.unwrap(), json!({ "temperature": 21 }));
    // No image by its bytes.
    let image = json!({ "type": "image", "mimeType": "image/png", "bytes": 4 });
    assert_eq!(fixture.act("image").await.unwrap(), json!(["Look:", image]));
    let picture = fixture.act("picture").await.unwrap();
    let found = attachments_of(&picture[1]).unwrap().remove(0);
    assert_eq!(
        (&picture[0], found.name.as_str(), found.media_type.as_str()),
        (&json!("Look:"), "act.png", "image/png")
    );
    let bytes = AttachmentStore::get(&fixture.store, &found.hash).await.unwrap();
    assert_eq!(&bytes[..], include_bytes!("../../../../tests/fixtures/pixel.png"));
}

#[tokio::test]
async fn progress_reaches_the_caller() {
    let fixture = Fixture::scripted("good").await;
    let seen = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&seen);
    let result = fixture.invoke("progress", |call| {
        call.progress =
            Arc::new(move |progress| sink.lock().push((progress.progress, progress.total, progress.message)));
    });
    assert_eq!(result.await.unwrap(), json!("done"));
    let last = loop {
        // Notifications are handled beside the result.
        if let Some(last) = seen.lock().last().cloned() {
            break last;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    };
    assert!(last.1 == Some(3.0) && last.2.unwrap().starts_with("step "));
}

#[tokio::test]
async fn context_is_sent_only_to_servers_that_opt_in() {
    let fixture = Fixture::scripted("good").await;
    let context = ToolContext { round: 2, recent_turns: vec!["A: Hi".into()], ..ToolContext::default() };
    let meta = async |sends: bool| {
        let mut tool = fixture.tool("s", "act").await;
        if sends {
            tool.binding["sendContext"] = json!(true);
        }
        let mut call = plait_llm::tool::ToolInvocation::new(tool, json!({ "do": "echo" }));
        call.context = Arc::new(context.clone());
        let result = fixture.servers.call(call).await.unwrap();
        serde_json::from_str::<Value>(result.as_str().unwrap()).unwrap()
    };
    let silent = meta(false).await;
    assert_eq!(silent["arguments"], json!({ "do": "echo" }));
    assert_eq!(silent["_meta"].as_object().unwrap().keys().collect::<Vec<_>>(), ["progressToken"]);
    let received = meta(true).await;
    assert_eq!(received["_meta"]["__context"], json!({ "recentTurns": ["A: Hi"], "round": 2 }));
    assert_eq!(received["arguments"], json!({ "do": "echo" }));
}

#[tokio::test]
async fn nothing_runs_before_it_is_needed_and_nothing_is_left_behind() {
    let fixture = Fixture::scripted("good").await;
    assert_eq!(fixture.servers.list()[0].phase, McpServerPhase::Idle);
    assert_eq!(fixture.servers.list()[0].pin, None);
    assert!(fixture.log("s").await.is_empty());
    let env: Value = serde_json::from_str(fixture.act("env").await.unwrap().as_str().unwrap()).unwrap();
    assert!(env.is_object());
    assert_eq!(fixture.servers.list()[0].phase, McpServerPhase::Connected);
    fixture.servers.close().await;
    assert_eq!(fixture.servers.list()[0].phase, McpServerPhase::Idle);
    let log = fixture.log("s").await;
    assert!(log.last().unwrap().starts_with("The process ended"), "{log:?}");
}
