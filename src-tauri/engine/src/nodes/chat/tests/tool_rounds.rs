//! Chats whose model calls tools, and chats that go on where they were.

use serde_json::{Value, json};

use super::{main, pairs, sent};
use crate::context::ToolCall;
use crate::journal::{CallEvent, Event};
use crate::prompt::tokens;
use crate::provider::ModelReply;
use crate::testing::{NodeHarness, Scripted};

fn tools(harness: &mut NodeHarness) -> Value {
    harness.run("tools", json!({}), &[]).output("tools").unwrap().clone()
}

#[test]
fn tools_are_called_until_the_model_answers_and_only_the_answer_stays() {
    let mut harness = NodeHarness::new();
    let offered = tools(&mut harness);
    harness.provider.script([
        Scripted::calls(&[("calculator", json!({ "expression": "6 * 7" })), ("broken", json!({}))]),
        Scripted::calls(&[("rocket", json!({}))]),
        Scripted::text("It is 42."),
    ]);
    let inputs = [
        ("context", main()),
        ("message", json!("What is it?")),
        ("tools", json!([offered.clone(), offered])),
    ];
    let ran = harness.run("chat", json!({}), &inputs);
    assert_eq!(ran.output("response"), Some(&json!("It is 42.")));
    assert_eq!(harness.history("main"), pairs(&[("user", "What is it?"), ("assistant", "It is 42.")]));
    assert_eq!(
        ran.event_names(),
        [
            "turn.started",
            "prompt.rendered",
            "model.replied",
            "tool.called",
            "tool.finished",
            "tool.called",
            "tool.finished",
            "prompt.rendered",
            "model.replied",
            "tool.called",
            "tool.finished",
            "prompt.rendered",
            "model.replied",
        ]
    );
    let requests = harness.provider.requests();
    assert_eq!(
        requests[0].tools.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>(),
        ["broken", "calculator"]
    );
    let last = sent(&harness, 2);
    assert_eq!(last[2], ("tool".to_owned(), "42".to_owned()));
    assert!(last[3].1.contains("It is broken.") && last[3].1.contains("tool.failed"), "{last:?}");
    assert!(last[5].1.contains("tool.not_offered"), "{last:?}");
    let messages = &requests[2].messages;
    assert_eq!(messages[1].tool_calls.len(), 2);
    assert_eq!(
        (messages[2].tool_call_id.as_deref(), messages[3].tool_call_id.as_deref()),
        (Some("1"), Some("2"))
    );
    assert_ne!(messages[4].tool_calls[0].id, "1", "an id that was used before is replaced");
    assert_eq!(messages[5].tool_call_id.as_deref(), Some(messages[4].tool_calls[0].id.as_str()));
    assert_eq!(harness.tools.calls().len(), 2, "a tool that is not offered is never called");
    let extra = &ran.result.as_ref().unwrap().extra;
    assert_eq!((&extra["modelCalls"], &extra["toolCalls"]), (&json!(3), &json!(3)));
}

#[test]
fn endless_tool_calls_end() {
    let mut harness = NodeHarness::new();
    let offered = tools(&mut harness);
    let call = Scripted::calls(&[("calculator", json!({}))]);
    harness.provider.script(vec![call; 3]);
    let inputs = [("context", main()), ("message", json!("Hi")), ("tools", json!([offered]))];
    let ran = harness.run("chat", json!({ "maxToolRounds": 2 }), &inputs);
    assert_eq!(ran.code(), "chat.too_many_tool_rounds");
    assert_eq!((harness.provider.requests().len(), harness.tools.calls().len()), (3, 2));
    assert!(harness.history("main").is_empty());
}

#[test]
fn two_different_tools_of_one_name_are_refused() {
    let mut harness = NodeHarness::new();
    let offered = tools(&mut harness);
    let mut other = offered.clone();
    other[0]["description"] = json!("Another.");
    let inputs = [("context", main()), ("message", json!("Hi")), ("tools", json!([offered, other]))];
    assert_eq!(harness.run("chat", json!({}), &inputs).code(), "tools.duplicate");
    let inputs = [("context", main()), ("message", json!("Hi")), ("tools", json!(["x"]))];
    assert_eq!(harness.run("chat", json!({}), &inputs).code(), "input.type");
}

#[test]
fn nothing_that_is_recorded_is_paid_for_or_done_again() {
    let mut whole = NodeHarness::new();
    let offered = tools(&mut whole);
    let script = || {
        [Scripted::calls(&[("calculator", json!({})), ("broken", json!({}))]), Scripted::text("It is 42.")]
    };
    let inputs = [("context", main()), ("message", json!("What?")), ("tools", json!([offered]))];
    whole.provider.script(script());
    let undisturbed = whole.run("chat", json!({}), &inputs);
    let bought: Vec<Event> = undisturbed
        .events
        .iter()
        .filter(|event| {
            matches!(event, Event::Call(_, CallEvent::ModelReplied { .. } | CallEvent::ToolFinished { .. }))
        })
        .cloned()
        .collect();
    assert_eq!(bought.len(), 4);
    for done in 0..=bought.len() {
        let mut again = NodeHarness::new();
        let replies = bought[..done]
            .iter()
            .filter(|event| matches!(event, Event::Call(_, CallEvent::ModelReplied { .. })))
            .count();
        again.provider.script(script().into_iter().skip(replies));
        again.recorded = bought[..done].to_vec();
        let ran = again.run("chat", json!({}), &inputs);
        assert_eq!(ran.result, undisturbed.result, "after {done} recorded events");
        assert_eq!(again.context("main"), whole.context("main"));
        assert_eq!(again.provider.requests().len(), 2 - replies);
        assert_eq!(again.tools.calls().len(), 2 - (done - replies));
    }
}

#[test]
fn what_a_provider_must_have_back_goes_back_with_the_round_and_into_no_history() {
    let mut harness = NodeHarness::new();
    let offered = tools(&mut harness);
    let state = json!({ "anthropic": [{ "signature": "s" }] });
    let Scripted::Reply(asks) = Scripted::calls(&[("calculator", json!({ "expression": "6 * 7" }))]) else {
        panic!("it is a reply")
    };
    let thought = "Six sevens.".to_owned();
    harness.provider.script([
        Scripted::Reply(ModelReply {
            reasoning: Some(thought.clone()),
            provider_state: Some(state.clone()),
            ..asks.clone()
        }),
        Scripted::text("42."),
    ]);
    let inputs =
        [("context", main()), ("message", json!("What is it?")), ("tools", json!([offered.clone()]))];
    harness.run("chat", json!({}), &inputs).result.unwrap();
    let back = &harness.provider.requests()[1].messages[1];
    assert_eq!(back.provider_state.as_ref(), Some(&state));
    harness.provider.script([Scripted::Reply(asks), Scripted::text("42.")]);
    harness.run("chat", json!({ "skipHistory": true }), &inputs).result.unwrap();
    let without = harness.provider.requests()[3].messages[3].clone();
    assert_eq!(back.tokens, without.tokens + tokens::text("echo", &thought), "it takes room in the window");
    assert!(harness.context("main").message_history.iter().all(|message| message.provider_state.is_none()));
}

#[test]
fn an_id_that_is_made_up_is_no_other_calls() {
    let mut harness = NodeHarness::new();
    let offered = tools(&mut harness);
    let call = |id: &str| ToolCall { id: id.into(), name: "calculator".into(), arguments: json!({}) };
    let tool_calls = vec![call("call_0_1"), call("")];
    harness.provider.script([
        Scripted::Reply(ModelReply { tool_calls, ..ModelReply::default() }),
        Scripted::text("Done."),
    ]);
    let inputs = [("context", main()), ("message", json!("Go.")), ("tools", json!([offered]))];
    harness.run("chat", json!({}), &inputs);
    let messages = &harness.provider.requests()[1].messages;
    let ids: Vec<_> = messages[1].tool_calls.iter().map(|call| call.id.as_str()).collect();
    assert_eq!(ids, ["call_0_1", "call_0_1_"]);
}

#[test]
fn a_model_that_calls_tools_where_there_are_none_is_not_helped_by_more_rounds() {
    let mut harness = NodeHarness::new();
    harness.provider.script([Scripted::calls(&[("rocket", json!({}))])]);
    let fault = harness.run("extract", json!({}), &[("text", json!("Ada"))]).result.unwrap_err();
    assert_eq!(fault.code, "chat.too_many_tool_rounds");
    let text = format!("{} {}", fault.message, fault.hint.unwrap());
    assert!(!text.contains("maxToolRounds"), "{text}");
}
