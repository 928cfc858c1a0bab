use plait_core::error::ErrorCode;
use proptest::prelude::*;
use serde_json::Value;

use super::*;
use crate::context::ToolCall;
use plait_core::id::Epoch;

fn message(role: Role, tokens: u32) -> Message {
    Message::plain("m".into(), role, "", Activation { node: "n".into(), epoch: Epoch::root() }, tokens)
}

fn calling(ids: &[u8], tokens: u32) -> Message {
    let calls =
        ids.iter().map(|id| ToolCall { id: id.to_string(), name: "t".into(), arguments: Value::Null });
    Message { tool_calls: calls.collect(), ..message(Role::Assistant, tokens) }
}

fn result(id: u8, tokens: u32) -> Message {
    Message { tool_call_id: Some(id.to_string()), ..message(Role::Tool, tokens) }
}

fn start(messages: &[Message], limits: RecallLimits) -> u64 {
    let newest_first = messages.iter().rev().map(|message| Ok(Arc::new(message.clone())));
    find_recall_start(newest_first, messages.len() as u64, limits).unwrap()
}

const WIDE_LIMITS: RecallLimits = RecallLimits { messages: 100, tokens: 100_000 };

#[test]
fn recall_starts_after_misplaced_tool_calls() {
    let (user, assistant) = (message(Role::User, 1), message(Role::Assistant, 1));
    // A result without its call.
    let history = [user.clone(), assistant.clone(), result(7, 1), user.clone(), assistant.clone()];
    assert_eq!(start(&history, WIDE_LIMITS), 3);
    // A call without its result.
    let history = [user.clone(), calling(&[1], 1), user.clone(), assistant.clone()];
    assert_eq!(start(&history, WIDE_LIMITS), 2);
    // Nothing of the user's.
    assert_eq!(start(&[assistant.clone(), assistant], WIDE_LIMITS), 2);
}

#[test]
fn recall_respects_both_limits() {
    let history: Vec<_> =
        (0..10).map(|place| message(if place % 2 == 0 { Role::User } else { Role::Assistant }, 10)).collect();
    assert_eq!(
        start(&history, RecallLimits { messages: 5, ..WIDE_LIMITS }),
        6,
        "the fifth is not the user's"
    );
    assert_eq!(start(&history, RecallLimits { tokens: 40, ..WIDE_LIMITS }), 6);
    assert_eq!(start(&history, RecallLimits { tokens: 39, ..WIDE_LIMITS }), 8);
    assert_eq!(start(&history, RecallLimits { tokens: 19, ..WIDE_LIMITS }), 10, "not even the latest turn");
    assert_eq!(start(&history, RecallLimits { messages: 0, ..WIDE_LIMITS }), 10);
}

#[test]
fn recall_reads_nothing_beyond_the_limits() {
    let newest_first = [
        Ok(Arc::new(message(Role::User, 10))),
        Err(Fault::new(ErrorCode::from_wire("test.read"), "Read too far.")),
    ];
    let limits = RecallLimits { messages: 1, ..WIDE_LIMITS };
    assert_eq!(find_recall_start(newest_first.into_iter(), 900, limits), Ok(899));
}

/// Whether a model accepts these messages and they are within the limits.
fn is_valid_suffix(messages: &[Message], limits: RecallLimits) -> bool {
    let mut open: Vec<&str> = Vec::new();
    for message in messages {
        match &message.tool_call_id {
            Some(id) => match open.iter().position(|wanted| wanted == id) {
                Some(at) => drop(open.remove(at)),
                None => return false,
            },
            None if !open.is_empty() => return false,
            None => open = message.tool_calls.iter().map(|call| call.id.as_str()).collect(),
        }
    }
    let tokens: u64 = messages.iter().map(|message| u64::from(message.tokens)).sum();
    open.is_empty()
        && messages.first().is_none_or(|first| first.role == Role::User)
        && messages.len() as u64 <= limits.messages
        && tokens <= limits.tokens
}

fn any_history() -> impl Strategy<Value = Vec<Message>> {
    let piece = prop_oneof![
        4 => (1..60_u32).prop_map(|tokens| vec![message(Role::User, tokens)]),
        4 => (1..60_u32).prop_map(|tokens| vec![message(Role::Assistant, tokens)]),
        // In order, as tools answer.
        3 => (any::<bool>(), 1..30_u32).prop_map(|(two, tokens)| {
            let ids: &[u8] = if two { &[1, 2] } else { &[1] };
            let results = ids.iter().rev().map(|id| result(*id, tokens));
            std::iter::once(calling(ids, tokens)).chain(results).collect()
        }),
        // Misplaced.
        1 => (0..4_u8, 1..30_u32).prop_map(|(id, tokens)| vec![result(id, tokens)]),
        1 => (0..4_u8, 1..30_u32).prop_map(|(id, tokens)| vec![calling(&[id], tokens)]),
    ];
    prop::collection::vec(piece, 0..14).prop_map(|pieces| pieces.concat())
}

proptest! {
    /// Compares with trying each suffix, longest first.
    #[test]
    fn recall_keeps_the_longest_valid_suffix(
        history in any_history(),
        messages in 0..24_u64,
        tokens in 0..600_u64,
    ) {
        let limits = RecallLimits { messages, tokens };
        let expected = (0..=history.len()).find(|from| is_valid_suffix(&history[*from..], limits)).unwrap();
        prop_assert_eq!(start(&history, limits), expected as u64);
    }
}
