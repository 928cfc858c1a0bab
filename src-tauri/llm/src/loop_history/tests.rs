use std::sync::Arc;

use serde_json::json;

use super::*;
use plait_core::id::Epoch;

/// A turn of so many tokens, with its position as its text.
pub(super) fn turn(at: usize, role: Role, tokens: u32) -> HistoryTurn {
    let author =
        Activation { node: "chat".into(), epoch: Epoch::root().child(u32::try_from(at).unwrap_or(0)) };
    HistoryTurn::new(role, format!("turn {at}"), author, None, Origins::NONE, tokens)
}

/// Turns of so many tokens each, user and assistant alternating.
pub(super) fn history(tokens: &[u32]) -> LoopHistory {
    tokens.iter().enumerate().map(|(at, tokens)| turn(at, alternating(at), *tokens)).collect()
}

pub(super) fn alternating(at: usize) -> Role {
    if at.is_multiple_of(2) { Role::User } else { Role::Assistant }
}

pub(super) fn texts(history: &History) -> Vec<String> {
    history.iter().map(|message| message.content.text()).collect()
}

#[test]
fn content_is_text_as_it_is_and_anything_else_compact_json() {
    assert_eq!(turn_content(&json!("Hello,\nthere.")), Some("Hello,\nthere.".to_owned()));
    assert_eq!(turn_content(&json!({ "b": [1, 2], "a": null })), Some(r#"{"a":null,"b":[1,2]}"#.to_owned()));
    assert_eq!(turn_content(&json!(["x"])), Some(r#"["x"]"#.to_owned()));
    assert_eq!(turn_content(&json!(false)), Some("false".to_owned()));
    assert_eq!(turn_content(&json!(null)), None);
    assert_eq!(turn_content(&json!("  \n")), None);
}

#[test]
fn converted_turns_keep_everything_but_content_and_tokens() {
    let turns: LoopHistory =
        [turn(0, Role::User, 5), turn(1, Role::Assistant, 6).pinned()].into_iter().collect();
    let count = |content: &Content| u32::try_from(content.text().len()).unwrap_or(0);
    let converted = turns.converted(Content::clone, count);
    let tokens: Vec<u32> = converted.messages().iter().map(|turn| turn.tokens).collect();
    assert_eq!(tokens, [6, 6]);
    assert_eq!(converted.pinned().collect::<Vec<_>>(), [1]);
    assert_eq!(texts(converted.messages()), texts(turns.messages()));
}

#[test]
fn clones_share_their_turns() {
    let mut turns = history(&[1; 100]);
    let before = turns.clone();
    turns.push(turn(100, Role::User, 1));
    assert_eq!((before.len(), turns.len()), (100, 101));
    let pair = before.messages().get(7).zip(turns.messages().get(7));
    assert!(pair.is_some_and(|(a, b)| Arc::ptr_eq(a, b)));
}
