//! Waits: for time to pass, and for another try.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use serde_json::{Value, json};

use super::{Stage, Still, drive, of, types};
use plait_core::error::Fault;
use plait_nodes::codes;
use plait_run::Driver;
use plait_testing::ScriptedReply;

fn refused(retry_after_ms: Option<u64>) -> ScriptedReply {
    let fault = Fault {
        retry_after_ms,
        ..Fault::new(codes::PROVIDER_RATE_LIMITED, "Too many requests.").retryable()
    };
    ScriptedReply::Failure { partial: String::new(), fault }
}

/// A chat that is tried twice, and a value that goes its own way.
fn nodes() -> Value {
    json!({
        "a": { "type": "contextStart" },
        "b": { "type": "value", "config": { "value": "Go." } },
        "c": { "type": "chat", "retry": { "attempts": 2, "backoffMs": 500, "jitter": 0 } },
        "v": { "type": "value" },
        "w": { "type": "output" },
    })
}

fn edges() -> Value {
    json!(["a.context -> c.context", "b.value -> c.message", "v.value -> w.value"])
}

#[test]
fn waiting_for_another_try_holds_no_place() {
    let stage = Stage::with(Arc::new(Still::default()));
    stage.provider.push_replies([refused(None)]);
    let events = stage.play(&nodes(), &edges(), &json!({ "maxConcurrency": 1 }));
    assert_eq!(types(&of("c", &events)), ["turn.started", "turn.discarded", "node.retrying"]);
    assert_eq!(types(&of("w", &events)), ["node.finished"]);
}

#[test]
fn a_delay_holds_no_place() {
    let stage = Stage::with(Arc::new(Still::default()));
    let nodes = json!({
        "a": { "type": "value" },
        "b": { "type": "delay" },
        "c": { "type": "delay" },
        "v": { "type": "value" },
        "w": { "type": "output" },
    });
    let edges = json!(["a.value -> b.in", "a.value -> c.in", "v.value -> w.value"]);
    let events = stage.play(&nodes, &edges, &json!({ "maxConcurrency": 1 }));
    let began = events.iter().filter(|event| event["type"] == "node.started");
    assert_eq!(began.map(|event| event["node"].clone()).collect::<Vec<_>>(), ["a", "b", "c", "v", "w"]);
}

#[test]
fn places_are_given_back_once_each_when_waits_are_over() {
    let stage = Stage::new();
    stage.provider.push_replies([refused(None)]);
    let mut nodes = nodes();
    nodes["d"] = json!({ "type": "delay" });
    let mut edges = edges();
    edges.as_array_mut().unwrap().push(json!("b.value -> d.in"));
    let events = stage.play(&nodes, &edges, &json!({ "maxConcurrency": 1 }));
    assert_eq!(events.last().unwrap()["type"], "run.finished");
}

#[test]
fn a_provider_that_asks_for_long_is_not_waited_for() {
    let stage = Stage::with(Arc::new(Still::default()));
    stage.provider.push_replies([refused(Some(25 * 60 * 1000))]);
    let events = stage.play(&nodes(), &edges(), &json!({}));
    let failed = of("c", &events).into_iter().find(|event| event["type"] == "node.failed").unwrap();
    assert_eq!(failed["error"]["code"], "provider.rate_limited");
    let said = failed["error"]["message"].as_str().unwrap();
    assert!(said.starts_with("Too many requests.") && said.contains("25 minutes"), "{said}");

    let stage = Stage::with(Arc::new(Still::default()));
    stage.provider.push_replies([refused(Some(10 * 60 * 1000))]);
    let events = stage.play(&nodes(), &edges(), &json!({}));
    assert_eq!(of("c", &events)[2]["delayMs"], 600_000);
}

#[test]
fn resume_waits_out_remaining_backoff() {
    let clock = Arc::new(Still::default());
    let stage = Stage::with(Arc::clone(&clock) as Arc<dyn plait_run::host::Clock>);
    stage.provider.push_replies([refused(None)]);
    stage.play(&nodes(), &edges(), &json!({}));
    let before = stage.entries();
    clock.asked.lock().unwrap().clear();
    for (later, waits) in [(100, vec![400]), (499, vec![1]), (500, vec![])] {
        clock.now.store(later, Ordering::Relaxed);
        let stage = Stage::with(Arc::clone(&clock) as Arc<dyn plait_run::host::Clock>);
        let setup = stage.setup(&nodes(), &edges(), &json!({}), None);
        let (driver, _handle) = Driver::resume(setup, &before).unwrap();
        drive(driver);
        let asked = std::mem::take(&mut *clock.asked.lock().unwrap());
        assert_eq!(asked, waits.into_iter().map(Duration::from_millis).collect::<Vec<_>>());
        let tried = stage.events().iter().any(|event| event["type"] == "node.started");
        assert_eq!(tried, later == 500);
    }
}
