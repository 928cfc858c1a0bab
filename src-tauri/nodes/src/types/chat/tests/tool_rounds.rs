//! Chats whose model calls tools, and chats that continue after a crash.

use serde_json::{Value, json};

use super::{main, pairs, sent_messages};
use crate::codes;
use crate::testing::{NodeHarness, NodeRun};
use plait_journal::{CallEvent, Event, NodeEvent};
use plait_llm::context::ToolCall;
use plait_llm::provider::ModelReply;
use plait_llm::tokens;
use plait_testing::ScriptedReply;

fn tools(harness: &mut NodeHarness) -> Value {
    harness.run("tools", json!({}), &[]).output("tools").unwrap().clone()
}

#[test]
fn tool_rounds_end_with_a_reply_and_only_that_is_stored() {
    let mut harness = NodeHarness::new();
    let offered = tools(&mut harness);
    harness.provider.push_replies([
        ScriptedReply::calls(&[("calculator", json!({ "expression": "6 * 7" })), ("broken", json!({}))]),
        ScriptedReply::calls(&[("rocket", json!({}))]),
        ScriptedReply::text("It is 42."),
    ]);
    let inputs = [
        ("context", main()),
        ("message", json!("What is it?")),
        ("tools", json!([offered.clone(), offered])),
    ];
    let run = harness.run("chat", json!({}), &inputs);
    assert_eq!(run.output("response"), Some(&json!("It is 42.")));
    assert_eq!(harness.history("main"), pairs(&[("user", "What is it?"), ("assistant", "It is 42.")]));
    assert_eq!(
        run.event_names(),
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
    let last = sent_messages(&harness, 2);
    assert_eq!(last[2], ("tool".to_owned(), "42".to_owned()));
    assert!(last[3].1.contains("It is broken.") && last[3].1.contains("tool.failed"), "{last:?}");
    assert!(last[5].1.contains("tool.not_offered"), "{last:?}");
    let messages = &requests[2].messages;
    assert_eq!(messages[1].tool_calls.len(), 2);
    assert_eq!(
        (messages[2].tool_call_id.as_deref(), messages[3].tool_call_id.as_deref()),
        (Some("1"), Some("2"))
    );
    assert_ne!(messages[4].tool_calls[0].id, "1", "a repeated id is replaced");
    assert_eq!(messages[5].tool_call_id.as_deref(), Some(messages[4].tool_calls[0].id.as_str()));
    assert_eq!(harness.tools.calls().len(), 2, "a tool that is not offered is never called");
    let extra = &run.result.as_ref().unwrap().extra;
    assert_eq!((&extra["modelCalls"], &extra["toolCalls"]), (&json!(3), &json!(3)));
}

#[test]
fn tool_rounds_are_bounded() {
    let mut harness = NodeHarness::new();
    let offered = tools(&mut harness);
    let call = ScriptedReply::calls(&[("calculator", json!({}))]);
    harness.provider.push_replies(vec![call; 3]);
    let inputs = [("context", main()), ("message", json!("Hi")), ("tools", json!([offered]))];
    let run = harness.run("chat", json!({ "maxToolRounds": 2 }), &inputs);
    assert_eq!(run.code(), "chat.too_many_tool_rounds");
    assert_eq!((harness.provider.requests().len(), harness.tools.calls().len()), (3, 2));
    assert!(harness.history("main").is_empty());
}

#[test]
fn different_tools_with_one_name_are_refused() {
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
fn recorded_calls_are_not_repeated() {
    let mut whole = NodeHarness::new();
    let offered = tools(&mut whole);
    let script = || {
        [
            ScriptedReply::calls(&[("calculator", json!({})), ("broken", json!({}))]),
            ScriptedReply::text("It is 42."),
        ]
    };
    let inputs = [("context", main()), ("message", json!("What?")), ("tools", json!([offered]))];
    whole.provider.push_replies(script());
    let expected = whole.run("chat", json!({}), &inputs);
    let recorded: Vec<Event> = expected
        .events
        .iter()
        .filter(|event| {
            matches!(event, Event::Call(_, CallEvent::ModelReplied { .. } | CallEvent::ToolFinished { .. }))
        })
        .cloned()
        .collect();
    assert_eq!(recorded.len(), 4);
    for count in 0..=recorded.len() {
        let mut harness = NodeHarness::new();
        let replies = recorded[..count]
            .iter()
            .filter(|event| matches!(event, Event::Call(_, CallEvent::ModelReplied { .. })))
            .count();
        harness.provider.push_replies(script().into_iter().skip(replies));
        harness.recorded = recorded[..count].to_vec();
        let run = harness.run("chat", json!({}), &inputs);
        assert_eq!(run.result, expected.result, "after {count} recorded events");
        assert_eq!(harness.context("main"), whole.context("main"));
        assert_eq!(harness.provider.requests().len(), 2 - replies);
        assert_eq!(harness.tools.calls().len(), 2 - (count - replies));
    }
}

#[test]
fn provider_state_is_sent_back_and_not_stored() {
    let mut harness = NodeHarness::new();
    let offered = tools(&mut harness);
    let state = json!({ "anthropic": [{ "signature": "s" }] });
    let ScriptedReply::Reply(tool_call_reply) =
        ScriptedReply::calls(&[("calculator", json!({ "expression": "6 * 7" }))])
    else {
        panic!("it is a reply")
    };
    let thought = "Six sevens.".to_owned();
    harness.provider.push_replies([
        ScriptedReply::Reply(ModelReply {
            reasoning: Some(thought.clone()),
            provider_state: Some(state.clone()),
            ..tool_call_reply.clone()
        }),
        ScriptedReply::text("42."),
    ]);
    let inputs =
        [("context", main()), ("message", json!("What is it?")), ("tools", json!([offered.clone()]))];
    harness.run("chat", json!({}), &inputs).result.unwrap();
    let back = &harness.provider.requests()[1].messages[1];
    assert_eq!(back.provider_state.as_ref(), Some(&state));
    harness.provider.push_replies([ScriptedReply::Reply(tool_call_reply), ScriptedReply::text("42.")]);
    harness.run("chat", json!({ "skipHistory": true }), &inputs).result.unwrap();
    let without = harness.provider.requests()[3].messages[3].clone();
    assert_eq!(
        back.tokens,
        without.tokens + tokens::count_u32("echo", &thought),
        "reasoning counts against the window"
    );
    assert!(harness.context("main").message_history.iter().all(|message| message.provider_state.is_none()));
}

#[test]
fn reasoning_counts_where_it_goes_back_as_text() {
    let thought = "Six sevens.".to_owned();
    let tokens_of_round = |returns: bool| {
        let mut harness = NodeHarness::new();
        let offered = tools(&mut harness);
        if returns {
            harness.provider.return_reasoning();
        }
        let ScriptedReply::Reply(reply) =
            ScriptedReply::calls(&[("calculator", json!({ "expression": "6 * 7" }))])
        else {
            panic!("it is a reply")
        };
        let reply = ModelReply { reasoning: Some(thought.clone()), ..reply };
        harness.provider.push_replies([ScriptedReply::Reply(reply), ScriptedReply::text("42.")]);
        let inputs = [("context", main()), ("message", json!("What is it?")), ("tools", json!([offered]))];
        harness.run("chat", json!({}), &inputs).result.unwrap();
        harness.provider.requests()[1].messages[1].tokens
    };
    assert_eq!(tokens_of_round(true), tokens_of_round(false) + tokens::count_u32("echo", &thought));
}

#[test]
fn assigned_call_id_is_unique() {
    let mut harness = NodeHarness::new();
    let offered = tools(&mut harness);
    let call = |id: &str| ToolCall { id: id.into(), name: "calculator".into(), arguments: json!({}) };
    let tool_calls = vec![call("call_0_1"), call("")];
    harness.provider.push_replies([
        ScriptedReply::Reply(ModelReply { tool_calls, ..ModelReply::default() }),
        ScriptedReply::text("Done."),
    ]);
    let inputs = [("context", main()), ("message", json!("Go.")), ("tools", json!([offered]))];
    harness.run("chat", json!({}), &inputs);
    let messages = &harness.provider.requests()[1].messages;
    let ids: Vec<_> = messages[1].tool_calls.iter().map(|call| call.id.as_str()).collect();
    assert_eq!(ids, ["call_0_1", "call_0_1_"]);
}

#[test]
fn unexpected_tool_call_does_not_suggest_more_rounds() {
    let mut harness = NodeHarness::new();
    harness.provider.push_replies([ScriptedReply::calls(&[("rocket", json!({}))])]);
    let fault = harness.run("extract", json!({}), &[("text", json!("Ada"))]).result.unwrap_err();
    assert_eq!(fault.code, "chat.no_tools");
    let text = format!("{} {}", fault.message, fault.hint.unwrap());
    assert!(!text.contains("maxToolRounds"), "{text}");
}

#[test]
fn tool_call_in_the_text_is_noticed_once() {
    let mut harness = NodeHarness::new();
    let offered = tools(&mut harness);
    let text = r#"<tool_call>{"name": "calculator", "arguments": {"expression": "6 * 7"}}</tool_call>"#;
    harness.provider.push_replies([ScriptedReply::text(text), ScriptedReply::text(text)]);
    let inputs = [("context", main()), ("message", json!("What?")), ("tools", json!([offered]))];
    let run = harness.run("chat", json!({}), &inputs);
    assert_eq!(run.output("response"), Some(&json!(text)), "the text is the reply");
    let notices = |run: &NodeRun| {
        let is_notice = |event: &&Event| matches!(event, Event::Node(_, NodeEvent::Noticed { .. }));
        run.events.iter().filter(is_notice).cloned().collect::<Vec<_>>()
    };
    let [Event::Node(_, NodeEvent::Noticed { notice })] = &notices(&run)[..] else {
        panic!("{:?}", run.events)
    };
    assert_eq!(notice.code, codes::CHAT_TOOL_CALL_IN_TEXT);
    assert!(notice.message.contains("`calculator`"), "{notice:?}");

    harness.recorded = notices(&run);
    assert_eq!(notices(&harness.run("chat", json!({}), &inputs)), [], "it was said before");
    harness.recorded.clear();
    harness.provider.push_replies([ScriptedReply::text(text)]);
    let without_tools = harness.run("chat", json!({}), &inputs[..2]);
    assert_eq!(notices(&without_tools), [], "no tool was offered");
}
