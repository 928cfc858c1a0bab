//! A refused cycle hides no finding about the rest of the flow, and causes none.

use plait_core::diagnostic::Diagnostic;
use plait_core::id::NodeId;
use plait_run::plan;

use super::outline::outline_of;
use crate::nodes::registry;
use crate::notation::flow;

/// Two nodes that feed each other, with nothing that bounds them.
const UNBOUNDED: &str = "
    start: source
    draft: mix
    critique: mix
    start.out -> draft.a
    draft.out -> critique.a
    critique.out -> draft.b\n";

/// Two nodes that each wait for the other.
const STUCK: &str = "
    left: mix maxEpochs=2
    right: mix
    left.out -> right.a
    right.out -> left.a\n";

/// The codes found in `text`, each with the node that it is about.
fn findings(text: &str) -> Vec<String> {
    let found = plan::check(&flow(text), registry()).diagnostics;
    let name = |found: &Diagnostic| {
        format!("{} {}", found.code, found.node.as_ref().map_or("", |node| node.as_str()))
    };
    found.iter().map(name).collect()
}

/// Asserts that the findings of a flow are the same with a refused cycle in it, plus the one about that cycle.
fn assert_reported_with_refused_cycle(rest: &str, expected: &[&str]) {
    assert_eq!(findings(rest), expected, "alone");
    let unbounded = [&["flow.circular critique"], expected].concat();
    assert_eq!(findings(&format!("{UNBOUNDED}{rest}")), unbounded, "with an unbounded cycle");
    let stuck = [&["flow.circular left"], expected].concat();
    assert_eq!(findings(&format!("{STUCK}{rest}")), stuck, "with a cycle that can't start");
}

#[test]
fn refused_cycle_does_not_hide_doubly_fed_inputs() {
    assert_reported_with_refused_cycle(
        "one: source
         two: source
         m: mix
         one.out -> m.a
         two.out -> m.a",
        &["port.fed_twice m"],
    );
}

#[test]
fn refused_cycle_does_not_hide_unordered_turns() {
    assert_reported_with_refused_cycle(
        "here: context
         x: turn
         y: turn
         here.context -> x.context
         here.context -> y.context",
        &["context.unordered y"],
    );
}

#[test]
fn refused_cycle_does_not_hide_turns_shared_with_an_inner_cycle() {
    assert_reported_with_refused_cycle(
        "here: context
         s: source
         outer: mix maxEpochs=2
         inner: turn maxEpochs=2
         tail: turn
         s.out -> outer.a
         outer.out -> inner.a
         here.context -> inner.context
         inner.out -> inner.a
         inner.out -> outer.a
         inner.out -> tail.a
         here.context -> tail.context",
        &["context.shared_outside_cycle tail"],
    );
}

#[test]
fn refused_cycle_does_not_hide_unknown_contexts() {
    assert_reported_with_refused_cycle("g: guest names=nowhere", &["context.unknown g"]);
}

#[test]
fn refused_cycle_does_not_hide_contexts_used_too_early() {
    assert_reported_with_refused_cycle(
        "here: context
         g: guest names=here
         g.out -> here.a",
        &["context.too_early g"],
    );
}

#[test]
fn refused_cycle_does_not_hide_mixed_cycles() {
    assert_reported_with_refused_cycle(
        "s: source
         p: mix maxEpochs=2
         q: mix maxEpochs=2
         both: mix
         s.out -> p.a
         p.out -> p.b
         s.out -> q.a
         q.out -> q.b
         p.out -> both.a
         q.out -> both.b",
        &["flow.mixed_cycles both"],
    );
}

#[test]
fn refused_cycle_does_not_hide_another_refused_cycle() {
    let both = format!("{UNBOUNDED}{STUCK}");
    assert_eq!(findings(&both), ["flow.circular critique", "flow.circular left"]);
}

/// The outer cycle is sound, so its nodes are checked; the nodes of the inner one are not.
#[test]
fn refused_inner_cycle_does_not_hide_findings_in_the_outer_one() {
    let outer = "
        here: context
        s: source
        ask: ask
        x: turn
        y: turn
        s.out -> ask.a
        ask.out -> x.a
        ask.out -> y.a
        x.out -> ask.b
        y.out -> ask.b
        here.context -> x.context
        here.context -> y.context\n";
    assert_eq!(findings(outer), ["context.unordered y"]);
    let inner = "
        draft: mix
        critique: mix
        ask.out -> draft.a
        draft.out -> critique.a
        critique.out -> draft.b
        critique.out -> ask.b";
    assert_eq!(findings(&format!("{outer}{inner}")), ["flow.circular critique", "context.unordered y"]);
}

/// The order inside a refused cycle is unknown, so nothing that depends on it is reported.
#[test]
fn refused_cycle_is_not_blamed_for_its_own_order() {
    let turns = "
        here: context
        start: source
        draft: turn
        critique: turn
        start.out -> draft.a
        draft.out -> critique.a
        critique.out -> draft.a
        here.context -> draft.context
        here.context -> critique.context";
    assert_eq!(findings(turns), ["flow.circular critique"]);
}

#[test]
fn follower_of_refused_cycle_is_not_blamed_for_mixing_cycles() {
    let mixed = format!(
        "{UNBOUNDED}
        p: mix maxEpochs=2
        start.out -> p.a
        p.out -> p.b
        both: mix
        critique.out -> both.a
        p.out -> both.b"
    );
    assert_eq!(findings(&mixed), ["flow.circular critique"]);
}

#[test]
fn follower_of_refused_cycle_is_not_blamed_for_its_context() {
    let named = format!(
        "{UNBOUNDED}
        made: context
        g: guest names=made
        critique.out -> made.a"
    );
    assert_eq!(findings(&named), ["flow.circular critique"]);
    let shared = format!(
        "{UNBOUNDED}
        here: context
        x: turn
        y: turn
        here.context -> x.context
        here.context -> y.context
        critique.out -> x.a"
    );
    assert_eq!(findings(&shared), ["flow.circular critique"]);
}

#[test]
fn follower_of_refused_cycle_is_not_blamed_for_doubly_fed_inputs() {
    let twice = format!(
        "{UNBOUNDED}
        m: mix
        critique.out -> m.a
        start.out -> m.a"
    );
    assert_eq!(findings(&twice), ["flow.circular critique"]);
}

#[test]
fn refused_cycle_does_not_hide_contexts_and_back_edges() {
    let rest = "
        here: context
        ask: ask
        x: turn
        here.out -> ask.a
        ask.out -> x.a
        x.out -> ask.b
        here.context -> x.context\n";
    let alone = plan::check(&flow(rest), registry());
    assert_eq!(alone.back_edges.len(), 1);
    assert_eq!(alone.contexts[&NodeId::from("x")].as_str(), "here");
    let beside = plan::check(&flow(&format!("{rest}{STUCK}")), registry());
    assert_eq!(beside.back_edges, alone.back_edges);
    assert_eq!(beside.contexts, alone.contexts);
}

#[test]
fn refused_cycle_is_reported_once() {
    assert_eq!(outline_of(UNBOUNDED).lines().count(), 1);
    assert_eq!(outline_of(STUCK).lines().count(), 1);
}
