use plait_core::origin::Origins;
use std::sync::Arc;

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
    })
}

fn any_message() -> impl Strategy<Value = SharedMessage> {
    let role = prop_oneof![Just(Role::System), Just(Role::User), Just(Role::Assistant), Just(Role::Tool)];
    (role, 0_u32..100, any::<bool>()).prop_map(|(role, tokens, called)| message(role, tokens, called))
}

/// Whether the statistics and indexes match the messages.
fn is_consistent(history: &History) -> bool {
    let seen = |stats: MessageStats| (stats.tokens, stats.is_user, stats.has_tools);
    let stored = history.stats_newest_first().flat_map(|chunk| chunk.iter().rev()).copied().map(seen);
    let expected = history.iter().rev().map(|message| {
        let has_tools = message.role == Role::Tool || !message.tool_calls.is_empty();
        (message.tokens, message.role == Role::User, has_tools)
    });
    let system = (0..).zip(history.iter()).filter(|(_, message)| is_system(message));
    stored.eq(expected) && history.system.iter().copied().eq(system.map(|(place, _)| place))
}

/// A message that only shared parts of histories hold is counted once, however many histories share these parts.
#[test]
fn take_system_does_not_rebuild_the_history() {
    let messages: Vec<_> =
        (0..50_000).map(|at| message(if at == 0 { Role::System } else { Role::User }, 1, false)).collect();
    let history: History = messages.iter().cloned().collect();
    let mut rest = history.clone();
    assert_eq!(rest.take_system().len(), 1);
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

        let system = history.take_system();
        prop_assert!(is_consistent(&history) && history.system.is_empty());
        let (system_messages, others): (Vec<_>, Vec<_>) = all.into_iter().partition(is_system);
        prop_assert!(system.iter().eq(&system_messages) && history.iter().eq(&others));
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
fn removal_keeps_the_places_of_system_messages() {
    let roles = [Role::User, Role::System, Role::User, Role::System];
    let mut history: History = roles.into_iter().map(|role| message(role, 1, false)).collect();
    history.remove(2);
    assert_eq!(history.take_system().len(), 2);
    assert!(history.iter().all(|message| message.role == Role::User));
}

proptest! {
    #[test]
    fn suffix_and_append_keep_statistics_and_indexes(
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
}
