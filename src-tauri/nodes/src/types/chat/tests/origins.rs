//! Where prompts, replies and tool results come from, and the calls that a person is asked about because of it.

use std::sync::Arc;

use serde_json::{Value, json};

use super::{main, prompt};
use crate::testing::{NodeHarness, NodeRun};
use plait_core::origin::{Origin, Origins};
use plait_journal::{Answer, Event, NodeEvent};
use plait_llm::context::ContextChange;
use plait_llm::memory::{MemoryTurn, WorkflowMemory};
use plait_llm::prompt_record::PromptPart;
use plait_llm::tool::{ToolPause, ToolPauseKind};
use plait_run::node::Datum;
use plait_testing::ScriptedReply;

const MODEL: &str = "model:offline/echo";
const PAGE: &str = "host:example.com";

fn tools() -> Value {
    let tool = |name: &str, effect: &str| {
        json!({
            "name": name, "description": "", "parameters": { "type": "object" }, "source": "native",
            "effect": effect,
        })
    };
    json!([[tool("read_file", "read"), tool("calculator", "send"), tool("run_code", "write")]])
}

/// Executes a chat with this message.
fn send(harness: &mut NodeHarness, origins: &[&str]) -> NodeRun {
    let origins = origins.iter().map(|text| text.parse().unwrap()).collect();
    let message = Datum { origins, ..Datum::from(json!("Do it.")) };
    harness.run_data(
        "chat",
        json!({}),
        vec![("context", main().into()), ("message", message), ("tools", tools().into())],
    )
}

fn harness(replies: impl IntoIterator<Item = ScriptedReply>) -> NodeHarness {
    let harness = NodeHarness::new();
    harness.provider.push_replies(replies);
    harness
}

fn calls(tool: &str) -> ScriptedReply {
    ScriptedReply::calls(&[(tool, json!({ "q": 1 }))])
}

fn texts(origins: &Origins) -> Vec<String> {
    origins.iter().map(ToString::to_string).collect()
}

/// The call that a person is asked about, and the places that are why.
fn asked(run: &NodeRun) -> Option<(String, Vec<String>)> {
    let ToolPause { name, untrusted, kind, .. } =
        run.result.as_ref().unwrap().pause.as_ref()?.tool.clone()?;
    assert_eq!(kind, ToolPauseKind::Approval);
    Some((name, texts(&untrusted)))
}

#[test]
fn prompt_and_reply_name_where_they_come_from() {
    let mut harness = harness([ScriptedReply::text("Done."), ScriptedReply::text("Again.")]);
    let first = send(&mut harness, &["person", PAGE]);
    let [ContextChange::Turn { messages, .. }] = [&first.changes[0].1] else { panic!("{:?}", first.changes) };
    assert_eq!(texts(&messages[0].origins), ["person", PAGE]);
    assert_eq!(texts(&messages[1].origins), ["person", MODEL, PAGE]);
    assert_eq!(texts(&first.origins), ["person", MODEL, PAGE]);

    // The second message is the person's alone, but the history is not.
    let second = send(&mut harness, &["person"]);
    let parts = &prompt(&second).parts;
    let [PromptPart::History { origins: history, .. }, PromptPart::Message { origins: message, .. }] =
        &parts[..]
    else {
        panic!("{parts:?}")
    };
    assert_eq!(texts(history), ["person", MODEL, PAGE]);
    assert_eq!(texts(message), ["person"]);
    assert_eq!(texts(&second.origins), ["person", MODEL, PAGE]);
}

#[test]
fn call_with_what_others_wrote_asks_if_it_sends_or_changes_something() {
    for (tool, origins, expected) in [
        ("run_code", &["person", PAGE][..], Some(PAGE)),
        ("calculator", &[PAGE], Some(PAGE)),
        ("read_file", &[PAGE], None),
        ("run_code", &["person", "conversation:c"], None),
        ("calculator", &[], None),
        ("run_code", &["mcp:files"], Some("mcp:files")),
        ("run_code", &["file:a.md"], Some("file:a.md")),
        ("run_code", &["knowledge:handbook"], Some("knowledge:handbook")),
    ] {
        let mut harness = harness([calls(tool), ScriptedReply::text("Done.")]);
        let run = send(&mut harness, origins);
        let expected = expected.map(|place| (tool.to_owned(), vec![place.to_owned()]));
        assert_eq!(asked(&run), expected, "{tool} {origins:?}");
        assert_eq!(harness.tools.calls().is_empty(), expected.is_some(), "{tool} {origins:?}");
    }
}

/// What a tool returned counts for the calls after it, and not for those beside it; also when the node starts again.
#[test]
fn result_of_a_tool_counts_from_the_next_reply_on() {
    let both = ScriptedReply::calls(&[("read_file", json!({})), ("run_code", json!({}))]);
    let mut harness = harness([both, calls("calculator"), ScriptedReply::text("Done.")]);
    let run = send(&mut harness, &["person"]);
    assert_eq!(asked(&run), Some(("calculator".to_owned(), vec!["file:notes.md".to_owned()])));
    assert_eq!(harness.tools.calls().len(), 2);

    let kept = run.events.iter().filter(|event| matches!(event, Event::Call(..))).cloned();
    harness.recorded = kept.collect();
    let again = send(&mut harness, &["person"]);
    assert_eq!(asked(&again), asked(&run));
    assert_eq!((harness.tools.calls().len(), harness.provider.requests().len()), (2, 2));

    let pause = run.result.as_ref().unwrap().pause.clone().unwrap();
    let activation = run.events[0].activation().unwrap().clone();
    for event in [
        NodeEvent::Paused { prompt: pause.prompt, schema: pause.schema, answered: false, tool: pause.tool },
        NodeEvent::Answered { answer: Answer::Value(Arc::new(json!({ "approved": true }))), reused: None },
    ] {
        harness.recorded.push(Event::Node(activation.clone(), event));
    }
    let done = send(&mut harness, &["person"]);
    assert_eq!(done.output("response"), Some(&json!("Done.")));
    assert_eq!(harness.tools.calls().len(), 3);
    assert_eq!(texts(&done.origins), ["person", MODEL, "file:notes.md"]);
    let [.., (_, ContextChange::Turn { messages, .. })] = &done.changes[..] else { panic!() };
    assert!(messages[1].origins.iter().any(|origin| *origin == Origin::File("notes.md".into())));
}

/// A tool that takes the context along sends the memory, also if the arguments are trusted.
#[test]
fn context_that_leaves_with_a_call_counts_like_its_arguments() {
    let memory = || {
        let turn = MemoryTurn {
            origins: Origins::of(PAGE.parse().unwrap()),
            label: None,
            text: "Something from a page.".to_owned(),
            node: Some("other".into()),
            message: None,
            tokens: 5,
        };
        WorkflowMemory { summary: None, turns: [Arc::new(turn)].into_iter().collect() }
    };
    let tool = |binding: Value| {
        json!([[{
            "name": "report", "description": "", "parameters": { "type": "object" }, "source": "http",
            "effect": "write", "binding": binding,
        }]])
    };
    for (binding, expected) in [
        (json!({ "url": "https://a.example/", "context": "body" }), Some(PAGE)),
        (json!({ "url": "https://a.example/", "context": "header" }), Some(PAGE)),
        (json!({ "url": "https://a.example/" }), None),
    ] {
        let mut harness = harness([calls("report"), ScriptedReply::text("Done.")]);
        harness.memory = memory();
        let message = Datum { origins: Origins::of(Origin::Person), ..Datum::from(json!("Do it.")) };
        let inputs = vec![("context", main().into()), ("message", message), ("tools", tool(binding).into())];
        let config = json!({ "memory": { "mode": "read" }, "blocks": { "order": ["partner"] } });
        let run = harness.run_data("chat", config, inputs);
        assert_eq!(asked(&run), expected.map(|place| ("report".to_owned(), vec![place.to_owned()])));
    }
}
