use std::sync::Arc;

use proptest::prelude::*;
use serde_json::Value;

use super::{TooLarge, trim};
use plait_core::id::{Activation, Epoch};
use plait_llm::context::{Message, Role, ToolCall};

fn message(role: Role, tokens: u32) -> Message {
    Message::plain("m".into(), role, "", Activation { node: "n".into(), epoch: Epoch::root() }, tokens)
}

fn calling(ids: &[&str], tokens: u32) -> Message {
    let calls = ids.iter().map(|id| ToolCall { id: (*id).into(), name: "t".into(), arguments: Value::Null });
    Message { tool_calls: calls.collect(), ..message(Role::Assistant, tokens) }
}

fn result(id: &str, tokens: u32) -> Message {
    Message { tool_call_id: Some(id.into()), ..message(Role::Tool, tokens) }
}

fn start(messages: &[Message], room: u64) -> Result<usize, TooLarge> {
    let all: Vec<_> = messages.iter().cloned().map(Arc::new).collect();
    let found = trim(&all.iter().cloned().collect(), None, room);
    // It makes no difference whether the last message is in the history already.
    if let Some((last, before)) = all.split_last() {
        assert_eq!(trim(&before.iter().cloned().collect(), Some(&**last), room), found);
    }
    found
}

#[test]
fn fitting_history_is_kept_whole() {
    let messages = [
        message(Role::Assistant, 5),
        message(Role::User, 5),
        message(Role::Assistant, 5),
        message(Role::User, 5),
    ];
    assert_eq!(start(&messages, 20), Ok(0));
    assert_eq!(start(&messages, 19), Ok(1));
    assert_eq!(start(&messages, 14), Ok(3));
    assert_eq!(start(&messages, 5), Ok(3));
    assert_eq!(start(&messages, 4), Err(TooLarge { needed: 5, room: 4 }));
}

#[test]
fn latest_user_message_and_its_tool_steps_always_stay() {
    let messages = [
        message(Role::User, 5),
        message(Role::Assistant, 5),
        message(Role::User, 5),
        calling(&["1"], 3),
        result("1", 40),
    ];
    assert_eq!(start(&messages, 50), Ok(2));
    assert_eq!(start(&messages, 47), Err(TooLarge { needed: 48, room: 47 }));
}

#[test]
fn tool_result_is_never_kept_without_its_call() {
    let messages = [
        message(Role::User, 1),
        calling(&["1"], 1),
        message(Role::User, 1),
        result("1", 1),
        message(Role::Assistant, 1),
        message(Role::User, 1),
    ];
    assert_eq!(start(&messages, 6), Ok(0));
    assert_eq!(start(&messages, 4), Ok(5), "not from the question between the call and its result");
}

#[test]
fn history_without_user_message_must_fit_whole() {
    assert_eq!(start(&[], 0), Ok(0));
    assert_eq!(start(&[message(Role::Assistant, 3)], 3), Ok(0));
    assert_eq!(start(&[message(Role::Assistant, 3)], 2), Err(TooLarge { needed: 3, room: 2 }));
}

/// The reference: tries every start, first to last.
fn reference(messages: &[Message], room: u64) -> Result<usize, TooLarge> {
    let tokens = |from: usize| messages[from..].iter().map(|message| u64::from(message.tokens)).sum::<u64>();
    if tokens(0) <= room {
        return Ok(0);
    }
    let latest = messages.iter().rposition(|message| message.role == Role::User);
    let Some(latest) = latest else { return Err(TooLarge { needed: tokens(0), room }) };
    if tokens(latest) > room {
        return Err(TooLarge { needed: tokens(latest), room });
    }
    let whole = |from: usize| {
        let mut known = Vec::new();
        messages[from..].iter().all(|message| {
            known.extend(message.tool_calls.iter().map(|call| call.id.clone()));
            message.tool_call_id.as_ref().is_none_or(|id| known.contains(id))
        })
    };
    let fits = |from: &usize| messages[*from].role == Role::User && tokens(*from) <= room && whole(*from);
    Ok((0..latest).find(fits).unwrap_or(latest))
}

fn any_message() -> impl Strategy<Value = Message> {
    prop_oneof![
        3 => (0_u32..20).prop_map(|tokens| message(Role::User, tokens)),
        3 => (0_u32..20).prop_map(|tokens| message(Role::Assistant, tokens)),
        2 => (0_u32..20, prop::collection::vec(0_usize..4, 1..3)).prop_map(|(tokens, ids)| {
            let ids: Vec<_> = ids.into_iter().map(|id| ["a", "b", "c", "d"][id]).collect();
            calling(&ids, tokens)
        }),
        2 => (0_u32..20, 0_usize..4).prop_map(|(tokens, id)| result(["a", "b", "c", "d"][id], tokens)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, ..ProptestConfig::default() })]

    /// Histories of several chunks, with and without tools, and room for each number of messages.
    #[test]
    fn long_trim_matches_the_reference(
        mut messages in prop::collection::vec(any_message(), 100..180),
        tools in any::<bool>(),
    ) {
        messages.retain(|message| tools || (message.tool_calls.is_empty() && message.tool_call_id.is_none()));
        let mut room = 0;
        for at in (0..messages.len()).rev() {
            room += u64::from(messages[at].tokens);
            prop_assert_eq!(start(&messages, room), reference(&messages, room), "room for all from {}", at);
        }
    }
}

proptest! {
    #[test]
    fn trim_matches_the_reference(messages in prop::collection::vec(any_message(), 0..14), room in 0_u64..150) {
        prop_assert_eq!(start(&messages, room), reference(&messages, room));
    }

    #[test]
    fn more_room_never_keeps_less(messages in prop::collection::vec(any_message(), 0..14), room in 0_u64..150) {
        if let Ok(start_small) = start(&messages, room) {
            prop_assert!(start(&messages, room + 1).unwrap() <= start_small);
        }
    }
}
