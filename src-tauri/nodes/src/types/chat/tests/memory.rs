//! Chats that read the workflow's memory and add to it.

#![allow(clippy::needless_pass_by_value, reason = "values are written in place")]

use plait_core::origin::Origins;
use std::sync::Arc;

use serde_json::{Value, json};

use super::{main, pairs, sent_messages};
use crate::codes;
use crate::testing::{NodeHarness, NodeRun};
use plait_core::error::Fault;
use plait_core::id::Epoch;
use plait_llm::memory::{MemorySummary, MemoryTurn, WorkflowMemory};
use plait_run::node::Datum;
use plait_testing::ScriptedReply;

fn turn(label: Option<&str>, text: &str, message: Option<&str>) -> MemoryTurn {
    MemoryTurn {
        origins: Origins::NONE,
        label: label.map(str::to_owned),
        text: text.to_owned(),
        node: None,
        message: message.map(Into::into),
        tokens: 3,
    }
}

fn memory(summary: Option<&str>, turns: &[MemoryTurn]) -> WorkflowMemory {
    let summary = summary
        .map(|text| Arc::new(MemorySummary { origins: Origins::NONE, text: text.to_owned(), tokens: 5 }));
    WorkflowMemory { summary, turns: turns.iter().cloned().map(Arc::new).collect() }
}

fn send(harness: &mut NodeHarness, memory: Value, text: &str) -> NodeRun {
    let config = json!({ "memory": memory });
    harness.run("chat", config, &[("context", main()), ("message", json!(text))])
}

fn read_write() -> Value {
    json!({ "mode": "readWrite" })
}

#[test]
fn memory_is_off_unless_node_or_flow_asks_for_it() {
    let mut harness = NodeHarness::new();
    harness.memory = memory(Some("A summary."), &[turn(None, "Earlier.", None)]);
    let run = send(&mut harness, json!({}), "Now.");
    assert_eq!(sent_messages(&harness, 0), pairs(&[("user", "Now.")]));
    assert_eq!(run.memory, None);
}

#[test]
fn reader_sees_summary_and_turns_and_adds_nothing() {
    let mut harness = NodeHarness::new();
    harness.epoch = Epoch::from(&[4_u32][..]);
    harness.memory = memory(Some("They met."), &[turn(Some("Ada"), "Hello.", None), turn(None, "Hm.", None)]);
    let run = send(&mut harness, json!({ "mode": "read" }), "Now.");
    let block = "Memory of this workflow, in iteration 5:\nSummary of what was said before: They met.\nAda: Hello.\n\
                 Partner just said: Hm.\n\nPartner just said: Now.";
    assert_eq!(sent_messages(&harness, 0), pairs(&[("user", block)]));
    assert_eq!(run.memory, None);
    // Blocks and labels are only sent.
    assert_eq!(harness.history("main"), pairs(&[("user", "Now."), ("assistant", block)]));
}

#[test]
fn recent_turns_of_the_node_limit_what_it_sees() {
    let mut harness = NodeHarness::new();
    harness.memory = memory(None, &[turn(Some("Ada"), "One.", None), turn(Some("Bob"), "Two.", None)]);
    send(&mut harness, json!({ "mode": "read", "recentTurns": 1 }), "Now.");
    let block = "Memory of this workflow:\nBob: Two.\n\nPartner just said: Now.";
    assert_eq!(sent_messages(&harness, 0), pairs(&[("user", block)]));
}

#[test]
fn partner_that_the_memory_has_is_sent_once_and_not_added_again() {
    let mut harness = NodeHarness::new();
    harness.memory = memory(None, &[turn(Some("Ada"), "Hello.", Some("other/1"))]);
    harness.provider.push_replies([ScriptedReply::text("Hi.")]);
    let partner = Datum { message: Some("other/1".into()), ..Datum::from(json!("Hello.")) };
    let inputs = vec![("context", Datum::from(main())), ("message", partner)];
    let run = harness.run_data("chat", json!({ "memory": read_write() }), inputs);
    assert_eq!(sent_messages(&harness, 0), pairs(&[("user", "Ada: Hello.")]));
    let texts: Vec<_> = run.memory.unwrap().turns.iter().map(|turn| turn.text.clone()).collect();
    assert_eq!(texts, ["Hi."]);
    // The next call has it in its history, and so not in the block.
    harness.epoch = Epoch::from(&[1_u32][..]);
    send(&mut harness, json!({ "mode": "read" }), "And now?");
    let sent = sent_messages(&harness, 1);
    assert_eq!(
        sent,
        pairs(&[("user", "Hello."), ("assistant", "Hi."), ("user", "Partner just said: And now?")])
    );
}

#[test]
fn partner_without_a_message_id_is_recognized_by_its_text() {
    let mut harness = NodeHarness::new();
    harness.memory = memory(None, &[turn(Some("Ada"), "Hello.", Some("other/1"))]);
    let run = send(&mut harness, read_write(), "Hello.");
    assert_eq!(sent_messages(&harness, 0), pairs(&[("user", "Ada: Hello.")]));
    assert_eq!(run.memory.unwrap().turns.len(), 1);
}

#[test]
fn prompt_of_the_node_has_no_label_and_the_partner_in_it_is_not_repeated() {
    let mut harness = NodeHarness::new();
    harness.memory = memory(None, &[turn(Some("Ada"), "Hello.", Some("other/1"))]);
    let partner = Datum { message: Some("other/1".into()), ..Datum::from(json!("Hello.")) };
    let inputs = vec![("context", Datum::from(main())), ("message", partner)];
    let config = json!({ "memory": read_write(), "prompt": "Translate: {{message}}" });
    harness.run_data("chat", config, inputs).result.unwrap();
    assert_eq!(sent_messages(&harness, 0), pairs(&[("user", "Translate: Hello.")]));
}

#[test]
fn prompt_that_does_not_contain_the_message_leaves_it_in_the_memory() {
    let mut harness = NodeHarness::new();
    harness.memory = memory(None, &[turn(Some("Ada"), "Hello.", Some("other/1"))]);
    let config = json!({ "memory": { "mode": "read" }, "prompt": "What was said?" });
    harness.run("chat", config, &[("context", main())]).result.unwrap();
    let block = "Memory of this workflow:\nAda: Hello.\n\nWhat was said?";
    assert_eq!(sent_messages(&harness, 0), pairs(&[("user", block)]));
}

#[test]
fn failed_call_adds_nothing() {
    let mut harness = NodeHarness::new();
    let fault = Fault::new(codes::PROVIDER_UNKNOWN, "No.");
    harness.provider.push_replies([ScriptedReply::Failure { partial: String::new(), fault }]);
    let run = send(&mut harness, read_write(), "Hello.");
    assert!(run.result.is_err());
    assert_eq!(run.memory, None);
}

#[test]
fn summarizer_of_the_node_comes_before_that_of_the_flow() {
    for (node, flow, wanted) in
        [(json!({ "model": "small" }), "middle", "small"), (json!({}), "middle", "middle")]
    {
        let mut harness = NodeHarness::new();
        harness.memory_settings.recent_turns = Some(1);
        harness.memory_settings.summarizer.model = Some(flow.to_owned());
        send(&mut harness, json!({ "mode": "readWrite", "summarizer": node }), "Hello.").result.unwrap();
        assert_eq!(harness.provider.requests()[1].model, wanted);
    }
}

fn offered(harness: &mut NodeHarness, name: &str) -> Value {
    harness.run("tools", json!({ "tools": [name] }), &[]).output("tools").unwrap().clone()
}

#[test]
fn tool_returns_the_memory_and_adds_a_turn() {
    for name in ["get_workflow_context", "read_external_context"] {
        let mut harness = NodeHarness::new();
        harness.epoch = Epoch::from(&[2_u32][..]);
        harness.memory = memory(Some("They met."), &[turn(Some("Ada"), "Hello.", None)]);
        let tools = offered(&mut harness, name);
        harness.provider.push_replies([
            ScriptedReply::calls(&[
                (name, json!({})),
                (name, json!({ "append": { "text": "Note this.", "label": "Scribe" } })),
            ]),
            ScriptedReply::text("Done."),
        ]);
        let config = json!({ "memory": read_write(), "blocks": { "order": ["partner"] } });
        let inputs = [("context", main()), ("message", json!("Go.")), ("tools", json!([tools]))];
        let run = harness.run("chat", config, &inputs);
        assert_eq!(run.output("response"), Some(&json!("Done.")));
        let sent = sent_messages(&harness, 1);
        let answer = |text: &str| serde_json::from_str::<Value>(text).unwrap();
        assert_eq!(
            answer(&sent[2].1),
            json!({ "summary": "They met.", "recentTurns": ["Ada: Hello."], "round": 2 })
        );
        assert_eq!(answer(&sent[3].1)["recentTurns"], json!(["Ada: Hello.", "Scribe: Note this."]));
        let change = run.memory.unwrap();
        let texts: Vec<_> = change.turns.iter().map(|turn| turn.text.as_str()).collect();
        assert_eq!(texts, ["Note this.", "Go.", "Done."]);
        assert_eq!(change.turns[0].label.as_deref(), Some("Scribe"));
    }
}

#[test]
fn tool_of_a_reader_refuses_to_add() {
    let mut harness = NodeHarness::new();
    let tools = offered(&mut harness, "get_workflow_context");
    let append = json!({ "append": { "text": "Note this." } });
    harness.provider.push_replies([
        ScriptedReply::calls(&[("get_workflow_context", append)]),
        ScriptedReply::text("Done."),
    ]);
    let inputs = [("context", main()), ("message", json!("Go.")), ("tools", json!([tools]))];
    let run = harness.run("chat", json!({ "memory": { "mode": "read" } }), &inputs);
    assert!(sent_messages(&harness, 1)[2].1.contains("memory.read_only"));
    assert_eq!(run.memory, None);
}

#[test]
fn tool_is_refused_to_a_node_without_memory() {
    let mut harness = NodeHarness::new();
    let tools = offered(&mut harness, "get_workflow_context");
    let inputs = [("context", main()), ("message", json!("Go.")), ("tools", json!([tools]))];
    let run = harness.run("chat", json!({}), &inputs);
    assert_eq!(run.code(), "memory.off");
    assert!(harness.provider.requests().is_empty());
}

#[test]
fn turn_that_a_tool_added_is_added_again_after_a_crash() {
    let mut harness = NodeHarness::new();
    let tools = offered(&mut harness, "get_workflow_context");
    let append = json!({ "append": { "text": "Note this." } });
    harness.provider.push_replies([
        ScriptedReply::calls(&[("get_workflow_context", append)]),
        ScriptedReply::text("Done."),
    ]);
    let config = json!({ "memory": read_write() });
    let inputs = [("context", main()), ("message", json!("Go.")), ("tools", json!([tools]))];
    let first = harness.run("chat", config.clone(), &inputs);
    let mut again = NodeHarness::new();
    again.recorded = first.events.clone();
    let second = again.run("chat", config, &inputs);
    assert_eq!(second.memory, first.memory);
    assert_eq!(second.memory.unwrap().turns.len(), 3);
    assert!(again.provider.requests().is_empty());
}

#[test]
fn host_tool_knows_the_memory_of_its_caller_and_nothing_without_one() {
    let known = |mode: &str| {
        let mut harness = NodeHarness::new();
        harness.epoch = Epoch::from(&[3_u32][..]);
        harness.memory = memory(Some("They met."), &[turn(Some("Ada"), "Hello.", None)]);
        let tools = offered(&mut harness, "calculator");
        harness.provider.push_replies([
            ScriptedReply::calls(&[("calculator", json!({ "expression": "1 + 1" }))]),
            ScriptedReply::text("Two."),
        ]);
        let inputs = [("context", main()), ("message", json!("Go.")), ("tools", json!([tools]))];
        harness.run("chat", json!({ "memory": { "mode": mode } }), &inputs).result.unwrap();
        let calls = harness.tools.calls();
        serde_json::to_value(&*calls[0].context).unwrap()
    };
    assert_eq!(
        known("read"),
        json!({ "workflowSummary": "They met.", "recentTurns": ["Ada: Hello."], "round": 3 })
    );
    assert_eq!(known("off"), json!({ "recentTurns": [], "round": 3 }));
}
