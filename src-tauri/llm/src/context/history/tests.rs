use std::sync::Arc;

use plait_core::origin::{Origin, Origins};
use proptest::prelude::*;

use super::*;
use crate::context::ToolCall;
use plait_core::id::{Activation, Epoch};

fn message(role: Role, tokens: u32, called: bool) -> SharedMessage {
    let call = ToolCall { id: "1".into(), name: "t".into(), arguments: serde_json::Value::Null };
    Arc::new(Message {
        origins: Origins::NONE,
        id: "m".into(),
        role,
        content: "".into(),
        reasoning: None,
        tool_calls: if called { vec![call] } else { Vec::new() },
        tool_call_id: (role == Role::Tool).then(|| "1".into()),
        provider_state: None,
        repeats: None,
        truncated: false,
        is_error: false,
        author: Activation { node: "n".into(), epoch: Epoch::root() },
        tokens,
        hash: crate::context::KeptHash::default(),
    })
}

fn any_message() -> impl Strategy<Value = SharedMessage> {
    let role = prop_oneof![Just(Role::System), Just(Role::User), Just(Role::Assistant), Just(Role::Tool)];
    (role, 0_u32..100, any::<bool>()).prop_map(|(role, tokens, called)| message(role, tokens, called))
}

fn any_origins() -> impl Strategy<Value = Origins> {
    let host = || (0..3).prop_map(|number| Origins::of(Origin::Host(format!("{number}.example.com"))));
    prop_oneof![Just(Origins::NONE), host()]
}

/// Whether the statistics match the messages.
fn is_consistent(history: &History) -> bool {
    let seen = |stats: MessageStats| (stats.tokens, stats.is_user(), stats.has_tools());
    let stored = history.stats_newest_first().flat_map(|chunk| chunk.iter().rev()).copied().map(seen);
    let expected = history.iter().rev().map(|message| {
        let has_tools = message.role == Role::Tool || !message.tool_calls.is_empty();
        (message.tokens, message.role == Role::User, has_tools)
    });
    stored.eq(expected)
}

/// A message that only shared parts of histories hold is counted once, however many histories share these parts.
#[test]
fn removal_does_not_rebuild_the_history() {
    let messages: Vec<_> = (0..50_000).map(|_| message(Role::User, 1, false)).collect();
    let history: History = messages.iter().cloned().collect();
    let mut rest = history.clone();
    rest.remove(0);
    let copied = messages.iter().filter(|message| Arc::strong_count(message) > 2).count();
    assert!(copied < 500, "{copied} of 50,000 messages were copied");
}

proptest! {
    #[test]
    fn stats_stay_consistent_with_messages(
        messages in prop::collection::vec(any_message(), 0..300),
        more in prop::collection::vec(any_message(), 0..100),
        popped in 0_usize..5,
    ) {
        let mut history: History = messages.iter().cloned().collect();
        history.extend(more.iter().cloned());
        (0..popped).for_each(|_| history.pop());
        prop_assert!(is_consistent(&history));
        let mut all: Vec<_> = messages.into_iter().chain(more).collect();
        all.truncate(all.len().saturating_sub(popped));
        prop_assert!(history.iter().eq(&all));
    }
}

#[test]
fn message_is_found_by_its_id_and_by_what_it_repeats() {
    let named = |id: &str, repeats: Option<&str>| {
        let plain = message(Role::User, 1, false);
        Arc::new(Message { id: id.into(), repeats: repeats.map(Into::into), ..Message::clone(&plain) })
    };
    let mut history: History =
        [named("a", None), named("b", Some("far")), named("c", None)].into_iter().collect();
    assert_eq!((history.position(&"b".into()), history.position(&"far".into())), (Some(1), None));
    let has = |history: &History, id: &str| history.has_each(&[&id.into()]) == [true];
    assert!(has(&history, "far") && has(&history, "c") && !has(&history, "d"));
    assert_eq!(history.has_each(&[&"d".into(), &"c".into(), &"far".into()]), [false, true, true]);
    history.remove(1);
    assert_eq!((history.position(&"c".into()), has(&history, "far")), (Some(1), false));
}

#[test]
fn held_message_is_said_again_in_each_iteration_and_another_one_once() {
    let recorded_in = |epoch: &[u32], repeats: &str| {
        let plain = message(Role::User, 1, false);
        let author = Activation { epoch: Epoch(epoch.into()), ..plain.author.clone() };
        Arc::new(Message {
            id: format!("here{}/0", author.epoch).into(),
            repeats: Some(repeats.into()),
            author,
            ..Message::clone(&plain)
        })
    };
    let is_said = |epoch: &[u32], repeats: &str, reader: &[u32]| {
        let history: History = [recorded_in(epoch, repeats)].into_iter().collect();
        let text = history[0].content.text();
        history.position_of_said(&repeats.into(), &text, &Epoch(reader.into())).is_some()
    };
    // Said before the loop, which holds it.
    assert!(is_said(&[0], "outside/1", &[0]) && !is_said(&[0], "outside/1", &[1]));
    assert!(is_said(&[], "outside/1", &[1]) && is_said(&[1], "outside/1", &[]));
    // Said in the loop, and passed on to the next iteration.
    assert!(is_said(&[0], "inside#0/1", &[1]));
    // Said in the inner of two loops, and passed on to its next iteration.
    assert!(is_said(&[0, 0], "inner#0.0/1", &[0, 1]) && !is_said(&[0, 0], "inner#0/1", &[0, 1]));
    // Said in the outer loop, held by the inner one.
    assert!(!is_said(&[1, 0], "outer#0/1", &[1, 1]) && is_said(&[0], "outer#0/1", &[1, 1]));
}

proptest! {
    #[test]
    fn suffix_and_append_keep_statistics(
        messages in prop::collection::vec(any_message(), 0..200),
        cut in 0_usize..220,
    ) {
        let all: History = messages.iter().cloned().collect();
        let suffix = all.suffix(cut);
        prop_assert!(is_consistent(&suffix));
        let mut joined = all.prefix(cut);
        prop_assert!(is_consistent(&joined));
        joined.append(suffix);
        prop_assert!(is_consistent(&joined));
        prop_assert_eq!(joined, all);
    }

    #[test]
    fn totals_and_copies_are_those_of_the_messages(
        messages in prop::collection::vec((any_message(), any_origins()), 0..300),
        start in 0_usize..320,
        length in 0_usize..320,
    ) {
        let with_origins = |(message, origins): (SharedMessage, Origins)| {
            Arc::new(Message { origins, ..Message::clone(&message) })
        };
        let messages: Vec<SharedMessage> = messages.into_iter().map(with_origins).collect();
        let history: History = messages.iter().cloned().collect();
        let inside = || messages.iter().skip(start).take(length);
        let tokens: u64 = inside().map(|message| u64::from(message.tokens)).sum();
        let origins: Origins = inside().flat_map(|message| message.origins.iter().cloned()).collect();
        prop_assert_eq!(history.totals(start..start + length), (tokens, origins));
        let mut copied = vec![message(Role::User, 1, false)];
        history.copy_from(start, &mut copied);
        prop_assert!(copied.iter().skip(1).eq(messages.iter().skip(start)));
    }
}
