//! Tools that request the reply of a model during a call.

use serde_json::{Value, json};

use super::tool_calls::{answer, effects, harness_calling, question, run, tool, tool_message};
use super::{main, sent_messages};
use crate::codes;
use crate::testing::{NodeHarness, NodeRun};
use plait_journal::{CallEvent, Event};
use plait_llm::provider::ModelReply;
use plait_llm::tool::{SamplingRef, ToolPauseKind};
use plait_run::node::Pause;
use plait_testing::ScriptedReply;

fn dialog() -> Value {
    tool("dialog", json!({ "source": "mcp:files" }))
}

/// A harness with a model that calls `dialog` with these requests, then replies with these texts.
fn harness(requests: &Value, replies: &[&str]) -> NodeHarness {
    let harness = NodeHarness::new();
    harness.provider.push_replies([ScriptedReply::calls(&[("dialog", json!({ "requests": requests }))])]);
    harness.provider.push_replies(replies.iter().map(|text| ScriptedReply::text(text)));
    harness
}

fn pause(run: &NodeRun) -> Pause {
    *run.result.as_ref().unwrap().pause.clone().expect("a question")
}

/// The replies to tools that an execution bought.
fn sampled(run: &NodeRun) -> Vec<(SamplingRef, ModelReply, Vec<String>)> {
    let replies = run.events.iter().filter_map(|event| match event {
        Event::Call(_, CallEvent::ModelReplied { sampling: Some(sampling), reply, origins, .. }) => {
            let origins = origins.iter().map(ToString::to_string).collect();
            Some((sampling.clone(), ModelReply::clone(reply), origins))
        }
        _ => None,
    });
    replies.collect()
}

#[test]
fn reply_is_requested_from_the_model_of_the_node_once_the_person_accepts() {
    let mut harness = harness(&json!([{ "sample": "Say ```hello```." }]), &["Hello.", "Done."]);
    let asked = run(&mut harness, &dialog());
    let (kind, prompt) = question(&asked);
    assert_eq!(kind, ToolPauseKind::Sampling);
    assert_eq!(
        prompt,
        "**Dialog** requests the reply of a model, for its tool `dialog`. Let `offline/echo` reply, with at most 20 \
         tokens?\n\nThe server wrote what the model would receive, and gets the reply.\n\n**Instructions**\n\n```text\nBe \
         brief.\n```\n\n**User**\n\n````text\nSay ```hello```.\n````"
    );
    assert_eq!(harness.provider.requests().len(), 1, "nothing is bought before the person accepts");

    let done = answer(&mut harness, &asked, &dialog(), json!({ "accept": true }));
    let request = &harness.provider.requests()[1];
    assert_eq!((request.system.as_deref(), request.max_tokens), (Some("Be brief."), Some(20)));
    assert_eq!((request.temperature, request.tools.len()), (Some(0.5), 0));
    assert_eq!(sent_messages(&harness, 1), [("user".to_owned(), "Say ```hello```.".to_owned())]);
    assert_eq!(tool_message(&harness), r#"["Hello."]"#);
    assert_eq!(done.output("response"), Some(&json!("Done.")));
    assert_eq!(done.streamed, "Hello.Done.");
    let [(sampling, reply, origins)] = &sampled(&done)[..] else { panic!("{:?}", done.events) };
    assert_eq!((sampling.call_id.as_str(), sampling.index, reply.text.as_str()), ("1", 0, "Hello."));
    assert_eq!(origins, &["model:offline/echo", "mcp:files"]);
    let result = done.events.iter().find_map(|event| match event {
        Event::Call(_, CallEvent::ToolFinished { origins, .. }) => Some(json!(origins)),
        _ => None,
    });
    assert_eq!(result.unwrap(), json!(["model:offline/echo", "mcp:files"]));
    // Neither the question nor the reply is said in the conversation.
    assert_eq!(harness.history("main").len(), 2);
    let output = done.result.as_ref().unwrap();
    assert_eq!(output.extra["modelCalls"], json!(3));
    let replies = asked.events.iter().chain(&done.events).filter_map(|event| match event {
        Event::Call(_, CallEvent::ModelReplied { reply, .. }) => Some(reply.usage.unwrap().output),
        _ => None,
    });
    let replies: Vec<u64> = replies.collect();
    assert_eq!((replies.len(), output.token_usage.unwrap().output), (3, replies.iter().sum()));
}

#[test]
fn declined_request_reaches_no_model() {
    let mut harness = harness(&json!([{ "sample": "Say hello." }]), &["Done."]);
    let asked = run(&mut harness, &dialog());
    let done = answer(&mut harness, &asked, &dialog(), json!({ "accept": false }));
    assert_eq!(tool_message(&harness), "[null]");
    assert_eq!((harness.provider.requests().len(), sampled(&done).len()), (2, 0));
}

#[test]
fn reply_has_at_most_the_tokens_that_the_node_allows() {
    let mut harness = harness(&json!([{ "sample": "Say hello." }]), &[]);
    let inputs = [("context", main()), ("message", json!("Do it.")), ("tools", json!([[dialog()]]))];
    let asked = harness.run("chat", json!({ "maxTokens": 7 }), &inputs);
    assert!(question(&asked).1.contains("at most 7 tokens"));
}

const MIXED: [&str; 4] = ["ask", "sample", "ask", "sample"];

/// Runs a node from these first events, with a tool that asks and samples in turn, and answers its questions. Returns
/// all events that a journal keeps, and how many replies were bought.
fn run_mixed(beginning: &[Event], effect: &str) -> (Vec<Event>, usize) {
    let requests: Vec<_> =
        MIXED.iter().enumerate().map(|(n, kind)| json!({ *kind: format!("{n}") })).collect();
    let mut harness = NodeHarness::new();
    let has_reply = |wanted: &dyn Fn(Option<&SamplingRef>, u32) -> bool| {
        beginning.iter().any(|event| match event {
            Event::Call(_, CallEvent::ModelReplied { step, sampling, .. }) => {
                wanted(sampling.as_ref(), *step)
            }
            _ => false,
        })
    };
    if !has_reply(&|sampling, step| sampling.is_none() && step == 0) {
        let call = ("dialog", json!({ "requests": requests }));
        harness.provider.push_replies([ScriptedReply::calls(&[call])]);
    }
    for (index, text) in [(1, "first"), (3, "second")] {
        if !has_reply(&|sampling, _| sampling.is_some_and(|one| one.index == index)) {
            harness.provider.push_replies([ScriptedReply::text(text)]);
        }
    }
    harness.provider.push_replies([ScriptedReply::text("Done.")]);
    harness.recorded = beginning.to_vec();
    let survey = tool("dialog", json!({ "source": "mcp:files", "effect": effect }));
    let mut last = run(&mut harness, &survey);
    while last.result.as_ref().unwrap().pause.is_some() {
        let (kind, prompt) = question(&last);
        let reply = match kind {
            ToolPauseKind::Sampling => json!({ "accept": true }),
            ToolPauseKind::Tool => {
                json!({ "accept": true, "content": format!("answer {}", &prompt[prompt.len() - 1..]) })
            }
            _ => json!({ "approved": true }),
        };
        last = answer(&mut harness, &last, &survey, reply);
    }
    assert_eq!(last.output("response"), Some(&json!("Done.")));
    assert_eq!(tool_message(&harness), r#"["answer 0","first","answer 2","second"]"#);
    let mut events = harness.recorded.clone();
    events.extend(effects(&last));
    (events, harness.provider.requests().len())
}

/// Questions and requests of one call keep apart; replies from before a crash are not bought again.
#[test]
fn resume_at_any_event_buys_nothing_twice() {
    for effect in ["read", "write"] {
        let (events, bought) = run_mixed(&[], effect);
        assert_eq!(bought, 4);
        for end in 0..events.len() {
            // The call of the tool that the last answer is for is the one that has not ended.
            let beginning = &events[..end];
            let known = beginning
                .iter()
                .filter(|event| matches!(event, Event::Call(_, CallEvent::ModelReplied { .. })))
                .count();
            let (_, bought) = run_mixed(beginning, effect);
            assert_eq!(bought, 4 - known, "{effect} tool, from event {end}");
        }
    }
}

#[test]
fn parallel_calls_get_their_own_replies_and_none_counts_as_interrupted() {
    let writing = tool("dialog", json!({ "effect": "write", "source": "mcp:files" }));
    let mut harness = NodeHarness::new();
    let call = |text: &str| ("dialog", json!({ "requests": [{ "sample": text }, { "ask": text }] }));
    harness.provider.push_replies([ScriptedReply::calls(&[call("left"), call("right")])]);
    let mut last = run(&mut harness, &writing);
    assert_eq!(pause(&last).tool.unwrap().also_asking, ["2"]);
    let mut asked = Vec::new();
    while last.result.as_ref().unwrap().pause.is_some() {
        let tool = pause(&last).tool.unwrap();
        asked.push((tool.call_id, tool.kind));
        let prompt = question(&last).1;
        let side = if prompt.contains("left") { "left" } else { "right" };
        let reply = match tool.kind {
            // The model repeats what it gets.
            ToolPauseKind::Sampling => json!({ "accept": true }),
            _ => json!({ "accept": true, "content": format!("person {side}") }),
        };
        last = answer(&mut harness, &last, &writing, reply);
    }
    let kinds = [ToolPauseKind::Sampling, ToolPauseKind::Tool];
    let expected: Vec<_> =
        ["1", "2"].iter().flat_map(|id| kinds.map(|kind| ((*id).to_owned(), kind))).collect();
    assert_eq!(asked, expected, "nobody is asked whether a call may be repeated");
    let last_request = harness.provider.requests().len() - 1;
    let results: Vec<_> =
        sent_messages(&harness, last_request).into_iter().filter(|(role, _)| role == "tool").collect();
    assert_eq!(results[0].1, r#"["left","person left"]"#);
    assert_eq!(results[1].1, r#"["right","person right"]"#);
}

#[test]
fn tool_that_never_asks_the_same_is_ended() {
    let restless = tool("restless", json!({}));
    let mut harness = harness_calling("restless", json!({}));
    let mut last = run(&mut harness, &restless);
    let mut questions = 0;
    while last.result.as_ref().unwrap().pause.is_some() {
        questions += 1;
        last = answer(&mut harness, &last, &restless, json!({ "accept": true }));
    }
    assert_eq!(questions, 20);
    let received = tool_message(&harness);
    assert!(received.contains("tool.too_many_requests"), "{received}");
    assert_eq!(harness.provider.requests().len(), 2, "a model replied to none of them");
}

#[test]
fn request_that_nobody_could_read_is_refused() {
    let mut harness = harness(&json!([{ "sample": "word ", "times": 20_000 }]), &["Done."]);
    run(&mut harness, &dialog());
    assert!(tool_message(&harness).contains("tool.sampling_too_large"));
}

#[test]
fn provider_that_fails_fails_the_call_and_not_the_node() {
    let mut harness = harness(&json!([{ "sample": "Say hello." }]), &[]);
    let asked = run(&mut harness, &dialog());
    let fault = plait_core::error::Fault::new(codes::PROVIDER_UNREACHABLE, "Nobody is there.");
    let failure = ScriptedReply::Failure { partial: "He".into(), fault };
    harness.provider.push_replies([failure, ScriptedReply::text("Done.")]);
    let done = answer(&mut harness, &asked, &dialog(), json!({ "accept": true }));
    assert_eq!(done.output("response"), Some(&json!("Done.")));
    assert!(tool_message(&harness).contains("provider.unreachable"));
}

#[test]
fn call_without_a_model_says_so_and_a_set_model_replies() {
    let requests = json!({ "requests": [{ "sample": "Say hello." }] });
    let config = json!({ "tool": "dialog", "arguments": requests });
    let tools = [("tools", json!([[dialog()]]))];
    let mut harness = NodeHarness::new();
    let fault = harness.run("callTool", config.clone(), &tools).result.unwrap_err();
    assert_eq!(fault.code.as_str(), "tool.no_model");

    let mut config = config;
    config["provider"] = json!("offline");
    config["model"] = json!("echo");
    let asked = harness.run("callTool", config.clone(), &tools);
    assert!(question(&asked).1.contains("`offline/echo`"));
    let activation = asked.events[0].activation().unwrap().clone();
    let Pause { prompt, schema, tool } = pause(&asked);
    harness.recorded = effects(&asked);
    let paused = plait_journal::NodeEvent::Paused { prompt, schema, answered: false, tool };
    let accepted = plait_journal::Answer::Value(std::sync::Arc::new(json!({ "accept": true })));
    let answered = plait_journal::NodeEvent::Answered { answer: accepted, reused: None };
    harness.recorded.extend([Event::Node(activation.clone(), paused), Event::Node(activation, answered)]);
    let done = harness.run("callTool", config, &tools);
    assert_eq!(done.output("result"), Some(&json!(["Say hello."])));
    assert_eq!(done.result.unwrap().extra["modelCalls"], json!(1));
}
