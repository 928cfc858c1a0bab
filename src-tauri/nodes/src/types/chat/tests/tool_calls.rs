//! Tool calls with a policy: approval, time limits, attempts; calls at the same time; questions of tools; interrupted calls.

#![allow(clippy::needless_pass_by_value, reason = "values are written in place")]

use std::sync::Arc;

use serde_json::{Value, json};

use super::{main, sent_messages};
use crate::testing::{NodeHarness, NodeRun};
use plait_journal::{Answer, CallEvent, Event, NodeEvent};
use plait_llm::tool::ToolPauseKind;
use plait_testing::{CALLS_THAT_MEET, ScriptedReply};

/// A tool with these properties besides the necessary ones.
pub(super) fn tool(name: &str, more: Value) -> Value {
    let mut tool = json!({
        "name": name,
        "description": format!("The {name}."),
        "parameters": { "type": "object" },
        "source": "native",
    });
    for (key, value) in more.as_object().unwrap() {
        tool[key] = value.clone();
    }
    tool
}

pub(super) fn run(harness: &mut NodeHarness, tool: &Value) -> NodeRun {
    let inputs = [("context", main()), ("message", json!("Do it.")), ("tools", json!([[tool]]))];
    harness.run("chat", json!({}), &inputs)
}

/// A harness with a model that calls this tool once and then says that it is done.
pub(super) fn harness_calling(name: &str, arguments: Value) -> NodeHarness {
    let harness = NodeHarness::new();
    harness.provider.push_replies([ScriptedReply::calls(&[(name, arguments)]), ScriptedReply::text("Done.")]);
    harness
}

/// What the run keeps of an execution for the next one.
pub(super) fn effects(run: &NodeRun) -> Vec<Event> {
    let is_effect = |event: &&Event| {
        matches!(
            event,
            Event::Call(
                _,
                CallEvent::ModelReplied { .. }
                    | CallEvent::ToolCalled { .. }
                    | CallEvent::ToolFinished { .. }
            )
        )
    };
    run.events.iter().filter(is_effect).cloned().collect()
}

/// Executes the node again with the answer to the question of `asked`.
pub(super) fn answer(harness: &mut NodeHarness, asked: &NodeRun, tool: &Value, answer: Value) -> NodeRun {
    let pause = asked.result.as_ref().unwrap().pause.clone().expect("a question");
    let activation = asked.events[0].activation().unwrap().clone();
    harness.recorded.extend(effects(asked));
    harness.recorded.push(Event::Node(
        activation.clone(),
        NodeEvent::Paused { prompt: pause.prompt, schema: pause.schema, answered: false, tool: pause.tool },
    ));
    let answer = Answer::Value(Arc::new(answer));
    harness.recorded.push(Event::Node(activation, NodeEvent::Answered { answer, reused: None }));
    run(harness, tool)
}

pub(super) fn question(run: &NodeRun) -> (ToolPauseKind, String) {
    let pause = run.result.as_ref().unwrap().pause.as_ref().expect("a question");
    (pause.tool.as_ref().expect("about a tool call").kind, pause.prompt.clone())
}

/// What the model received as the result of the only call.
pub(super) fn tool_message(harness: &NodeHarness) -> String {
    let last = harness.provider.requests().len() - 1;
    let messages = sent_messages(harness, last);
    let (role, text) = messages.last().unwrap();
    assert_eq!(role, "tool");
    text.clone()
}

#[test]
fn approved_call_is_made_once_and_nothing_is_bought_twice() {
    let guarded = tool("calculator", json!({ "policy": { "approval": true } }));
    let mut harness = harness_calling("calculator", json!({ "expression": "6 * 7" }));
    let asked = run(&mut harness, &guarded);
    let (kind, prompt) = question(&asked);
    assert_eq!(kind, ToolPauseKind::Approval);
    assert!(prompt.contains("calculator") && prompt.contains("6 * 7"), "{prompt}");
    assert!(harness.tools.calls().is_empty());
    assert_eq!(
        asked.event_names(),
        ["turn.started", "prompt.rendered", "model.replied", "turn.discarded"],
        "the turn is not held while a person thinks"
    );
    assert!(harness.history("main").is_empty());
    let done = answer(&mut harness, &asked, &guarded, json!({ "approved": true }));
    assert_eq!(done.output("response"), Some(&json!("Done.")));
    assert_eq!((harness.tools.calls().len(), harness.provider.requests().len()), (1, 2));
    assert_eq!(tool_message(&harness), "42");
}

#[test]
fn rejected_call_is_not_made_and_the_model_learns_why() {
    let guarded = tool("calculator", json!({ "policy": { "approval": true } }));
    let mut harness = harness_calling("calculator", json!({}));
    let asked = run(&mut harness, &guarded);
    let answer_of_person = json!({ "approved": false, "comment": "Use your head." });
    let done = answer(&mut harness, &asked, &guarded, answer_of_person);
    assert_eq!(done.output("response"), Some(&json!("Done.")));
    assert!(harness.tools.calls().is_empty());
    let received = tool_message(&harness);
    assert!(received.contains("tool.rejected") && received.contains("Use your head."), "{received}");
}

#[test]
fn calls_of_a_reply_run_at_the_same_time_and_results_keep_their_order() {
    let mut harness = NodeHarness::new();
    harness.clock.stop();
    let calls: Vec<_> = (0..CALLS_THAT_MEET).map(|n| ("meet", json!({ "n": n }))).collect();
    harness.provider.push_replies([ScriptedReply::calls(&calls), ScriptedReply::text("Done.")]);
    // One after the other, none of them would end.
    run(&mut harness, &tool("meet", json!({})));
    let results: Vec<_> = sent_messages(&harness, 1).into_iter().skip(2).map(|(_, text)| text).collect();
    assert_eq!(results, [r#"{"n":0}"#, r#"{"n":1}"#, r#"{"n":2}"#]);
}

#[test]
fn call_that_takes_too_long_is_ended() {
    let slow = tool("meet", json!({ "policy": { "timeoutMs": 1500 } }));
    let mut harness = harness_calling("meet", json!({}));
    assert_eq!(run(&mut harness, &slow).output("response"), Some(&json!("Done.")));
    let received = tool_message(&harness);
    assert!(received.contains("tool.timeout") && received.contains("1500 ms"), "{received}");
}

#[test]
fn attempts_are_those_of_the_policy() {
    for (policy, attempts) in [(json!({}), 1), (json!({ "attempts": 3 }), 3)] {
        let mut harness = harness_calling("broken", json!({}));
        run(&mut harness, &tool("broken", json!({ "policy": policy })));
        assert_eq!(harness.tools.calls().len(), attempts);
        assert!(tool_message(&harness).contains("tool.failed"));
    }
}

#[test]
fn arguments_that_do_not_fit_the_schema_reach_no_tool() {
    let parameters =
        json!({ "type": "object", "properties": { "n": { "type": "integer" } }, "required": ["n"] });
    let strict = tool("calculator", json!({ "parameters": parameters }));
    for arguments in [json!({}), json!({ "n": "1" }), json!("n")] {
        let mut harness = harness_calling("calculator", arguments.clone());
        run(&mut harness, &strict);
        assert!(harness.tools.calls().is_empty(), "{arguments}");
        assert!(tool_message(&harness).contains("tool.bad_arguments"), "{arguments}");
    }
    let broken = tool("calculator", json!({ "parameters": { "type": "nonsense" } }));
    let mut harness = harness_calling("calculator", json!({}));
    run(&mut harness, &broken);
    assert!(harness.tools.calls().is_empty());
    assert!(tool_message(&harness).contains("tool.bad_schema"));
}

#[test]
fn tool_that_asks_is_called_again_with_all_answers() {
    let survey = tool("survey", json!({ "effect": "write" }));
    let mut harness = harness_calling("survey", json!({}));
    let first = run(&mut harness, &survey);
    let (kind, prompt) = question(&first);
    assert_eq!(kind, ToolPauseKind::Tool);
    assert!(prompt.contains("**Survey** asks") && prompt.ends_with("Name?"), "{prompt}");
    let second = answer(&mut harness, &first, &survey, json!({ "accept": true, "content": "Ada" }));
    assert!(question(&second).1.ends_with("Age?"));
    let done = answer(&mut harness, &second, &survey, json!({ "accept": false }));
    assert_eq!(done.output("response"), Some(&json!("Done.")));
    assert_eq!(tool_message(&harness), r#"["Ada",null]"#);
    assert_eq!(harness.provider.requests().len(), 2);
}

/// The events of an execution up to the moment at which its tool was called.
fn interrupted(tool: &Value) -> Vec<Event> {
    let mut whole = harness_calling("calculator", json!({}));
    let events = effects(&run(&mut whole, tool));
    let is_call = |event: &Event| matches!(event, Event::Call(_, CallEvent::ToolCalled { .. }));
    let end = events.iter().position(is_call).unwrap();
    events[..=end].to_vec()
}

#[test]
fn interrupted_call_that_changes_something_is_repeated_only_if_the_person_agrees() {
    let writing = tool("calculator", json!({ "effect": "write" }));
    for agrees in [true, false] {
        let mut harness = NodeHarness::new();
        harness.provider.push_replies([ScriptedReply::text("Done.")]);
        harness.recorded = interrupted(&writing);
        let asked = run(&mut harness, &writing);
        let (kind, prompt) = question(&asked);
        assert_eq!(kind, ToolPauseKind::Repeat);
        assert!(prompt.contains("Nobody knows"), "{prompt}");
        assert!(harness.tools.calls().is_empty());
        answer(&mut harness, &asked, &writing, json!({ "approved": agrees }));
        assert_eq!(harness.tools.calls().len(), usize::from(agrees));
        let received = tool_message(&harness);
        assert_eq!(received == "42", agrees, "{received}");
        assert_eq!(received.contains("tool.interrupted"), !agrees, "{received}");
    }
}

#[test]
fn interrupted_call_that_changes_nothing_is_repeated() {
    let reading = tool("calculator", json!({}));
    let mut harness = NodeHarness::new();
    harness.provider.push_replies([ScriptedReply::text("Done.")]);
    harness.recorded = interrupted(&reading);
    run(&mut harness, &reading);
    assert_eq!(harness.tools.calls().len(), 1);
    assert_eq!(tool_message(&harness), "42");
}
