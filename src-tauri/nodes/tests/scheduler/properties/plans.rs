//! Small flows and their plans: entries, back edges, order and clocks, or why there is no plan.

mod consequential_errors;
mod outline;
mod refused_cycles;
mod warnings;

use std::collections::BTreeMap;
use std::sync::Arc;

use plait_core::id::NodeId;
use plait_journal::InputOverrides;
use plait_run::plan;

use outline::outline_of;

use super::errors;
use crate::nodes::registry;
use crate::notation::flow;

macro_rules! plans {
    ($($name:ident: $flow:expr, $expected:literal)*) => {
        $(#[test]
        fn $name() {
            let expected: Vec<_> = $expected.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
            assert_eq!(outline_of($flow), expected.join("\n"));
        })*
    };
}

plans! {
    chat_enters_at_user_input: "
        start: context
        userInput: ask
        tools: source
        chat: turn
        start.out -> userInput.a
        userInput.out -> chat.a
        start.context -> chat.context
        tools.out -> chat.a
        chat.out -> userInput.a",
    "
        start tools userInput#userInput chat#userInput
        back to userInput: chat.out -> userInput
        Warning port.fed_twice: Input `a` takes one value, but `tools` and `userInput` can both feed it. The value of `userInput` counts."

    draft_and_critique_nest_in_chat: "
        start: source
        userInput: ask
        draft: mix
        critique: mix
        switch: route maxEpochs=3
        start.out -> userInput.a
        userInput.out -> draft.a
        draft.out -> critique.a
        critique.out -> switch.a
        switch.x -> draft.b
        switch.y -> userInput.a",
    "
        start userInput#userInput draft#userInput#draft critique#userInput#draft switch#userInput#draft
        back to userInput: switch.y -> userInput
        back to draft: switch.x -> draft; at most 3 iterations"

    order_is_by_id_without_edges: "
        a: mix
        b: source
        c: source
        d: mix
        c.out -> a.a
        b.out -> d.a",
    "
        b c a d"

    cycle_members_stay_together: "
        start: source
        m: mix maxEpochs=2
        z: mix
        between: mix
        start.out -> m.a
        m.out -> z.a
        z.out -> m.b
        start.out -> between.a",
    "
        start between m#m z#m
        back to m: z.out -> m; at most 2 iterations"

    cycle_may_have_several_back_edges: "
        start: source
        head: mix maxEpochs=2
        one: route
        start.out -> head.a
        head.out -> one.a
        one.x -> head.a
        one.y -> head.b
        one.z -> head.more",
    "
        start head#head one#head
        back to head: one.x -> head, one.y -> head, one.z -> head; at most 2 iterations"

    node_may_feed_itself: "
        start: source
        again: mix maxEpochs=4
        start.out -> again.a
        again.out -> again.b",
    "
        start again#again
        back to again: again.out -> again; at most 4 iterations"

    entry_fed_from_outside_is_preferred_to_pausing: "
        start: source
        ask: ask
        mix: mix
        start.out -> mix.a
        mix.out -> ask.a
        start.out -> ask.b
        ask.out -> mix.a",
    "
        start mix#mix ask#mix
        back to mix: ask.out -> mix"

    entry_that_pauses_is_preferred: "
        start: source
        a: mix
        b: ask
        start.out -> a.a
        start.out -> b.a
        a.out -> b.a
        b.out -> a.a",
    "
        start b#b a#b
        back to b: a.out -> b
        Warning port.fed_twice: Input `a` takes one value, but `start` and `b` can both feed it. The value of `b` counts."

    entry_is_first_by_id_otherwise: "
        start: source
        a: mix
        b: mix maxEpochs=1
        start.out -> b.a
        start.out -> a.a
        a.out -> b.a
        b.out -> a.a",
    "
        start a#a b#a
        back to a: b.out -> a; at most 1 iterations
        Warning port.fed_twice: Input `a` takes one value, but `start` and `a` can both feed it. The value of `a` counts."

    lowest_bound_of_cycle_applies: "
        start: source
        a: mix maxEpochs=5
        b: mix maxEpochs=2
        start.out -> a.a
        a.out -> b.a
        b.out -> a.b",
    "
        start a#a b#a
        back to a: b.out -> a; at most 2 iterations"

    followers_have_clock_of_followed_cycle: "
        start: source
        outer: mix maxEpochs=2
        inner: mix maxEpochs=2
        leaf: mix
        after: mix
        of_leaf: mix
        of_after: mix
        start.out -> outer.a
        outer.out -> inner.a
        inner.out -> leaf.a
        leaf.out -> inner.b
        leaf.out -> after.a
        after.out -> outer.b
        leaf.out -> of_leaf.a
        after.out -> of_after.a
        start.out -> of_after.b",
    "
        start outer#outer inner#outer#inner leaf#outer#inner after#outer of_after~outer of_leaf~outer~inner
        back to outer: after.out -> outer; at most 2 iterations
        back to inner: leaf.out -> inner; at most 2 iterations"

    turns_in_shared_context_follow_plan_order: "
        here: context
        b: turn
        a: turn
        other: context
        alone: turn
        here.context -> b.context
        here.context -> a.context
        other.context -> alone.context",
    "
        here a b other alone
        turns in here: a, b
        Warning context.unordered: `a` and `b` share a context, but no path between them sets their order. `a` goes first."

    follower_takes_turns_in_context_of_its_cycle: "
        here: context
        start: source
        head: turn maxEpochs=2
        behind: turn
        here.context -> head.context
        start.out -> head.a
        head.out -> head.a
        here.context -> behind.context
        head.out -> behind.a",
    "
        here start head#head behind~head
        back to head: head.out -> head; at most 2 iterations
        turns in here: head, behind"

    portal_joins_its_ends: "
        a: source
        b: source
        in1: portalIn channel=c
        in2: portalIn channel=c
        out: portalOut channel=c
        all: collect
        one: mix
        a.out -> in1.a
        b.out -> in2.a
        out.out -> all.items
        out.out -> one.b
        a.out -> one.a",
    "
        a b all one
        Warning port.fed_twice: Input `b` takes one value, but `a` and `b` can both feed it. The value of `b` counts."

    portal_without_entrance_is_refused: "
        out: portalOut channel=c
        all: maybe
        out.out -> all.a",
    "
        Error portal.no_entrance: Nothing feeds the portal `c`."

    portals_that_feed_each_other_are_refused: "
        in: portalIn channel=c
        out: portalOut channel=c
        all: maybe
        out.out -> in.a
        out.out -> all.a",
    "
        Error portal.no_entrance: Nothing feeds the portal `c`."

    unbounded_cycle_is_refused: "
        start: source
        draft: mix
        critique: mix
        polish: mix
        start.out -> draft.a
        draft.out -> critique.a
        critique.out -> polish.a
        polish.out -> draft.b",
    "
        Error flow.circular: Circular dependency detected at node critique: critique → polish → draft → critique. The cycle is unbounded: no node in it asks a person, and none sets `limits.maxEpochs` for it."

    unbounded_inner_cycle_is_refused: "
        start: source
        ask: ask
        draft: mix
        critique: mix
        start.out -> ask.a
        ask.out -> draft.a
        draft.out -> critique.a
        critique.out -> draft.b
        critique.out -> ask.a",
    "
        Error flow.circular: Circular dependency detected at node critique: critique → draft → critique. The cycle is unbounded: no node in it asks a person, and none sets `limits.maxEpochs` for it."

    cycle_without_entry_is_refused: "
        a: mix maxEpochs=2
        b: mix
        c: mix
        a.out -> b.a
        b.out -> c.a
        c.out -> a.a",
    "
        Error flow.circular: Circular dependency detected at node a: a → b → c → a. None of its nodes can start, because each waits for another."

    node_fed_by_two_cycles_is_refused: "
        start: source
        a: mix maxEpochs=2
        b: mix maxEpochs=2
        both: mix
        start.out -> a.a
        a.out -> a.b
        start.out -> b.a
        b.out -> b.b
        a.out -> both.a
        b.out -> both.b",
    "
        Error flow.mixed_cycles: `both` is fed by the cycle through `b` and by another cycle, so its iteration is undefined."

    cycle_fed_by_another_cycle_sees_one_step: "
        start: source
        a: mix maxEpochs=2
        b: mix maxEpochs=2
        start.out -> a.a
        a.out -> a.b
        a.out -> b.a
        b.out -> b.b",
    "
        start a#a b#b
        back to a: a.out -> a; at most 2 iterations
        back to b: b.out -> b; at most 2 iterations"

    bound_of_inner_cycle_does_not_bound_the_outer: "
        start: source
        outer: mix
        inner: mix maxEpochs=2
        start.out -> outer.a
        outer.out -> inner.a
        inner.out -> inner.b
        inner.out -> outer.b",
    "
        Error flow.circular: Circular dependency detected at node inner: inner → outer → inner. The cycle is unbounded: no node in it asks a person, and none sets `limits.maxEpochs` for it."

    pause_in_inner_cycle_allows_the_outer: "
        start: source
        outer: mix
        inner: ask
        start.out -> outer.a
        outer.out -> inner.a
        inner.out -> inner.b
        inner.out -> outer.b",
    "
        start outer#outer inner#outer#inner
        back to outer: inner.out -> outer
        back to inner: inner.out -> inner"

    context_shared_with_follower_of_inner_cycle_is_refused: "
        here: context
        start: source
        outer: mix maxEpochs=2
        inner: turn maxEpochs=2
        behind: turn
        start.out -> outer.a
        outer.out -> inner.a
        here.context -> inner.context
        inner.out -> inner.a
        inner.out -> outer.a
        inner.out -> behind.a
        here.context -> behind.context",
    "
        Error context.shared_outside_cycle: `behind` runs once per iteration of an inner cycle without being part of it, and shares a context with other nodes."

    wiring_errors_are_all_reported: "
        a: source
        b: mix
        c: unknown
        comment: comment
        here: context
        a.out -> nowhere.a
        a.nothing -> b.a
        a.out -> b.nothing
        here.context -> b.a
        c.out -> b.b",
    "
        Error node.unknown_type: There is no node type `unknown`.
        Error edge.dangling: This edge refers to node `nowhere`, which is not in the flow.
        Error edge.unknown_port: Node `a` has no output `nothing`.
        Error edge.unknown_port: Node `b` has no input `nothing`.
        Error edge.wrong_kind: Output `context` carries a context, but input `a` takes data."

    input_with_two_edges_is_warned_of: "
        a: source
        b: source
        m: mix
        a.out -> m.a
        b.out -> m.a",
    "
        a b m
        Warning port.fed_twice: Input `a` takes one value, but `a` and `b` can both feed it. The value of `b` counts."
}

#[test]
fn limits_out_of_range_are_reported() {
    let pointers = |attempts: u32, concurrency: u32| {
        let mut flow = flow(&format!("a: source attempts={attempts}"));
        flow.settings.max_concurrency = Some(concurrency);
        let found = plan::check(&flow, registry()).diagnostics;
        found.into_iter().map(|diagnostic| diagnostic.pointer).collect::<Vec<_>>()
    };
    assert_eq!(pointers(1, 1), [""; 0]);
    assert_eq!(pointers(100, 600), [""; 0]);
    assert_eq!(pointers(0, 0), ["/nodes/a/retry/attempts", "/settings/maxConcurrency"]);
    assert_eq!(pointers(101, 1), ["/nodes/a/retry/attempts"]);
}

const SMALL: &str = "
    a: source
    m: mix
    n: mix
    note: comment
    way: portalIn channel=c
    a.out -> m.a";

fn refused(overrides: &[(&str, &str)], to: Option<&str>) -> Vec<String> {
    let mut values = InputOverrides::new();
    for (node, port) in overrides {
        let ports: &mut BTreeMap<_, _> = values.entry(NodeId::from(*node)).or_default();
        ports.insert((*port).into(), Arc::new(1.into()));
    }
    let to = to.map(NodeId::from);
    plan::plan(&flow(SMALL), registry(), to.as_ref(), &values).map_or_else(|found| errors(&found), |_| vec![])
}

#[test]
fn overrides_are_checked_against_inputs() {
    assert_eq!(refused(&[], None), ["port.unfed"], "`n.a` needs a value");
    assert_eq!(refused(&[("n", "a")], None), [""; 0]);
    assert_eq!(refused(&[("n", "a"), ("m", "a")], None), ["port.fed_and_overridden"]);
    assert_eq!(refused(&[("n", "a"), ("m", "x")], None), ["port.unknown"]);
    assert_eq!(refused(&[("n", "a"), ("x", "a")], None), ["node.unknown"]);
    assert_eq!(refused(&[("n", "a"), ("note", "a")], None), ["port.unknown"]);
    assert_eq!(refused(&[("n", "a"), ("way", "a")], None), ["port.unknown"], "a portal does not run");
}

#[test]
fn plan_to_a_node_checks_only_its_dependencies() {
    assert_eq!(refused(&[], Some("m")), [""; 0]);
    assert_eq!(refused(&[("n", "a")], Some("m")), [""; 0]);
    assert_eq!(refused(&[("x", "a")], Some("m")), ["node.unknown"]);
    assert_eq!(refused(&[], Some("n")), ["port.unfed"]);
    assert_eq!(refused(&[], Some("x")), ["run.unknown_target"]);
    assert_eq!(refused(&[], Some("note")), ["run.unknown_target"]);
}
