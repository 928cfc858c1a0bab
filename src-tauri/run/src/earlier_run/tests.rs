use serde_json::json;

use super::*;
use crate::codes;
use crate::journal::Answer;
use crate::models::{Cost, TokenUsage};
use crate::prompt_record::PromptRecord;
use plait_core::error::Fault;
use plait_core::id::Epoch;
use plait_core::origin::Origins;

fn activation(node: &str) -> Activation {
    Activation { node: node.into(), epoch: Epoch::root() }
}

fn entries(events: impl IntoIterator<Item = Event>) -> Vec<Entry> {
    (0..).zip(events).map(|(seq, event)| Entry { seq: Some(seq), at: 0, event }).collect()
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
    };
    Event::Call(activation("chat"), event)
}

fn failed(code: ErrorCode) -> Event {
    Event::Run(RunEvent::Failed {
        origins: Origins::NONE,
        node: "chat".into(),
        epoch: Epoch::root(),
        error: Fault::new(code, "It failed."),
        outputs: BTreeMap::new(),
    })
}

#[test]
fn reply_needs_same_activation_step_and_key() {
    let earlier = EarlierRun::of(&"old".into(), &entries([replied(0, "a", "A"), replied(1, "b", "B")]));
    let found = |node: &str, step, key: &str| {
        earlier
            .reply(&activation(node), step, None, &key.into())
            .map(|found| (found.reply.text, found.event.seq))
    };
    assert_eq!(found("chat", 0, "a"), Some(("A".to_owned(), 0)));
    assert_eq!(found("chat", 1, "b"), Some(("B".to_owned(), 1)));
    assert_eq!(found("chat", 1, "a"), None, "another request");
    assert_eq!(found("chat", 0, "b"), None, "another step");
    assert_eq!(found("other", 0, "a"), None, "another node");
}

#[test]
fn reply_to_a_tool_is_not_the_reply_of_the_node() {
    let place = |index| SamplingRef { call_id: "c".into(), index };
    let mut to_tool = replied(0, "a", "For the tool");
    if let Event::Call(_, CallEvent::ModelReplied { sampling, .. }) = &mut to_tool {
        *sampling = Some(place(1));
    }
    let earlier = EarlierRun::of(&"old".into(), &entries([replied(0, "a", "For the node"), to_tool]));
    let found = |sampling: Option<SamplingRef>| {
        let reply = earlier.reply(&activation("chat"), 0, sampling.as_ref(), &"a".into());
        reply.map(|found| found.reply.text)
    };
    assert_eq!(found(None).as_deref(), Some("For the node"));
    assert_eq!(found(Some(place(1))).as_deref(), Some("For the tool"));
    assert_eq!(found(Some(place(0))), None);
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
    let called = CallEvent::ToolCalled { step: 0, call: call("Rome") };
    let events = [called, finished].map(|event| Event::Call(activation("chat"), event));
    let earlier = EarlierRun::of(&"old".into(), &entries(events));
    let outcome = |city| earlier.tool_result(&activation("chat"), 0, &call(city));
    assert!(
        matches!(outcome("Rome"), Some((result, event)) if result.outcome == Ok(json!("sunny")) && event.seq == 1)
    );
    assert!(outcome("Oslo").is_none());
}

#[test]
fn tool_call_without_result_has_no_outcome() {
    let call = ToolCall { id: "1".to_owned(), name: "weather".to_owned(), arguments: json!({}) };
    let called = Event::Call(activation("chat"), CallEvent::ToolCalled { step: 0, call: call.clone() });
    let earlier = EarlierRun::of(&"old".into(), &entries([called.clone()]));
    assert!(earlier.tool_result(&activation("chat"), 0, &call).is_none());
    assert!(earlier.was_interrupted(&activation("chat"), 0, &call));
    assert!(!earlier.was_interrupted(&activation("chat"), 1, &call), "of another step");

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
    assert!(earlier.tool_result(&activation("chat"), 0, &call).is_some());
    assert!(!earlier.was_interrupted(&activation("chat"), 0, &call));
}

fn failed_call(step: u32, after: Option<Event>) -> (EarlierRun, ToolCall) {
    let call = ToolCall { id: "1".to_owned(), name: "weather".to_owned(), arguments: json!({}) };
    let finished = CallEvent::ToolFinished {
        origins: Origins::NONE,
        step,
        call_id: "1".to_owned(),
        result: None,
        error: Some(Box::new(Fault::new(codes::PROVIDER_UNREACHABLE, "It took too long."))),
        reused: None,
    };
    let called = CallEvent::ToolCalled { step, call: call.clone() };
    let events = [called, finished].map(|event| Event::Call(activation("chat"), event));
    (EarlierRun::of(&"old".into(), &entries(events.into_iter().chain(after))), call)
}

#[test]
fn failure_of_a_tool_is_reused_only_if_the_run_went_on_after_it() {
    let ended = |handled| {
        let error = Fault::new(codes::PROVIDER_UNREACHABLE, "It took too long.");
        let failed = NodeEvent::Failed { error, handled, origins: Origins::NONE };
        Some(Event::Node(activation("chat"), failed))
    };
    let is_reused = |step, after| {
        let (earlier, call) = failed_call(step, after);
        assert!(!earlier.was_interrupted(&activation("chat"), step, &call), "its end is known");
        let forecast = RetryForecast::of(&earlier, &[]).tool_results == 1;
        let reused = earlier.tool_result(&activation("chat"), step, &call).is_some();
        assert_eq!(forecast, reused);
        reused
    };
    assert!(!is_reused(0, None), "the run ended with it");
    assert!(!is_reused(0, ended(false)), "it ended the node");
    assert!(is_reused(0, ended(true)), "its `error` output was wired");
    assert!(is_reused(0, Some(prompted(1, "gpt-4o", 10))), "the model was informed of it");
    assert!(!is_reused(1, Some(prompted(1, "gpt-4o", 10))), "this prompt came before it");
}

#[test]
fn latest_attempt_of_a_tool_call_is_reused() {
    let (_, call) = failed_call(0, None);
    let called = || CallEvent::ToolCalled { step: 0, call: call.clone() };
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
        metadata: crate::journal::FinishMetadata::default(),
    };
    let events = calls.map(|event| Event::Call(activation("chat"), event));
    let events = events.into_iter().chain([Event::Node(activation("chat"), ended)]);
    let earlier = EarlierRun::of(&"old".into(), &entries(events));
    let (result, event) = earlier.tool_result(&activation("chat"), 0, &call).unwrap();
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

fn prompted(step: u32, model: &str, tokens: u64) -> Event {
    let prompt = PromptRecord {
        provider: "openai".to_owned(),
        model: model.to_owned(),
        tokens,
        ..PromptRecord::default()
    };
    Event::Call(
        activation("chat"),
        CallEvent::PromptRendered { step, prompt: Arc::new(prompt), sampling: None },
    )
}

#[test]
fn forecast_counts_what_is_recorded_and_prices_only_what_is_known() {
    let events = [
        prompted(0, "gpt-4o", 1_000),
        replied(0, "a", "A"),
        // Two attempts of one call.
        prompted(1, "gpt-4o", 2_000),
        prompted(1, "gpt-4o", 2_000),
        prompted(2, "nobody knows it", 500),
    ];
    let entries = entries(events);
    let forecast = RetryForecast::of(&EarlierRun::of(&"old".into(), &entries), &entries);
    assert_eq!((forecast.replies.calls, forecast.replies.cost.unpriced), (1, 1), "no account was kept");
    assert_eq!((forecast.bought.calls, forecast.bought.tokens), (2, TokenUsage::new(2_500, 0)));
    let price = crate::models::price("openai", "gpt-4o").unwrap().nano_usd(&TokenUsage::new(2_000, 0));
    assert!(price > 0);
    assert_eq!(forecast.bought.cost, Cost { nano_usd: price, unpriced: 1 });
}
