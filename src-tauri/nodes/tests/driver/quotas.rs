//! Quotas: which calls are sent, and what of a quota is used after a restart.

use serde_json::{Value, json};

use super::{Driver, Stage, drive};
use plait_core::error::{ErrorCode, Fault};
use plait_journal::{CallEvent, Entry, Event, Spending};
use plait_llm::models::TokenUsage;
use plait_llm::provider::ModelReply;
use plait_nodes::codes;
use plait_testing::ScriptedReply;

/// A reply that the provider says took so many tokens.
pub(super) fn reply(text: &str, input: u64, output: u64) -> ScriptedReply {
    let usage = Some(TokenUsage::new(input, output));
    ScriptedReply::Reply(ModelReply { text: text.to_owned(), usage, ..ModelReply::default() })
}

fn failure(code: ErrorCode) -> ScriptedReply {
    ScriptedReply::Failure { partial: "Wel".to_owned(), fault: Fault::new(code, "It failed.") }
}

/// Three calls in a row, each with up to 100 tokens of reply.
fn three_chats(quota: &Value) -> (Value, Value, Value) {
    let chat = json!({ "type": "chat", "config": { "maxTokens": 100 } });
    let nodes = json!({
        "start": { "type": "contextStart" },
        "ask": { "type": "value", "config": { "value": "Go." } },
        "a": chat,
        "b": chat,
        "c": chat,
    });
    let edges = json!([
        "start.context -> a.context",
        "ask.value -> a.message",
        "a.context -> b.context",
        "a.response -> b.message",
        "b.context -> c.context",
        "b.response -> c.message",
    ]);
    (nodes, edges, json!({ "quotas": { "run": quota } }))
}

pub(super) fn play(stage: &Stage, (nodes, edges, settings): &(Value, Value, Value)) -> Vec<Value> {
    stage.play(nodes, edges, settings)
}

fn resume(stage: &Stage, (nodes, edges, settings): &(Value, Value, Value), entries: &[Entry]) -> Vec<Value> {
    *stage.kept.0.lock().unwrap() = entries.to_vec();
    let setup = stage.setup(nodes, edges, settings, None);
    let (driver, _handle) = Driver::resume(setup, entries).unwrap();
    drive(driver);
    stage.events()
}

pub(super) fn end(events: &[Value]) -> (&str, Option<&str>) {
    let last = events.last().unwrap();
    (last["type"].as_str().unwrap(), last.pointer("/error/code").and_then(Value::as_str))
}

pub(super) fn sent(stage: &Stage) -> usize {
    stage.provider.requests().len()
}

/// The use of the run's quota by the latest event about it: spent and reserved.
pub(super) fn used(events: &[Value]) -> (u64, u64) {
    let quotas = events.iter().rev().find_map(|event| event.get("quotas")).unwrap();
    let number = |pointer| quotas.pointer(pointer).and_then(Value::as_u64).unwrap();
    (number("/0/spent/tokens"), number("/0/reserved/tokens"))
}

#[test]
fn call_that_would_exceed_the_quota_of_the_run_is_not_sent() {
    let stage = Stage::new();
    stage.provider.push_replies([reply("One.", 30, 20), reply("Two.", 60, 30)]);
    let events = play(&stage, &three_chats(&json!({ "tokens": 250 })));
    // 50 and 90 are used; the third call reserves more than 100.
    assert_eq!(sent(&stage), 2);
    assert_eq!(end(&events), ("run.failed", Some("quota.exceeded")));
    assert_eq!(used(&events), (140, 0));
}

#[test]
fn report_replaces_what_was_reserved() {
    let stage = Stage::new();
    stage.provider.push_replies([reply("One.", 30, 20), reply("Two.", 60, 30), reply("Three.", 5, 5)]);
    let events = play(&stage, &three_chats(&json!({ "tokens": 300 })));
    assert_eq!(sent(&stage), 3);
    assert_eq!(end(&events), ("run.finished", None));
    assert_eq!(used(&events), (150, 0));
}

#[test]
fn nothing_is_journaled_without_a_quota() {
    let stage = Stage::new();
    let events = stage.play(&three_chats(&Value::Null).0, &three_chats(&Value::Null).1, &json!({}));
    assert_eq!(sent(&stage), 3);
    assert!(!events.iter().any(|event| event["type"].as_str().unwrap().starts_with("quota.")));
}

#[test]
fn call_without_a_report_stays_charged_and_a_refused_one_does_not() {
    for (code, charged) in [
        (codes::PROVIDER_TIMEOUT, true),
        (codes::PROVIDER_SERVER_ERROR, true),
        (codes::PROVIDER_RATE_LIMITED, false),
        (codes::PROVIDER_CERTIFICATE, false),
        (codes::PROVIDER_PROXY, false),
        (codes::KEYS_LOCKED, false),
        (codes::KEYS_PASSPHRASE_MISSING, false),
    ] {
        let stage = Stage::new();
        stage.provider.push_replies([failure(code)]);
        let events = play(&stage, &three_chats(&json!({ "tokens": 300 })));
        let (spent, reserved) = used(&events);
        assert_eq!((spent > 100, reserved), (charged, 0));
        assert_eq!(spent == 0, !charged);
    }
}

#[test]
fn refused_prompt_is_charged_once_and_counts_as_priced() {
    let stage = Stage::new();
    let refusal = Fault::new(codes::PROVIDER_CONTEXT_EXCEEDED, "The prompt is too long.")
        .details(json!({ "tokens": 150_000, "limit": 128_000 }));
    let refused = ScriptedReply::Failure { partial: String::new(), fault: refusal };
    stage.provider.push_replies([refused, reply("One.", 30, 20)]);
    let start = json!({ "type": "contextStart", "config": { "provider": "openai", "model": "gpt-4o" } });
    let nodes = json!({
        "start": start,
        "ask": { "type": "value", "config": { "value": "Go." } },
        "a": { "type": "chat", "config": { "maxTokens": 100 } },
    });
    let edges = json!(["start.context -> a.context", "ask.value -> a.message"]);
    let events = play(&stage, &(nodes, edges, json!({ "quotas": { "run": { "tokens": 1_000 } } })));
    assert_eq!((sent(&stage), end(&events)), (2, ("run.finished", None)));
    assert_eq!(used(&events), (50, 0));
    let spent: Spending = stage.entries().iter().filter_map(|entry| Spending::of(&entry.event)).sum();
    assert_eq!(spent.cost.unpriced, 0, "the refused call cost nothing");
}

#[test]
fn quota_of_a_node_fails_the_node_alone() {
    let stage = Stage::new();
    stage.provider.push_replies([reply("One.", 30, 20)]);
    let nodes = json!({
        "start": { "type": "contextStart" },
        "ask": { "type": "value", "config": { "value": "Go." } },
        "a": { "type": "chat", "config": { "maxTokens": 100 }, "limits": { "quota": { "tokens": 90 } } },
        "b": { "type": "text", "config": { "template": "{{error.code}}" } },
    });
    let edges = json!(["start.context -> a.context", "ask.value -> a.message", "a.error -> b.error"]);
    let events = stage.play(&nodes, &edges, &json!({}));
    assert_eq!(sent(&stage), 0);
    assert_eq!(end(&events), ("run.finished", None));
    let text = events.iter().find(|event| event["node"] == "b" && event["type"] == "node.finished").unwrap();
    assert_eq!(text["outputs"]["text"], "quota.node_exceeded");
}

#[test]
fn person_may_allow_as_much_again() {
    let flow = three_chats(&json!({ "tokens": 250, "onExceeded": "ask" }));
    for (approved, calls, ended) in
        [(true, 3, ("run.finished", None)), (false, 2, ("run.failed", Some("quota.exceeded")))]
    {
        let stage = Stage::new();
        stage.provider.push_replies([reply("One.", 30, 20), reply("Two.", 60, 30), reply("Three.", 5, 5)]);
        let mut asked = 0;
        let events = stage.play_answering(&flow.0, &flow.1, &flow.2, |open| {
            asked += 1;
            assert_eq!(open[0].node.as_str(), "c");
            Some((open[0].clone(), Some(json!({ "approved": approved }))))
        });
        assert_eq!((asked, sent(&stage)), (1, calls));
        assert_eq!(end(&events), ended);
        let question = events.iter().find(|event| event["type"] == "run.paused").unwrap();
        assert_eq!(question["tool"]["kind"], "quota");
        assert!(question["prompt"].as_str().unwrap().contains("Allow 250 tokens more?"), "{question}");
    }
}

#[test]
fn nobody_is_asked_to_allow_a_request_that_cannot_be_sent() {
    let stage = Stage::new();
    stage.provider.refuse_all();
    let (nodes, edges, settings) = three_chats(&json!({ "tokens": 50, "onExceeded": "ask" }));
    let mut asked = 0;
    let events = stage.play_answering(&nodes, &edges, &settings, |open| {
        asked += 1;
        Some((open[0].clone(), Some(json!({ "approved": true }))))
    });
    assert_eq!((asked, sent(&stage)), (0, 0));
    assert_eq!(end(&events), ("run.failed", Some("provider.bad_options")));
}

#[test]
fn allowance_holds_after_a_restart() {
    let flow = three_chats(&json!({ "tokens": 250, "onExceeded": "ask" }));
    let stage = Stage::new();
    stage.provider.push_replies([reply("One.", 30, 20), reply("Two.", 60, 30), reply("Three.", 5, 5)]);
    stage.play_answering(&flow.0, &flow.1, &flow.2, |open| {
        Some((open[0].clone(), Some(json!({ "approved": true }))))
    });
    let entries = stage.entries();
    let answered = entries
        .iter()
        .position(|entry| serde_json::to_value(&entry.event).unwrap()["type"] == "input.provided");
    let stage = Stage::new();
    stage.provider.push_replies([reply("Three.", 5, 5)]);
    let events = resume(&stage, &flow, &entries[..=answered.unwrap()]);
    assert_eq!(sent(&stage), 1);
    assert_eq!(end(&events), ("run.finished", None));
}

#[test]
fn cheaper_model_is_called_instead() {
    let stage = Stage::new();
    let (mut nodes, edges, _) = three_chats(&Value::Null);
    for chat in ["a", "b", "c"] {
        nodes[chat]["config"]["overrideProvider"] = json!("openai");
        nodes[chat]["config"]["overrideModel"] = json!("gpt-4");
        nodes[chat]["config"]["maxTokens"] = json!(4_000);
    }
    let quota = json!({ "usd": 0.2, "onExceeded": "fallback", "fallback": { "provider": "offline", "model": "small" } });
    let events = stage.play(&nodes, &edges, &json!({ "quotas": { "run": quota } }));
    let models: Vec<_> = stage.provider.requests().into_iter().map(|request| request.model).collect();
    assert_eq!(end(&events), ("run.finished", None), "{:#?}", events.last());
    assert_eq!(models, ["small", "small", "small"], "a reply of 4,000 tokens may cost 24 cents");
    let finished =
        events.iter().find(|event| event["node"] == "a" && event["type"] == "node.finished").unwrap();
    assert_eq!(finished["metadata"]["model"], "small");
    let prompts: Vec<_> = events.iter().filter(|event| event["type"] == "prompt.rendered").collect();
    assert!(prompts.iter().all(|event| event["prompt"]["model"] == "small"), "no other prompt was made");
}

/// The first iteration costs more than is left for the second at the same price. With the cheaper model it goes on.
#[test]
fn loop_falls_back_when_an_iteration_would_exceed_the_quota() {
    let stage = Stage::new();
    let nodes = json!({
        "start": { "type": "contextStart" },
        "loop": { "type": "loop", "config": { "kind": "times", "times": 3 } },
        "a": { "type": "chat", "parent": "loop", "config": {
            "prompt": "Go on.", "overrideProvider": "openai", "overrideModel": "gpt-4", "maxTokens": 4_000,
        } },
        "b": { "type": "chat", "parent": "loop", "config": {
            "prompt": "And on.", "overrideProvider": "openai", "overrideModel": "gpt-4", "maxTokens": 1_000,
        } },
    });
    let edges = json!([
        "start.context -> loop.context",
        "loop.context -> a.context",
        "a.context -> b.context",
        "b.response -> loop.next"
    ]);
    stage.provider.push_replies((0..6).map(|_| reply("Well.", 30, 2_000)));
    let quota = json!({ "usd": 0.5, "onExceeded": "fallback", "fallback": { "provider": "offline", "model": "small" } });
    let events = stage.play(&nodes, &edges, &json!({ "quotas": { "run": quota } }));
    let models: Vec<_> = stage.provider.requests().into_iter().map(|request| request.model).collect();
    assert_eq!(end(&events), ("run.finished", None), "{:#?}", events.last());
    // A call of gpt-4 costs 12 cents; before it, `a` may cost 24 and `b` 6. So `a` would exceed the quota: in the
    // second iteration together with `b`, in the third alone.
    assert_eq!(models, ["gpt-4", "gpt-4", "small", "gpt-4", "small", "gpt-4"]);
    let quotas = events.iter().rev().find_map(|event| event.get("quotas")).unwrap();
    assert!(quotas[0]["spent"]["nanoUsd"].as_u64().unwrap() <= 500_000_000, "{quotas}");
}

/// The node's quota allows the cheap model alone, the run's not even that one, and names a dear one.
#[test]
fn quotas_that_fall_back_to_what_the_other_refuses_end_the_call() {
    let stage = Stage::new();
    let quota = |usd: f64, model: &str| json!({ "usd": usd, "onExceeded": "fallback", "fallback": { "provider": "openai", "model": model } });
    let (mut nodes, edges, _) = three_chats(&Value::Null);
    nodes["a"]["config"] =
        json!({ "overrideProvider": "openai", "overrideModel": "gpt-4", "maxTokens": 4_000 });
    nodes["a"]["limits"] = json!({ "quota": quota(0.2, "gpt-4o") });
    let events = stage.play(&nodes, &edges, &json!({ "quotas": { "run": quota(0.03, "gpt-4") } }));
    assert_eq!(sent(&stage), 0, "gpt-4o may cost 4 cents, gpt-4 24");
    assert_eq!(end(&events), ("run.failed", Some("quota.node_exceeded")));
}

#[test]
fn money_cannot_be_limited_without_a_price() {
    let stage = Stage::new();
    let (mut nodes, edges, settings) = three_chats(&json!({ "usd": 1.0 }));
    nodes["a"]["config"]["overrideProvider"] = json!("mine");
    nodes["a"]["config"]["overrideModel"] = json!("nobody-knows");
    let events = stage.play(&nodes, &edges, &settings);
    assert_eq!(sent(&stage), 0);
    assert_eq!(end(&events), ("run.failed", Some("quota.no_price")));
}

#[test]
fn restart_at_any_point_uses_no_more_than_the_quota() {
    let flow = three_chats(&json!({ "tokens": 250 }));
    let stage = Stage::new();
    stage.provider.push_replies([reply("One.", 30, 20), reply("Two.", 60, 30)]);
    play(&stage, &flow);
    let entries = stage.entries();
    let kinds: Vec<_> = entries
        .iter()
        .map(|entry| serde_json::to_value(&entry.event).unwrap()["type"].as_str().unwrap().to_owned())
        .collect();
    for length in 1..entries.len() {
        let stage = Stage::new();
        let replied = kinds[..length].iter().filter(|kind| *kind == "model.replied").count();
        let left = [reply("One.", 30, 20), reply("Two.", 60, 30), reply("Three.", 1, 1)];
        stage.provider.push_replies(left.into_iter().skip(replied));
        let events = resume(&stage, &flow, &entries[..length]);
        assert_eq!(end(&events), ("run.failed", Some("quota.exceeded")), "resumed from {length}");
        // A call that was under way stays charged, so that there is room for fewer.
        let under_way = kinds[..length].iter().filter(|kind| *kind == "quota.reserved").count() > replied;
        let expected = if under_way { 1 } else { 2 };
        assert_eq!(replied + sent(&stage), expected, "resumed from {length}: {:?}", kinds[length - 1]);
    }
}

#[test]
fn every_crash_during_a_call_charges_it_again() {
    // Room for two calls of somewhat more than 100 tokens.
    let flow = three_chats(&json!({ "tokens": 250 }));
    let mut stage = Stage::new();
    stage.provider.push_replies([reply("One.", 30, 20)]);
    play(&stage, &flow);
    let mut entries = stage.entries();
    let first = entries.iter().position(|entry| matches!(entry.event, Event::Call(..))).unwrap();
    entries.truncate(first);
    for crashes in 0..3 {
        stage = Stage::new();
        stage.provider.push_replies([reply("One.", 30, 20)]);
        let events = resume(&stage, &flow, &entries);
        if crashes == 2 {
            assert_eq!((sent(&stage), end(&events)), (0, ("run.failed", Some("quota.exceeded"))));
            return;
        }
        let whole = stage.entries();
        let sent = |entry: &Entry| matches!(entry.event, Event::Call(_, CallEvent::QuotaReserved { .. }));
        let next = entries.len() + whole[entries.len()..].iter().position(sent).unwrap();
        entries = whole[..=next].to_vec();
    }
}

/// Chats that are called at once, by a provider that reports several times what Plait counts.
fn parallel_chats(count: usize, tokens: u64) -> (Value, Value, Value) {
    let mut nodes = json!({ "ask": { "type": "value", "config": { "value": "Go." } } });
    let mut edges = Vec::new();
    for number in 0..count {
        let (start, chat) = (format!("start{number}"), format!("chat{number}"));
        nodes[&start] =
            json!({ "type": "newContext", "config": { "provider": "counts-otherwise", "model": "m" } });
        nodes[&chat] = json!({ "type": "chat", "config": { "maxTokens": 2 } });
        edges.extend([format!("{start}.context -> {chat}.context"), format!("ask.value -> {chat}.message")]);
    }
    (nodes, json!(edges), json!({ "maxConcurrency": 8, "quotas": { "run": { "tokens": tokens } } }))
}

/// What the calls were charged in all.
fn charged(events: &[Value]) -> u64 {
    let charges = events.iter().filter(|event| event["type"] == "quota.reconciled");
    charges.map(|event| event["amount"]["tokens"].as_u64().unwrap()).sum()
}

fn notices(events: &[Value]) -> Vec<&str> {
    let noticed = events.iter().filter(|event| event["type"] == "node.noticed");
    noticed.map(|event| event["notice"]["code"].as_str().unwrap()).collect()
}

#[test]
fn parallel_calls_stay_within_a_quota_when_the_provider_counts_otherwise() {
    let stage = Stage::new();
    stage.provider.push_replies((0..8).map(|_| reply("Ok.", 40, 2)));
    let events = play(&stage, &parallel_chats(8, 200));
    assert_eq!(end(&events), ("run.failed", Some("quota.exceeded")));
    // The first call alone goes beyond what it reserved; three more fit.
    let reserved: Vec<_> = events.iter().filter(|event| event["type"] == "quota.reserved").collect();
    let amounts: Vec<_> = reserved.iter().map(|event| event["amount"]["tokens"].as_u64().unwrap()).collect();
    assert_eq!(amounts[1..], [42, 42, 42], "{events:#?}");
    assert!(charged(&events) <= 200, "{events:#?}");
    assert!(notices(&events).is_empty(), "{events:#?}");
}

#[test]
fn call_that_exceeds_a_quota_nevertheless_says_so() {
    let stage = Stage::new();
    stage.provider.push_replies([reply("Ok.", 400, 2)]);
    let events = play(&stage, &parallel_chats(1, 300));
    assert_eq!(notices(&events), ["quota.overrun"], "{events:#?}");
    let notice = events.iter().find(|event| event["type"] == "node.noticed").unwrap()["notice"].clone();
    let message = notice["message"].as_str().unwrap();
    assert!(message.contains("The quota of the run is 300 tokens, and 402 are used"), "{message}");
}
