use plait_core::error::Fault;
use plait_llm::stream_pace::StreamPace;

use super::*;
use crate::codes;
use crate::observed::ObservedRequest;

fn call(begun_ms: u64, said: &[&str], reply: Option<&str>) -> ObservedCall {
    let roles = [Role::User, Role::Assistant].into_iter().cycle();
    let messages = roles.zip(said).map(|(role, text)| Said::new(role, *text)).collect();
    let outcome = match reply {
        Some(text) => {
            Outcome::Replied(Box::new(ModelReply { text: text.to_owned(), ..ModelReply::default() }))
        }
        None => Outcome::Failed(Box::new(Fault::new(codes::PROVIDER_OVERLOADED, "Busy."))),
    };
    ObservedCall {
        agent: None,
        provider: "openai".to_owned(),
        request: ObservedRequest { model: "m".to_owned(), messages, ..ObservedRequest::default() },
        outcome,
        begun_ms,
        ended_ms: begun_ms + 10,
        pace: StreamPace::default(),
    }
}

/// The calls of each conversation, by turn, step and attempt.
fn shape(mut calls: Vec<ObservedCall>) -> Vec<Vec<Vec<Vec<usize>>>> {
    let found = conversations(&mut calls);
    found.into_iter().map(|one| one.turns.into_iter().map(|turn| turn.steps).collect()).collect()
}

#[test]
fn a_call_that_repeats_all_before_is_the_next_turn() {
    let calls =
        vec![call(0, &["a"], Some("b")), call(20, &["a", "b", "c"], Some("d")), call(40, &["x"], Some("y"))];
    assert_eq!(shape(calls), [vec![vec![vec![0]], vec![vec![1]]], vec![vec![vec![2]]]]);
}

#[test]
fn the_same_after_a_failure_is_another_attempt() {
    let calls = vec![
        call(0, &["a"], None),
        call(20, &["a"], None),
        call(40, &["a"], Some("b")),
        call(60, &["a"], Some("b")),
    ];
    assert_eq!(shape(calls), [vec![vec![vec![0, 1, 2]]], vec![vec![vec![3]]]]);
}

#[test]
fn calls_beside_each_other_are_conversations_of_their_own() {
    let calls = vec![
        call(0, &["a"], Some("b")),
        call(5, &["a"], Some("b")),
        call(20, &["a", "other", "c"], Some("d")),
    ];
    assert_eq!(shape(calls).len(), 3);
}
