//! Open pauses: answered in any order, at a cost that grows with their number alone.

use serde_json::{Value, json};

use super::Stage;

/// So many questions at once. Each answer is the result of its node.
fn asking(count: usize) -> Value {
    let ask = |at: usize| (format!("ask{at:04}"), json!({ "type": "userInput" }));
    Value::Object((0..count).map(ask).collect())
}

fn waiting(events: &[Value]) -> Vec<&Value> {
    events.iter().filter(|event| event["type"] == "run.waiting").collect()
}

#[test]
fn pauses_may_be_answered_in_any_order() {
    let orders: [fn(usize) -> usize; 3] = [|_| 0, |open| open - 1, |open| open / 2];
    for choose in orders {
        let stage = Stage::new();
        let events = stage.play_answering(&asking(9), &json!([]), &json!({}), |open| {
            let pause = open[choose(open.len())].clone();
            let answer = format!("from {}", pause.node);
            Some((pause, Some(answer.into())))
        });
        let end = events.last().unwrap();
        assert_eq!(end["type"], "run.finished");
        for at in 0..9 {
            let node = format!("ask{at:04}");
            assert_eq!(end["outputs"][&node]["message"], format!("from {node}"));
        }
        assert_eq!(waiting(&events).len(), 9, "the run waits again after each answer but the last");
    }
}

#[test]
fn waiting_run_lists_first_pauses_in_plan_order_and_counts_the_rest() {
    let stage = Stage::new();
    let events = stage.play_answering(&asking(20), &json!([]), &json!({}), |open| {
        Some((open.last().unwrap().clone(), Some("well".into())))
    });
    let waiting = waiting(&events);
    let listed = |event: &Value| event["on"].as_array().unwrap().len();
    let more = |event: &Value| event.get("more").map_or(0, |more| more.as_u64().unwrap());
    let counts: Vec<(usize, u64)> = waiting.iter().map(|event| (listed(event), more(event))).collect();
    let expected: Vec<(usize, u64)> = [20, 19, 18, 17]
        .map(|open| (16, open - 16))
        .into_iter()
        .chain((1..=16).rev().map(|open| (open, 0)))
        .collect();
    assert_eq!(counts, expected);
    assert_eq!(waiting[0]["on"][0]["node"], "ask0000");
}

/// The journal's size per pause does not depend on how many there are.
#[test]
fn journal_of_open_pauses_grows_linearly() {
    let bytes = |count: usize| {
        let stage = Stage::new();
        let events = stage.play_answering(&asking(count), &json!([]), &json!({}), |open| {
            Some((open.last().unwrap().clone(), Some("well".into())))
        });
        serde_json::to_string(&events).unwrap().len() / count
    };
    let (few, many) = (bytes(100), bytes(800));
    assert!(many < few + few / 10, "{few} bytes a pause, then {many}");
}
