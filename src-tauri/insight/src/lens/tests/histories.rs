//! Histories and conversations that a prompt refers to: turns of loops, their pins and summaries, and cleared histories.

use serde_json::{Value, json};

use super::{committed, created, in_epoch, journal, message, of, prompt, rendered};
use crate::lens::{CallFilter, Lens, LoopTurnsView, MessagePart};

fn appended(epoch: &[u32], more: &Value) -> Value {
    in_epoch("talk", epoch, "history.appended", more)
}

fn turn(id: &str, role: &str) -> Value {
    message(id, role, id, 3)
}

/// The turns of each conversation, with a mark where they are pinned, and whether it is open.
fn said(events: &[Value]) -> Vec<(String, bool)> {
    let text = |view: &LoopTurnsView| {
        let mark = |pinned: bool| if pinned { "!" } else { "" };
        let turns = view.turns.iter().map(|turn| format!("{}{}", turn.id, mark(turn.pinned)));
        turns.collect::<Vec<_>>().join(" ")
    };
    LoopTurnsView::all_in(&journal(events)).iter().map(|view| (text(view), view.is_open)).collect()
}

#[test]
fn conversations_have_their_turns_with_pins_also_after_their_loops() {
    let pin =
        |turn: &str, pinned: bool| of("talk", "history.pinned", &json!({ "turn": turn, "pinned": pinned }));
    let finished = json!({ "outputs": {}, "metadata": { "durationMs": 1 } });
    let mut events = vec![
        appended(&[], &json!({ "turns": [turn("a", "user")] })),
        appended(&[], &json!({ "turns": [turn("b", "assistant"), turn("c", "user")], "pinned": ["c"] })),
        appended(&[1], &json!({ "turns": [turn("z", "user")] })),
    ];
    assert_eq!(said(&events), [("a b c!".into(), true), ("z".into(), true)]);
    events.extend([pin("a", true), pin("c", false), pin("nobody", true)]);
    assert_eq!(said(&events)[0].0, "a! b c");
    events.push(in_epoch("talk", &[0, 1], "node.finished", &finished));
    assert_eq!(said(&events)[0], ("a! b c".into(), true), "another node's end");
    events.push(of("talk", "node.finished", &finished));
    assert_eq!(said(&events), [("a! b c".into(), false), ("z".into(), true)]);
}

/// The texts of a prompt with this part, and the number of missing messages.
fn sent(part: &Value) -> (Vec<String>, Option<u64>) {
    let mut whole = json!({ "kind": "turns", "node": "talk", "epoch": [], "first": 0, "tokens": 0 });
    whole.as_object_mut().unwrap().extend(part.as_object().unwrap().clone());
    let summary = json!({ "attempt": "written", "text": "They met.", "tokens": 4, "covered": 2 });
    let lens = Lens::of(&journal(&[
        appended(&[], &json!({ "turns": [turn("a", "user"), turn("b", "assistant")] })),
        appended(&[], &json!({ "turns": [turn("c", "user"), turn("d", "assistant"), turn("e", "user")] })),
        appended(&[1], &json!({ "turns": [turn("x", "user")] })),
        in_epoch("talk", &[2], "node.started", &json!({ "attempt": 1 })),
        in_epoch(
            "talk",
            &[2],
            "node.finished",
            &json!({ "outputs": { "continue": true, "summary": summary }, "metadata": { "durationMs": 0 } }),
        ),
        of("chat", "node.started", &json!({ "attempt": 1 })),
        rendered(0, &prompt(&json!([whole]))),
    ]));
    let call = lens.calls(&CallFilter::default()).remove(0);
    let missing = call.messages.iter().filter(|one| one.part == MessagePart::Missing);
    let missing = missing.filter_map(|one| one.missing).reduce(|sum, one| sum + one);
    let texts = call.messages.into_iter().filter(|one| one.part != MessagePart::Missing).map(|one| one.text);
    (texts.collect(), missing)
}

#[test]
fn prompt_has_the_newest_turns_without_the_own_message() {
    let texts = |part: Value| sent(&part).0;
    assert_eq!(texts(json!({ "first": 1, "count": 3 })), ["b", "c", "d"]);
    assert_eq!(texts(json!({ "first": 1, "own": 2, "count": 3 })), ["b", "d", "e"]);
    assert_eq!(texts(json!({ "epoch": [1], "count": 1 })), ["x"]);
    let current = json!([{ "role": "user", "text": "now", "node": "ask" }]);
    assert_eq!(texts(json!({ "first": 4, "count": 2, "current": current })), ["e", "now"]);
}

#[test]
fn summary_and_pinned_turns_stand_before_the_newest_ones() {
    let part = json!({ "summary": [2], "pinned": [1], "first": 3, "count": 4 });
    assert_eq!(sent(&part), (["They met.", "b", "d", "e"].map(str::to_owned).into(), None));
}

#[test]
fn turns_that_the_journal_does_not_have_are_missing() {
    assert_eq!(sent(&json!({ "first": 3, "count": 3 })), (Vec::new(), Some(3)));
    assert_eq!(sent(&json!({ "summary": [3], "count": 1 })), (Vec::new(), Some(1)));
    assert_eq!(sent(&json!({ "count": 0 })), (Vec::new(), None));
}

#[test]
fn prompt_keeps_messages_of_a_history_that_was_cleared_later() {
    let history = json!({ "kind": "history", "first": "a", "last": "b", "count": 2, "tokens": 2 });
    let lens = Lens::of(&journal(&[
        created(),
        committed(&[message("a", "user", "Hi", 1), message("b", "assistant", "Hello", 1)]),
        of("chat", "node.started", &json!({ "attempt": 1 })),
        rendered(0, &prompt(&json!([history]))),
        of("wipe", "context.changed", &json!({ "contextId": "main", "change": { "kind": "reset" } })),
        committed(&[message("c", "user", "Again", 1)]),
    ]));
    assert_eq!(super::texts(&lens.calls(&CallFilter::default())[0]).len(), 2);
}
