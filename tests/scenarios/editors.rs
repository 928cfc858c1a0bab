//! `plait dap`, driven by the stock client of the Debug Adapter Protocol: thirty sessions and more, with a model server that counts.

use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::support::binary::{Home, with_store_lock};
use crate::support::folder::{FlowFolder, flow_json};
use crate::support::server::{ModelServer, ServerReply, last_message_text};

fn main_context() -> Value {
    json!({ "type": "contextStart", "config": { "provider": "openai", "model": "gpt-4o-mini" } })
}

fn text(template: &str) -> Value {
    json!({ "type": "text", "config": { "template": template } })
}

fn chain() -> Value {
    flow_json(
        "chain",
        json!({
            "who": { "type": "value", "config": { "value": "you" } },
            "greet": text("hello {{who}}"),
            "shout": text("{{value}}!"),
            "out": { "type": "output" },
        }),
        &["who.value -> greet.who", "greet.text -> shout.value", "shout.text -> out.value"],
    )
}

fn parts() -> Value {
    let config = json!({ "file": "chain.flow.json", "inputSource": "mapping" });
    flow_json(
        "parts",
        json!({ "part": { "type": "subflow", "config": config }, "out": { "type": "output" } }),
        &["part.text -> out.value"],
    )
}

fn items() -> Value {
    let mut each = text("{{value}}");
    each["parent"] = "loop".into();
    flow_json(
        "items",
        json!({
            "list": { "type": "value", "config": { "value": ["a", "b", "c"] } },
            "loop": { "type": "loop", "config": { "kind": "forEach" } },
            "each": each,
            "out": { "type": "output" },
        }),
        &[
            "list.value -> loop.items",
            "loop.item -> each.value",
            "each.text -> loop.next",
            "loop.results -> out.value",
        ],
    )
}

fn members() -> Value {
    flow_json(
        "members",
        json!({
            "data": { "type": "value", "config": { "value": { "list": [1, 2, 3], "name": "x" } } },
            "show": { "type": "json", "config": { "query": "." } },
            "out": { "type": "output" },
        }),
        &["data.value -> show.value", "show.result -> out.value"],
    )
}

fn chat() -> Value {
    flow_json(
        "chat",
        json!({
            "start": main_context(),
            "question": { "type": "value", "config": { "value": "What is one?" } },
            "ask": { "type": "chat", "config": { "maxTokens": 1000 } },
            "out": { "type": "output" },
        }),
        &["start.context -> ask.context", "question.value -> ask.message", "ask.response -> out.value"],
    )
}

fn twice() -> Value {
    flow_json(
        "twice",
        json!({
            "start": main_context(),
            "one": { "type": "value", "config": { "value": "One" } },
            "two": { "type": "value", "config": { "value": "Two" } },
            "first": { "type": "chat" },
            "second": { "type": "chat" },
            "out": { "type": "output" },
        }),
        &[
            "start.context -> first.context",
            "one.value -> first.message",
            "first.context -> second.context",
            "two.value -> second.message",
            "second.response -> out.value",
        ],
    )
}

fn failing() -> Value {
    flow_json(
        "failing",
        json!({
            "given": { "type": "value", "config": { "value": "text" } },
            "parse": { "type": "json", "config": { "query": ".score.high" } },
            "out": { "type": "output" },
        }),
        &["given.value -> parse.value", "parse.result -> out.value"],
    )
}

fn asking() -> Value {
    flow_json(
        "asking",
        json!({
            "start": main_context(),
            "person": { "type": "userInput", "config": { "prompt": "What do you want to know?" } },
            "chat": { "type": "chat" },
            "out": { "type": "output" },
        }),
        &["start.context -> chat.context", "person.message -> chat.message", "chat.response -> out.value"],
    )
}

fn branches() -> Value {
    flow_json(
        "branches",
        json!({
            "word": { "type": "value", "config": { "value": "w" } },
            "left": text("l{{value}}"),
            "right": text("r{{value}}"),
            "out": { "type": "output" },
            "other": { "type": "output" },
        }),
        &[
            "word.value -> left.value",
            "word.value -> right.value",
            "left.text -> out.value",
            "right.text -> other.value",
        ],
    )
}

const STEPS: &str = "\
name: steps
version: \"0.1\"
agents:
  writer: { provider: openai, model: gpt-4o-mini }
steps:
  - kind: loop
    name: again
    loop:
      kind: times
      times: 2
      body:
        - kind: step
          name: draft
          agent: writer
          prompt: Write
";

struct Editor {
    home: Home,
    folder: FlowFolder,
    server: ModelServer,
}

impl Editor {
    async fn new() -> Self {
        let folder = FlowFolder::with_files(&[]);
        for (name, flow) in [
            ("chain", chain()),
            ("parts", parts()),
            ("items", items()),
            ("members", members()),
            ("chat", chat()),
            ("twice", twice()),
            ("failing", failing()),
            ("asking", asking()),
            ("branches", branches()),
        ] {
            let lines = serde_json::to_string_pretty(&flow).unwrap();
            std::fs::write(folder.path().join(format!("{name}.flow.json")), lines).unwrap();
        }
        std::fs::write(folder.path().join("steps.yaml"), STEPS).unwrap();
        std::fs::write(folder.path().join("broken.flow.json"), "{ \"version\": 1, \"nodes\": 5 }").unwrap();
        let server = ModelServer::start(|request, _| {
            ServerReply::Text(format!("You said: {}", last_message_text(request)))
        })
        .await;
        let home = Home::default();
        home.set_provider_url(&server.url).await;
        Self { home, folder, server }
    }

    /// Holds these sessions, one after the other. What each wants checked.
    #[track_caller]
    fn hold(&self, sessions: &[&str]) -> Vec<Value> {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/dap/sessions.mjs");
        let with_home = self.home.command(&[]);
        let mut command = Command::new("node");
        let folder = self.folder.path().canonicalize().unwrap();
        command.arg(script).arg(env!("CARGO_BIN_EXE_plait")).arg(folder).args(sessions).env_clear();
        command.envs(with_home.get_envs().filter_map(|(name, value)| Some((name, value?))));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let output = with_store_lock(|| command.spawn().unwrap()).wait_with_output().unwrap();
        let (out, err) =
            (String::from_utf8(output.stdout).unwrap(), String::from_utf8_lossy(&output.stderr).into_owned());
        assert!(output.status.success(), "{out}\n{err}");
        let held: Vec<Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let names: Vec<&str> = held.iter().map(|held| held["session"].as_str().unwrap()).collect();
        assert_eq!(names, sessions);
        held
    }

    fn sent(&self) -> Vec<String> {
        self.server.calls().iter().map(last_message_text).collect()
    }

    fn events(&self, held: &Value, kind: &str) -> Vec<Value> {
        let shown = self.home.plait(&["runs", "show", held["run"].as_str().unwrap(), "--json"]);
        let entries = shown.events();
        entries.into_iter().filter(|entry| entry["type"] == kind).collect()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn editor_breaks_at_lines() {
    let editor = Editor::new().await;
    editor.hold(&[
        "break_at_a_line_of_a_node",
        "stock_client_hits_a_breakpoint",
        "break_outside_of_nodes_is_not_verified",
        "condition_chooses_an_item",
        "condition_that_can_not_be_read_is_not_verified",
        "hit_count_passes_over_the_first_items",
        "log_point_notes_and_does_not_stop",
        "breakpoint_in_a_file_of_a_sub_flow",
        "filter_for_failures_stops_after_the_node",
        "filter_with_a_condition_passes_over_other_failures",
    ]);
    assert!(editor.sent().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn editor_changes_what_is_held() {
    let editor = Editor::new().await;
    let held = editor.hold(&[
        "edit_of_an_input_reaches_the_model",
        "edit_of_an_output_is_delivered",
        "edit_of_one_member_keeps_the_others",
        "edit_of_the_history_reaches_the_model",
        "restart_of_a_frame_runs_the_node_again",
    ]);
    let calls = editor.server.calls();
    let sent = editor.sent();
    assert_eq!(
        sent,
        ["What is two?", "One", "Two", "What is one?", "What is one?"],
        "and each is bought once"
    );
    let replies: Vec<&Value> = calls[2]["messages"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|message| message["role"] == "assistant")
        .collect();
    assert_eq!(replies[0]["content"], "I never said that.");
    let changed = editor.events(&held[0], "value.overridden");
    assert_eq!(
        (changed.len(), &changed[0]["value"], &changed[0]["was"]),
        (1, &json!("What is two?"), &json!("What is one?"))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn editor_steps_forth_and_back() {
    let editor = Editor::new().await;
    let held = editor.hold(&[
        "step_back_shows_the_past_and_changes_nothing",
        "reverse_continue_goes_to_stops_and_to_the_beginning",
        "next_goes_from_node_to_node",
        "step_into_a_sub_flow_and_out",
        "ended_run_is_looked_at",
        "branches_are_threads",
        "branches_stand_still_at_once_and_go_on_one_by_one",
        "somebody_else_lets_one_of_two_branches_go_on",
    ]);
    // The past is looked at: nothing ran twice, and the journal has the one stop.
    assert_eq!(editor.events(&held[0], "node.started").len(), 4);
    assert_eq!(editor.events(&held[0], "debug.stopped").len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn run_goes_on_after_the_adapter_was_killed() {
    let editor = Editor::new().await;
    let held = editor.hold(&["continue_after_a_kill"]);
    assert_eq!(editor.sent(), ["One", "After the kill"], "what was bought before is not bought again");
    assert_eq!(editor.events(&held[0], "run.finished").len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn editor_looks_and_answers() {
    let editor = Editor::new().await;
    editor.hold(&[
        "data_breakpoints_on_values_and_contexts",
        "function_breakpoint_before_a_call",
        "expressions_are_evaluated_where_the_run_stands",
        "question_is_answered_in_the_console",
        "questions_are_answered_by_settings_and_request",
        "pause_stops_a_run_that_waits",
    ]);
    assert_eq!(editor.sent(), ["One", "Two", "What is one?", "Why?", "First", "Third"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn sessions_begin_and_end_as_the_protocol_says() {
    let editor = Editor::new().await;
    let held = editor.hold(&[
        "steps_of_a_pipeline_are_lines",
        "two_editors_look_at_one_run",
        "run_without_debugging_stops_nowhere",
        "limit_of_the_bill_holds",
        "example_flow_has_a_text",
        "disconnect_can_leave_the_run",
        "wrong_requests_are_refused_and_the_session_goes_on",
        "editor_connects_to_a_port",
    ]);
    assert_eq!(editor.sent(), ["Write", "Write"], "the bill's limit held before the call");
    assert_eq!(editor.events(&held[4], "run.cancelled").len(), 1, "a launched run ends with its session");
    let left = editor.events(&held[5], "debug.breakpoints");
    assert_eq!(left.last().unwrap()["breakpoints"], json!([]), "the editor takes its breakpoints along");
    assert!(editor.events(&held[5], "run.cancelled").is_empty());
}
