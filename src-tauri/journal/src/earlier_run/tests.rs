use std::collections::BTreeMap;

use serde_json::json;

use super::*;
use crate::codes;
use crate::{Answer, CallEvent, Event, NodeEvent, RunEvent};
use plait_core::error::{ErrorCode, Fault};
use plait_core::id::Epoch;
use plait_core::origin::Origins;
use plait_llm::prompt_record::PromptRecord;

fn activation(node: &str) -> Activation {
    Activation { node: node.into(), epoch: Epoch::root() }
}

fn entries(events: impl IntoIterator<Item = Event>) -> Vec<Entry> {
    (0..).zip(events).map(|(seq, event)| Entry { seq: Some(seq), at: 0, event, interrupted_ms: 0 }).collect()
}

fn of(entries: &[Entry], edited: bool) -> EarlierRun {
    EarlierTree::of([(RunId::from("old"), entries)], edited).view(Some(&"old".into()), []).unwrap()
}

fn replied(step: u32, key: &str, text: &str) -> Event {
    let reply = ModelReply { text: text.to_owned(), ..ModelReply::default() };
    let event = CallEvent::ModelReplied {
        origins: Origins::NONE,
        step,
        reply: Box::new(reply),
        account: None,
        key: Some(key.into()),
        sampling: None,
        reused: None,
        bought: None,
    };
    Event::Call(activation("chat"), event)
}

fn failed(code: ErrorCode) -> Event {
    Event::Run(RunEvent::Failed {
        origins: Origins::NONE,
        node: "chat".into(),
        epoch: Epoch::root(),
        error: Fault::new(code, "It failed.").into(),
        outputs: BTreeMap::new(),
    })
}

#[test]
fn reply_needs_the_key_alone_in_an_edited_flow() {
    let entries = entries([replied(0, "a", "A"), replied(1, "b", "B")]);
    let found = |edited, node: &str, step, key: &str| {
        of(&entries, edited)
            .reply(&activation(node), step, None, &key.into())
            .map(|found| (found.reply.text, found.event.seq))
    };
    assert_eq!(found(false, "chat", 0, "a"), Some(("A".to_owned(), 0)));
    assert_eq!(found(false, "chat", 1, "b"), Some(("B".to_owned(), 1)));
    assert_eq!(found(true, "chat", 0, "c"), None, "another request");
    assert_eq!(found(true, "chat", 1, "a"), Some(("A".to_owned(), 0)), "another step");
    assert_eq!(found(false, "chat", 1, "a"), None, "another step of the same flow");
    assert_eq!(found(false, "other", 0, "a"), None, "another node of the same flow");
    assert_eq!(found(true, "other", 0, "a"), Some(("A".to_owned(), 0)), "another node");
}

#[test]
fn each_reply_is_taken_once_and_that_of_the_same_activation_first() {
    let at = |index, text| match replied(0, "a", text) {
        Event::Call(mut activation, call) => {
            activation.epoch = Epoch::root().child(index);
            Event::Call(activation, call)
        }
        event => event,
    };
    let earlier = of(&entries([at(0, "zero"), at(1, "one"), at(2, "two")]), true);
    let take = |index| {
        let activation = Activation { node: "chat".into(), epoch: Epoch::root().child(index) };
        earlier.reply(&activation, 0, None, &"a".into()).map(|found| found.reply.text)
    };
    assert_eq!(take(1).as_deref(), Some("one"), "its own");
    assert_eq!(take(7).as_deref(), Some("zero"), "the first that nobody has taken");
    assert_eq!(take(0).as_deref(), Some("two"), "its own is taken");
    assert_eq!(take(8), None, "three replies stay three");
}

#[test]
fn what_a_run_has_taken_is_taken_again_after_a_restart() {
    let recorded = entries([replied(0, "a", "first"), replied(1, "a", "second")]);
    let tree = EarlierTree::of([(RunId::from("old"), &recorded[..])], true);
    let mut taken = replied(0, "a", "first");
    if let Event::Call(_, CallEvent::ModelReplied { reused, .. }) = &mut taken {
        *reused = Some(EventRef { run: "old".into(), seq: 0 });
    }
    tree.restore(&entries([taken]));
    let earlier = tree.view(Some(&"old".into()), [&NodeId::from("chat")]).unwrap();
    let found = earlier.reply(&activation("chat"), 0, None, &"a".into());
    assert_eq!(found.map(|found| found.reply.text).as_deref(), Some("second"));
    assert!(earlier.reply(&activation("chat"), 0, None, &"a".into()).is_none());
}

#[test]
fn answer_is_taken_from_a_node_that_is_gone_but_from_no_other() {
    let asked = |node: &str, text: &str| {
        let paused =
            NodeEvent::Paused { prompt: "Name?".to_owned(), schema: json!({}), answered: false, tool: None };
        let answered = NodeEvent::Answered { answer: Answer::Value(Arc::new(json!(text))), reused: None };
        [paused, answered].map(|event| Event::Node(activation(node), event))
    };
    let recorded = entries([asked("kept", "Ada"), asked("old name", "Bob")].into_iter().flatten());
    let found = |edited| {
        let tree = EarlierTree::of([(RunId::from("old"), &recorded[..])], edited);
        let nodes = [NodeId::from("kept"), NodeId::from("new name")];
        let earlier = tree.view(Some(&"old".into()), &nodes).unwrap();
        let take =
            || earlier.answer(&activation("new name"), 0, "Name?", &json!({})).map(|(answer, _)| answer);
        (take(), take())
    };
    assert_eq!(found(true), (Some(Answer::Value(Arc::new(json!("Bob")))), None));
    assert_eq!(found(false), (None, None), "the same flow has no other names");
}

#[test]
fn reply_to_a_tool_is_not_the_reply_of_the_node() {
    let place = |index| SamplingRef { call_id: "c".into(), index };
    let mut to_tool = replied(0, "a", "For the tool");
    if let Event::Call(_, CallEvent::ModelReplied { sampling, .. }) = &mut to_tool {
        *sampling = Some(place(1));
    }
    let entries = entries([replied(0, "a", "For the node"), to_tool]);
    let found = |sampling: Option<SamplingRef>| {
        let earlier = EarlierRun::of(&"old".into(), &entries);
        let reply = earlier.reply(&activation("chat"), 0, sampling.as_ref(), &"a".into());
        reply.map(|found| found.reply.text)
    };
    assert_eq!(found(None).as_deref(), Some("For the node"));
    assert_eq!(found(Some(place(1))).as_deref(), Some("For the tool"));
}

#[test]
fn replies_that_made_the_run_fail_are_bought_anew() {
    let bought = |code| {
        let earlier = EarlierRun::of(&"old".into(), &entries([replied(0, "a", ""), failed(code)]));
        earlier.reply(&activation("chat"), 0, None, &"a".into()).is_some()
    };
    assert!(!bought(codes::CHAT_EMPTY_REPLY));
    assert!(bought(codes::PROVIDER_UNREACHABLE));
}

#[test]
fn tool_result_needs_equal_arguments() {
    let call = |city: &str| ToolCall {
        id: "1".to_owned(),
        name: "weather".to_owned(),
        arguments: json!({ "city": city }),
    };
    let finished = CallEvent::ToolFinished {
        origins: Origins::NONE,
        step: 0,
        call_id: "1".to_owned(),
        result: Some(json!("sunny")),
        error: None,
        reused: None,
    };
    let called = CallEvent::ToolCalled {
        step: 0,
        call: call("Rome"),
        binding: None,
        untrusted: plait_core::origin::Origins::NONE,
        granted: Vec::new(),
    };
    let events = [called, finished].map(|event| Event::Call(activation("chat"), event));
    let earlier = EarlierRun::of(&"old".into(), &entries(events));
    let outcome = |city| earlier.tool_result(&activation("chat"), 0, &call(city), None);
    assert!(
        matches!(outcome("Rome"), Some((result, event)) if result.outcome == Ok(json!("sunny")) && event.seq == 1)
    );
    assert!(outcome("Oslo").is_none());
}

#[test]
fn tool_call_without_result_has_no_outcome() {
    let call = ToolCall { id: "1".to_owned(), name: "weather".to_owned(), arguments: json!({}) };
    let called = Event::Call(
        activation("chat"),
        CallEvent::ToolCalled {
            step: 0,
            call: call.clone(),
            binding: None,
            untrusted: plait_core::origin::Origins::NONE,
            granted: Vec::new(),
        },
    );
    let earlier = EarlierRun::of(&"old".into(), &entries([called.clone()]));
    assert!(earlier.tool_result(&activation("chat"), 0, &call, None).is_none());
    assert!(earlier.was_interrupted(&activation("chat"), 0, &call, None));
    assert!(!earlier.was_interrupted(&activation("chat"), 1, &call, None), "of another step");

    // It asked the person, and was made again with the answer.
    let finished = CallEvent::ToolFinished {
        origins: Origins::NONE,
        step: 0,
        call_id: "1".to_owned(),
        result: Some(json!("sunny")),
        error: None,
        reused: None,
    };
    let finished = Event::Call(activation("chat"), finished);
    let earlier = EarlierRun::of(&"old".into(), &entries([called.clone(), called, finished]));
    assert!(earlier.tool_result(&activation("chat"), 0, &call, None).is_some());
    assert!(!earlier.was_interrupted(&activation("chat"), 0, &call, None));
}

fn failed_call(step: u32, after: Option<Event>) -> (Vec<Entry>, ToolCall) {
    let call = ToolCall { id: "1".to_owned(), name: "weather".to_owned(), arguments: json!({}) };
    let finished = CallEvent::ToolFinished {
        origins: Origins::NONE,
        step,
        call_id: "1".to_owned(),
        result: None,
        error: Some(Box::new(Fault::new(codes::PROVIDER_UNREACHABLE, "It took too long."))),
        reused: None,
    };
    let called = CallEvent::ToolCalled {
        step,
        call: call.clone(),
        binding: None,
        untrusted: plait_core::origin::Origins::NONE,
        granted: Vec::new(),
    };
    let events = [called, finished].map(|event| Event::Call(activation("chat"), event));
    (entries(events.into_iter().chain(after)), call)
}

#[test]
fn failure_of_a_tool_is_reused_only_if_the_run_went_on_after_it() {
    let ended = |handled| {
        let error = Fault::new(codes::PROVIDER_UNREACHABLE, "It took too long.");
        let failed = NodeEvent::Failed { error: error.into(), handled, origins: Origins::NONE };
        Some(Event::Node(activation("chat"), failed))
    };
    let is_reused = |step, after| {
        let (entries, call) = failed_call(step, after);
        let earlier = EarlierRun::of(&"old".into(), &entries);
        assert!(!earlier.was_interrupted(&activation("chat"), step, &call, None), "its end is known");
        earlier.tool_result(&activation("chat"), step, &call, None).is_some()
    };
    assert!(!is_reused(0, None), "the run ended with it");
    assert!(!is_reused(0, ended(false)), "it ended the node");
    assert!(is_reused(0, ended(true)), "its `error` output was wired");
    assert!(is_reused(0, Some(prompted(1))), "the model was informed of it");
    assert!(!is_reused(1, Some(prompted(1))), "this prompt came before it");
}

#[test]
fn latest_attempt_of_a_tool_call_is_reused() {
    let (_, call) = failed_call(0, None);
    let called = || CallEvent::ToolCalled {
        step: 0,
        call: call.clone(),
        binding: None,
        untrusted: plait_core::origin::Origins::NONE,
        granted: Vec::new(),
    };
    let finished = |error: Option<&str>| CallEvent::ToolFinished {
        origins: Origins::NONE,
        step: 0,
        call_id: "1".to_owned(),
        result: error.is_none().then(|| json!("sunny")),
        error: error.map(|message| Box::new(Fault::new(codes::PROVIDER_UNREACHABLE, message))),
        reused: None,
    };
    let calls = [called(), finished(Some("It took too long.")), called(), finished(None)];
    let ended = NodeEvent::Finished {
        outputs: BTreeMap::new(),
        messages: BTreeMap::new(),
        metadata: crate::FinishMetadata::default(),
    };
    let events = calls.map(|event| Event::Call(activation("chat"), event));
    let events = events.into_iter().chain([Event::Node(activation("chat"), ended)]);
    let earlier = EarlierRun::of(&"old".into(), &entries(events));
    let (result, event) = earlier.tool_result(&activation("chat"), 0, &call, None).unwrap();
    assert_eq!((result.outcome, event.seq), (Ok(json!("sunny")), 3));
}

#[test]
fn answer_needs_same_question() {
    let paused = |prompt: &str| NodeEvent::Paused {
        prompt: prompt.to_owned(),
        schema: json!({}),
        answered: false,
        tool: None,
    };
    let answer = |text: &str| Answer::Value(Arc::new(json!(text)));
    let answered = |text| NodeEvent::Answered { answer: answer(text), reused: None };
    let events = [paused("Name?"), answered("Ada"), paused("Name?"), answered("Bob"), paused("Age?")];
    let events = events.map(|event| Event::Node(activation("ask"), event));
    let earlier = EarlierRun::of(&"old".into(), &entries(events));
    let found = |index, prompt| {
        earlier.answer(&activation("ask"), index, prompt, &json!({})).map(|(answer, _)| answer)
    };
    assert_eq!(found(0, "Name?"), Some(answer("Ada")));
    assert_eq!(found(1, "Name?"), Some(answer("Bob")), "the same question, asked again");
    assert_eq!(found(0, "Age?"), None, "another question");
    assert_eq!(found(2, "Age?"), None, "nobody answered");
}

fn prompted(step: u32) -> Event {
    let prompt = Arc::new(PromptRecord::default());
    Event::Call(activation("chat"), CallEvent::PromptRendered { step, prompt, sampling: None })
}
