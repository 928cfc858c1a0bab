use serde_json::json;

use super::*;
use crate::codes;
use crate::loop_history::tests::{alternating, history, turn};
use crate::loop_history::{HistoryTurn, bound_history};
use plait_core::id::{Activation, Epoch};

fn management(ratio: f64) -> HistoryManagement {
    serde_json::from_value(json!({ "strategy": "summarize", "summarize_ratio": ratio }))
        .expect("valid settings")
}

fn no_reply() -> Fault {
    Fault::new(codes::HISTORY_NO_SUMMARY, "The model did not reply.")
}

fn bounds(max_tokens: u64) -> HistoryBounds {
    HistoryBounds { max_tokens: Some(max_tokens), ..HistoryBounds::default() }
}

fn plan(history: &LoopHistory, summary: Option<&HistorySummary>, max_tokens: u64) -> Option<SummaryPlan> {
    SummaryPlan::new(history, summary, None, &management(0.5), bounds(max_tokens))
}

fn written(plan: &SummaryPlan, tokens: u32) -> HistorySummary {
    let attempt = plan.accept("What was said.", tokens, Origins::NONE).expect("short enough");
    let author = Activation { node: "loop".into(), epoch: Epoch::root() };
    HistorySummary::of(&attempt, &author).expect("a summary")
}

#[test]
fn summary_is_due_only_above_the_bound() {
    let turns = history(&[10; 4]);
    assert_eq!(plan(&turns, None, 41), None);
    assert_eq!(plan(&turns, None, 40), None);
    let plan = plan(&turns, None, 39).expect("above the bound");
    assert_eq!((plan.range.clone(), plan.turns.len(), plan.replaced_tokens), (0..2, 2, 20));
    let truncates = HistoryManagement::default();
    assert_eq!(SummaryPlan::new(&turns, None, None, &truncates, bounds(39)), None);
}

#[test]
fn max_turns_makes_a_summary_due_as_well() {
    let bound = |max_turns| HistoryBounds { max_turns: Some(max_turns), ..bounds(4096) };
    let turns = history(&[1; 4]);
    assert_eq!(SummaryPlan::new(&turns, None, None, &management(0.5), bound(4)), None);
    assert!(SummaryPlan::new(&turns, None, None, &management(0.5), bound(3)).is_some());
}

#[test]
fn ratio_says_how_many_of_the_oldest_turns_are_condensed() {
    for (ratio, condensed) in [(0.1, 1), (0.4, 4), (0.41, 5), (0.5, 5), (0.99, 9), (7.0, 5)] {
        let plan = SummaryPlan::new(&history(&[10; 10]), None, None, &management(ratio), bounds(50));
        assert_eq!(plan.map(|plan| plan.range), Some(0..condensed), "{ratio}");
    }
    assert_eq!(plan(&history(&[100]), None, 10), None, "a single turn is not condensed");
}

#[test]
fn summary_is_extended_and_not_written_anew() {
    let mut turns = history(&[10; 6]);
    let first = plan(&turns, None, 50).expect("above the bound");
    let summary = written(&first, 8);
    assert_eq!(summary.covered, 3);
    assert_eq!(plan(&turns, Some(&summary), 50), None, "no second one while it fits");
    (6..10).for_each(|at| turns.push(turn(at, alternating(at), 10)));
    let second = plan(&turns, Some(&summary), 50).expect("above the bound again");
    assert_eq!(second.range, 3..7);
    assert_eq!(
        second.previous.as_ref().map(|message| message.content.text()),
        Some("What was said.".to_owned())
    );
    assert_eq!(second.replaced_tokens, 48);
}

#[test]
fn pinned_turns_are_not_condensed() {
    let turns: LoopHistory =
        (0..4).map(|at| HistoryTurn { pinned: at == 0, ..turn(at, alternating(at), 10) }).collect();
    let plan = plan(&turns, None, 30).expect("above the bound");
    assert_eq!(plan.range, 0..3);
    assert_eq!(plan.turns.len(), 2);
    let sent = bound_history(&turns, &[], Some(&written(&plan, 5)), None, bounds(30));
    let texts: Vec<String> = sent.messages.iter().map(|message| message.content.text()).collect();
    assert_eq!(texts, ["What was said.", "turn 0", "turn 3"]);
}

#[test]
fn summary_that_does_not_help_is_rejected() {
    let plan = plan(&history(&[10; 4]), None, 15).expect("above the bound");
    let accept = |text, tokens| plan.accept(text, tokens, Origins::NONE);
    assert_eq!(accept(" \n", 1), Err(RejectedSummary::Empty));
    assert_eq!(accept("Longer.", 20), Err(RejectedSummary::TooLong { tokens: 20, replaced: 20 }));
    assert_eq!(accept("Long.", 16), Err(RejectedSummary::ExceedsBound { tokens: 16, max_tokens: 15 }));
    assert!(accept("Short.", 15).is_ok());
}

#[test]
fn failed_attempt_waits_until_there_is_twice_as_much() {
    let mut turns = history(&[10; 6]);
    let again = |turns: &LoopHistory| SummaryPlan::new(turns, None, Some(3), &management(0.5), bounds(50));
    let attempt = plan(&turns, None, 50).map(|plan| plan.failed(no_reply()));
    assert_eq!(attempt, Some(SummaryAttempt::Failed { through: 3, error: no_reply() }));
    for at in 6..11 {
        assert_eq!(again(&turns), None, "{at}");
        turns.push(turn(at, alternating(at), 10));
    }
    assert_eq!(again(&turns).map(|plan| plan.range), Some(0..6));
}

#[test]
fn attempts_survive_a_journal() {
    let plan = plan(&history(&[10; 4]), None, 39).expect("above the bound");
    for attempt in [plan.failed(no_reply()), plan.accept("Short.", 5, Origins::NONE).expect("short enough")] {
        let text = serde_json::to_string(&attempt).expect("serializable");
        assert_eq!(serde_json::from_str::<SummaryAttempt>(&text).expect("readable"), attempt);
    }
}
