//! Nodes that share a context and have no path between them take their turns in plan order, at any timing.
use plait_core::id::{Epoch, NodeId};
use plait_journal::SkipReason;
use plait_nodes::codes;

use crate::generate::Case;
use crate::journal_summary::{Final, at, format_journal, summarize};
use crate::nodes::registry;
use crate::reference::{Expected, FlowAnalysis};
use crate::run_harness::Schedule;

fn analysis(text: &str) -> (Case, FlowAnalysis, Expected) {
    let case = Case::written(text);
    let analysis = FlowAnalysis::with_overrides(&case.flow, &case.overrides).unwrap();
    let expected = analysis.run(&case.overrides, case.script).unwrap();
    (case, analysis, expected)
}

/// Runs the flow under many schedules and asserts that the contexts are always the expected ones.
fn assert_same_contexts(text: &str, times: u64) -> Expected {
    let (case, _, expected) = analysis(text);
    let scenario = case.scenario(case.plan().unwrap());
    for seed in 0..times {
        let run = scenario.run(Schedule { asynchrony: 7, ..Schedule::seeded(seed) });
        let summary = summarize(&run.entries).unwrap();
        assert_eq!(summary.contexts, expected.contexts, "seed {seed}\n{}", format_journal(&run.entries));
    }
    expected
}

fn authors(expected: &Expected, context: &str) -> Vec<String> {
    let mut authors: Vec<String> = expected.contexts[context]
        .iter()
        .map(|(id, _)| id.as_str().split_once('/').unwrap().0.to_owned())
        .collect();
    authors.dedup();
    authors
}

#[test]
fn turns_without_a_path_follow_plan_order() {
    let expected = assert_same_contexts(
        "here: context
         late: turn salt=1
         early: turn salt=2
         here.context -> late.context
         here.context -> early.context",
        1000,
    );
    assert_eq!(authors(&expected, "here"), ["early", "late"]);
}

#[test]
fn turns_behind_slow_and_failing_branches_follow_plan_order() {
    let expected = assert_same_contexts(
        "here: context
         slow: effect steps=3
         a: turn salt=1
         b: turn salt=2 fails=1 attempts=3
         c: turn salt=4
         d: turn salt=5
         here.context -> a.context
         here.context -> b.context
         here.context -> c.context
         a.context -> d.context
         slow.out -> a.a",
        1000,
    );
    assert_eq!(authors(&expected, "here"), ["b", "c", "a", "d"], "`a` stands behind `slow` in plan order");
}

#[test]
fn failed_and_skipped_turns_do_not_block_the_next() {
    let expected = assert_same_contexts(
        "here: context
         a: turn salt=3 fails=9 hard=true
         b: turn salt=1
         z: turn salt=2
         seen: maybe
         here.context -> a.context
         a.context -> b.context
         a.error -> seen.a
         here.context -> z.context",
        300,
    );
    let end = |id: &str| expected.activations[&at(&id.into(), &Epoch::root())].end.clone();
    assert_eq!(end("a"), Some(Final::Failed { code: "test.failed".to_owned(), handled: true }));
    assert_eq!(end("b"), Some(Final::Skipped(SkipReason::DeadInput)));
    assert_eq!(authors(&expected, "here"), ["z"]);
}

#[test]
fn turns_of_a_cycle_and_its_follower_alternate() {
    let expected = assert_same_contexts(
        "here: context
         head: mix
         say: turn salt=1 maxEpochs=3
         tail: mix
         outside: turn salt=2
         start: source
         start.out -> head.a
         tail.out -> head.b
         head.out -> say.a
         here.context -> say.context
         say.out -> tail.a
         tail.out -> outside.a
         here.context -> outside.context",
        300,
    );
    let iterations = ["say#0", "outside#0", "say#1", "outside#1", "say#2", "outside#2"];
    assert_eq!(authors(&expected, "here"), iterations);
}

/// A context that arrives over two back edges is traced to its maker: from the second iteration on, `late` works in `two`,
/// as `x` does.
#[test]
fn context_over_two_back_edges_joins_its_group() {
    let text = "one: context
         two: context
         start: source
         a: relay maxEpochs=2
         late: turn salt=2
         b: relay maxEpochs=2
         x: turn salt=7
         y: relay
         one.context -> a.context
         start.out -> a.a
         y.context -> a.context
         a.context -> late.context
         a.out -> b.a
         x.context -> b.context
         b.context -> y.context
         b.out -> y.a
         y.out -> x.a
         two.context -> x.context";
    let (_, analysis, _) = analysis(text);
    assert_eq!(
        analysis.order.iter().map(NodeId::as_str).collect::<Vec<_>>().join(" "),
        "one start two a b y x late"
    );
    assert_eq!(analysis.back_edges().len(), 2);
    assert_eq!(analysis.sharing(), [[NodeId::from("x"), "late".into()]]);
    let expected = assert_same_contexts(text, 300);
    assert_eq!(authors(&expected, "one"), ["late#0"]);
    assert_eq!(authors(&expected, "two"), ["x#0.0", "x#0.1", "x#1.0", "x#1.1", "late#1"]);
}

/// Two guests with a context named by a value, and one with a context edge: their order does not depend on timing.
#[test]
fn turns_by_value_and_by_edge_share_plan_order() {
    let expected = assert_same_contexts(
        "here: context
         there: context
         slow: effect steps=2
         a: turn salt=1
         b: guest salt=2
         c: guest salt=4
         d: turn salt=5
         value: pass
         here.context -> a.context
         here.handle -> b.who
         here.handle -> value.a
         slow.out -> b.a
         value.out -> c.who
         there.context -> d.context",
        300,
    );
    assert_eq!(authors(&expected, "here"), ["a", "b", "c"]);
    assert_eq!(authors(&expected, "there"), ["d"]);
}

/// Nothing but its name joins `a` to the context it works in.
#[test]
fn named_context_orders_user_after_maker() {
    let expected = assert_same_contexts(
        "here: context
         slow: effect steps=2
         a: guest salt=1 names=here
         z: turn salt=2
         slow.out -> here.a
         here.context -> z.context",
        300,
    );
    assert_eq!(authors(&expected, "here"), ["a", "z"]);
}

/// A guest hands on the context that it names, so a node behind it shares that context.
#[test]
fn context_behind_a_guest_is_the_one_it_names() {
    let expected = assert_same_contexts(
        "here: context
         add: guest salt=1
         chat1: turn salt=2
         chat2: turn salt=4
         here.handle -> add.who
         add.context -> chat1.context
         here.context -> chat2.context",
        300,
    );
    assert_eq!(authors(&expected, "here"), ["add", "chat1", "chat2"]);
}

/// A guest that names one context and has an edge from another works in the one that it names.
#[test]
fn named_context_takes_precedence_over_context_edge() {
    let text = "main: context
         side: context
         add: guest salt=1 names=side
         behind: turn salt=2
         x: turn salt=4
         y: turn salt=5
         main.context -> add.context
         add.context -> behind.context
         side.context -> x.context
         main.context -> y.context";
    let expected = assert_same_contexts(text, 300);
    assert_eq!(authors(&expected, "side"), ["add", "behind", "x"]);
    assert_eq!(authors(&expected, "main"), ["y"]);
    let contexts = plait_run::plan::check(&Case::written(text).flow, registry()).contexts;
    let of = |id: &str| contexts[&NodeId::from(id)].as_str().to_owned();
    assert_eq!([of("add"), of("behind"), of("y")], ["side", "side", "main"]);
}

#[test]
fn named_context_orders_user_in_a_cycle_after_maker() {
    let expected = assert_same_contexts(
        "here: context
         slow: effect steps=2
         start: source
         a: mix
         b: guest salt=1 names=here maxEpochs=2
         slow.out -> here.a
         start.out -> a.a
         a.out -> b.a
         b.out -> a.b",
        300,
    );
    assert_eq!(authors(&expected, "here"), ["b#0", "b#1"]);
}

/// A value names the context at run time, and nothing joins the user to the maker, which is slow.
#[test]
fn context_named_at_run_time_waits_for_earlier_maker() {
    let expected = assert_same_contexts(
        "ahead: context
         slow: effect steps=2
         value: pass
         w: guest salt=1
         slow.out -> ahead.a
         value.a = {\"contextId\": \"ahead\"}
         value.out -> w.who",
        300,
    );
    assert_eq!(authors(&expected, "ahead"), ["w"]);
}

#[test]
fn context_whose_maker_depends_on_user_is_refused() {
    let case = Case::written(
        "here: context
         a: guest salt=1 names=here
         a.out -> here.a",
    );
    let codes: Vec<_> =
        case.plan().err().unwrap().into_iter().map(|found| (found.code, found.node)).collect();
    assert_eq!(codes, [(codes::CONTEXT_TOO_EARLY, Some(NodeId::from("a")))]);
}

#[test]
fn run_to_node_includes_maker_of_named_context() {
    let (case, ..) = analysis(
        "here: context
         other: context
         a: guest salt=1 names=here",
    );
    let plan = case.plan_to(Some(&"a".into())).unwrap();
    let ids: Vec<_> = plan.nodes.iter().map(|node| node.id.as_str()).collect();
    assert_eq!(ids, ["here", "a"]);
}

/// A value may name any context, so a target needs all makers of contexts that can be named, and their dependencies.
#[test]
fn run_to_node_includes_all_nameable_makers() {
    let case = Case::written(
        "early: source
         here: context
         idle: source
         value: source
         w: guest salt=1
         round: ask
         inside: context
         early.out -> here.a
         value.out -> w.who
         value.out -> round.a
         round.out -> inside.a
         inside.out -> round.b",
    );
    let plan = case.plan_to(Some(&"w".into())).unwrap();
    let ids: Vec<_> = plan.nodes.iter().map(|node| node.id.as_str()).collect();
    assert_eq!(ids, ["early", "here", "value", "w"]);
}

/// A value given for `who` names the context in place of the edge. One that names none leaves the guest without a context,
/// so it takes no turn and nothing waits for it.
#[test]
fn override_of_context_input_replaces_context_edge() {
    let mut case = Case::written(
        "here: context
         a: turn fails=3 salt=59
         b: guest salt=96
         c: turn salt=1
         here.context -> a.context
         here.context -> b.context
         b.context -> c.context",
    );
    let who = [("who".into(), serde_json::json!(802))];
    case.overrides.insert("b".into(), who.into());
    let analysis = FlowAnalysis::of(&case.flow).unwrap();
    let expected = analysis.run(&case.overrides, case.script).unwrap();
    assert!(analysis.sharing().is_empty());
    let plan = case.plan().unwrap();
    assert!(!plan.nodes[plan.find(&"b".into()).unwrap()].contexts.takes_turns());
    let scenario = case.scenario(plan);
    for seed in 0..300 {
        let run = scenario.run(Schedule { asynchrony: 7, ..Schedule::seeded(seed) });
        super::matches_reference::assert_matches(&scenario, &run, &expected).unwrap();
    }
}
