use std::sync::Arc;

use proptest::prelude::*;

use super::*;
use crate::context::{Message, Role};
use crate::loop_history::HistoryTurn;
use crate::loop_history::tests::{alternating, history, texts, turn};
use plait_core::id::{Activation, Epoch};

fn token_bound(max_tokens: u64) -> HistoryBounds {
    HistoryBounds { max_tokens: Some(max_tokens), ..HistoryBounds::default() }
}

fn turn_bound(max_turns: usize) -> HistoryBounds {
    HistoryBounds { max_turns: Some(max_turns), ..HistoryBounds::default() }
}

fn summary(covered: usize, tokens: u32) -> HistorySummary {
    let author = Activation { node: "loop".into(), epoch: Epoch::root() };
    let message = Message::plain("summary".into(), Role::Assistant, "summary", author, tokens);
    HistorySummary { message: Arc::new(message), covered }
}

#[test]
fn truncate_tokens_keeps_the_newest_turns_below_at_and_above_the_bound() {
    let turns = history(&[10, 10, 10]);
    for (bound, kept) in [(31, 3), (30, 3), (29, 2), (20, 2), (19, 1), (9, 0)] {
        let sent = bound_history(&turns, &[], None, None, token_bound(bound));
        assert_eq!(sent.messages.len(), kept, "{bound}");
        assert_eq!(sent.tokens, 10 * kept as u64);
        assert!(sent.tokens <= bound);
    }
    let sent = bound_history(&turns, &[], None, None, token_bound(29));
    assert_eq!(texts(&sent.messages), ["turn 1", "turn 2"]);
    assert_eq!(sent.left_out, [LeftOutTurns { reason: BoundReason::Tokens, range: 0..1, count: 1 }]);
}

#[test]
fn truncate_turns_keeps_the_newest_turns_below_at_and_above_the_bound() {
    let turns = history(&[1000, 1000, 1000]);
    for (bound, kept) in [(4, 3), (3, 3), (2, 2), (1, 1)] {
        assert_eq!(bound_history(&turns, &[], None, None, turn_bound(bound)).messages.len(), kept, "{bound}");
    }
    let sent = bound_history(&turns, &[], None, None, turn_bound(2));
    assert_eq!(sent.left_out, [LeftOutTurns { reason: BoundReason::Turns, range: 0..1, count: 1 }]);
}

#[test]
fn pinned_turns_stay_and_count_inside_the_bound() {
    let turns: LoopHistory = (0..6)
        .map(|at| turn(at, alternating(at), 10))
        .map(|turn| if turn.message.content.is_text("turn 1") { turn.pinned() } else { turn })
        .collect();
    let sent = bound_history(&turns, &[], None, None, token_bound(30));
    assert_eq!(texts(&sent.messages), ["turn 1", "turn 4", "turn 5"]);
    assert_eq!((sent.pinned, sent.tokens), (vec![1], 30));
    assert_eq!(sent.left_out, [LeftOutTurns { reason: BoundReason::Tokens, range: 0..4, count: 3 }]);
    let sent = bound_history(&turns, &[], None, None, turn_bound(1));
    assert_eq!(texts(&sent.messages), ["turn 1"], "never dropped");
}

#[test]
fn own_message_is_left_out_and_takes_no_room() {
    let turns = history(&[10, 10, 10]);
    let sent = bound_history(&turns, &[], None, Some(2), token_bound(20));
    assert_eq!(texts(&sent.messages), ["turn 0", "turn 1"]);
    assert_eq!(sent.left_out, [LeftOutTurns { reason: BoundReason::OwnMessage, range: 2..3, count: 1 }]);
}

#[test]
fn summary_survives_the_bounds_and_counts_inside_them() {
    let turns = history(&[10; 6]);
    let sent = bound_history(&turns, &[], Some(&summary(3, 15)), None, token_bound(35));
    assert_eq!(texts(&sent.messages), ["summary", "turn 4", "turn 5"]);
    assert_eq!(sent.tokens, 35);
    assert_eq!(
        sent.left_out,
        [
            LeftOutTurns { reason: BoundReason::Summarized, range: 0..3, count: 3 },
            LeftOutTurns { reason: BoundReason::Tokens, range: 3..4, count: 1 },
        ]
    );
    let sent = bound_history(&turns, &[], Some(&summary(3, 15)), None, turn_bound(2));
    assert_eq!(texts(&sent.messages), ["summary", "turn 5"]);
}

#[test]
fn pinned_turns_that_the_summary_covers_are_sent_verbatim() {
    let turns: LoopHistory =
        [turn(0, Role::User, 10).pinned(), turn(1, Role::Assistant, 10), turn(2, Role::User, 10)]
            .into_iter()
            .collect();
    let sent = bound_history(&turns, &[], Some(&summary(2, 5)), None, token_bound(100));
    assert_eq!(texts(&sent.messages), ["summary", "turn 0", "turn 2"]);
}

#[test]
fn room_of_the_window_bounds_what_the_settings_allow() {
    let bounds = HistoryBounds { window_room: Some(15), ..token_bound(100) };
    let sent = bound_history(&history(&[10, 10]), &[], None, None, bounds);
    assert_eq!(texts(&sent.messages), ["turn 1"]);
    assert_eq!(sent.left_out[0].reason, BoundReason::Window);
}

/// The same, turn by turn.
fn bound_naively(
    turns: &[HistoryTurn],
    summary: Option<&HistorySummary>,
    own: Option<usize>,
    bounds: HistoryBounds,
) -> Vec<String> {
    let mut keep: Vec<bool> = turns.iter().map(|turn| turn.pinned).collect();
    if let Some(own) = own {
        keep[own] = false;
    }
    let size = |keep: &[bool]| {
        let kept = turns.iter().zip(keep).filter(|(_, keep)| **keep).map(|(turn, _)| &turn.message);
        let sizes: Vec<u64> = summary
            .map(|summary| &summary.message)
            .into_iter()
            .chain(kept)
            .map(|turn| turn.tokens.into())
            .collect();
        (sizes.iter().sum::<u64>(), sizes.len())
    };
    for at in (summary.map_or(0, |summary| summary.covered)..turns.len()).rev() {
        if keep[at] || own == Some(at) {
            continue;
        }
        keep[at] = true;
        let (tokens, count) = size(&keep);
        let fits = bounds.max_tokens.is_none_or(|bound| tokens <= bound)
            && bounds.window_room.is_none_or(|bound| tokens <= bound)
            && bounds.max_turns.is_none_or(|bound| count <= bound);
        if !fits {
            keep[at] = false;
            break;
        }
    }
    let kept =
        turns.iter().zip(&keep).filter(|(_, keep)| **keep).map(|(turn, _)| turn.message.content.text());
    summary.map(|summary| summary.message.content.text()).into_iter().chain(kept).collect()
}

proptest! {
    #[test]
    fn bounded_history_equals_the_naive_reference(
        sizes in prop::collection::vec((1_u32..60, prop::bool::weighted(0.1)), 0..200),
        covered in prop::option::of((0_usize..220, 1_u32..60)),
        own in prop::option::of(0_usize..200),
        max_tokens in prop::option::of(0_u64..3000),
        max_turns in prop::option::of(0_usize..150),
        window_room in prop::option::of(0_u64..3000),
    ) {
        let turns: Vec<HistoryTurn> = sizes
            .iter()
            .enumerate()
            .map(|(at, (tokens, pinned))| HistoryTurn { pinned: *pinned, ..turn(at, alternating(at), *tokens) })
            .collect();
        let own = own.filter(|own| *own < turns.len());
        let summary = covered.map(|(covered, tokens)| summary(covered.min(turns.len()), tokens));
        let bounds = HistoryBounds { max_tokens, max_turns, window_room };
        let history: LoopHistory = turns.iter().cloned().collect();
        let sent = bound_history(&history, &[], summary.as_ref(), own, bounds);
        prop_assert_eq!(texts(&sent.messages), bound_naively(&turns, summary.as_ref(), own, bounds));
        let tokens: u64 = sent.messages.iter().map(|message| u64::from(message.tokens)).sum();
        prop_assert_eq!(sent.tokens, tokens);
        let stats: Vec<u32> =
            sent.messages.stats_newest_first().flat_map(|chunk| chunk.iter().rev()).map(|stats| stats.tokens).collect();
        prop_assert_eq!(stats, sent.messages.iter().rev().map(|message| message.tokens).collect::<Vec<_>>());
        let left_out: usize = sent.left_out.iter().map(|turns| turns.count).sum();
        prop_assert_eq!(left_out + sent.messages.len() - usize::from(summary.is_some()), turns.len());
    }
}
