//! Nodes that share a context and have no path between them take their turns in plan order, whatever their timing.

use plait_engine::error::ErrorCode;
use plait_engine::id::{Epoch, NodeId};
use plait_engine::journal::SkipReason;

use crate::generate::Case;
use crate::nodes::registry;
use crate::play::Schedule;
use crate::reading::{Final, at, read, show};
use crate::reference::{Expected, Study};

fn study(text: &str) -> (Case, Study, Expected) {
    let case = Case::written(text);
    let study = Study::of(&case.flow).unwrap();
    let expected = study.run(&case.given, case.script).unwrap();
    (case, study, expected)
}

/// Plays the flow under so many schedules and holds the contexts to what they must be.
fn always_the_same(text: &str, times: u64) -> Expected {
    let (case, _, expected) = study(text);
    let piece = case.piece(case.plan().unwrap());
    for seed in 0..times {
        let played = piece.play(Schedule { asynchrony: 7, ..Schedule::seeded(seed) });
        let reading = read(&played.entries).unwrap();
        assert_eq!(reading.contexts, expected.contexts, "seed {seed}\n{}", show(&played.entries));
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
fn two_with_no_path_between_them() {
    let expected = always_the_same(
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
fn more_of_them_some_behind_slow_branches_some_failing() {
    let expected = always_the_same(
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
fn one_that_fails_and_one_that_is_skipped_let_the_next_go_on() {
    let expected = always_the_same(
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
fn inside_a_cycle_and_behind_it() {
    let expected = always_the_same(
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
    let rounds = ["say#0", "outside#0", "say#1", "outside#1", "say#2", "outside#2"];
    assert_eq!(authors(&expected, "here"), rounds);
}

/// A context that comes back over two back edges is followed all the way: from the second round on `late` works in `two`,
/// as `x` does.
#[test]
fn a_context_that_comes_back_twice() {
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
    let (_, study, _) = study(text);
    assert_eq!(
        study.order.iter().map(NodeId::as_str).collect::<Vec<_>>().join(" "),
        "one start two a b y x late"
    );
    assert_eq!(study.back_edges().len(), 2);
    assert_eq!(study.sharing(), [[NodeId::from("x"), "late".into()]]);
    let expected = always_the_same(text, 300);
    assert_eq!(authors(&expected, "one"), ["late#0"]);
    assert_eq!(authors(&expected, "two"), ["x#0.0", "x#0.1", "x#1.0", "x#1.1", "late#1"]);
}

/// Two guests that are told of a context by a value, and one who sits there: which of them comes first is not left to time.
#[test]
fn guests_and_those_who_sit_there() {
    let expected = always_the_same(
        "here: context
         there: context
         slow: effect steps=2
         a: turn salt=1
         b: guest salt=2
         c: guest salt=4
         d: turn salt=5
         told: pass
         here.context -> a.context
         here.handle -> b.who
         here.handle -> told.a
         slow.out -> b.a
         told.out -> c.who
         there.context -> d.context",
        300,
    );
    assert_eq!(authors(&expected, "here"), ["a", "b", "c"]);
    assert_eq!(authors(&expected, "there"), ["d"]);
}

/// Nothing but its name joins `a` to the context it works in.
#[test]
fn a_name_is_enough_to_come_after_the_maker() {
    let expected = always_the_same(
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

/// What a guest hands on is the context it was told of, so who sits behind it shares that one.
#[test]
fn behind_a_guest_is_where_it_was_told_to_go() {
    let expected = always_the_same(
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

/// A guest that is told of one context and has an edge from another works in the one it is told of.
#[test]
fn a_name_goes_before_the_context_edge() {
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
    let expected = always_the_same(text, 300);
    assert_eq!(authors(&expected, "side"), ["add", "behind", "x"]);
    assert_eq!(authors(&expected, "main"), ["y"]);
    let contexts = plait_engine::plan::check(&Case::written(text).flow, &registry()).contexts;
    let of = |id: &str| contexts[&NodeId::from(id)].as_str().to_owned();
    assert_eq!([of("add"), of("behind"), of("y")], ["side", "side", "main"]);
}

#[test]
fn a_name_is_enough_inside_of_a_cycle() {
    let expected = always_the_same(
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

/// A name that comes as a value at run time may be anybody's: who makes a context and who may work in it go by plan order.
#[test]
fn a_name_that_is_only_known_at_run_time_does_not_race_its_maker() {
    let text = "ahead: context
         slow: effect steps=2
         told: source
         w: guest salt=1
         slow.out -> ahead.a
         told.out -> w.who";
    let (case, study, _) = study(text);
    let plan = case.plan().unwrap();
    let place = |id: &str| plan.find(&id.into()).unwrap();
    assert!(
        study.order.iter().position(|id| id.as_str() == "ahead")
            < study.order.iter().position(|id| id.as_str() == "w")
    );
    assert!(
        plan.edges.iter().any(|edge| {
            edge.port.is_none() && (edge.source, edge.target) == (place("ahead"), place("w"))
        }),
        "`w` waits for the maker before it"
    );
}

#[test]
fn a_context_that_waits_for_its_user_is_refused() {
    let case = Case::written(
        "here: context
         a: guest salt=1 names=here
         a.out -> here.a",
    );
    let codes: Vec<_> =
        case.plan().err().unwrap().into_iter().map(|found| (found.code, found.node)).collect();
    assert_eq!(codes, [(ErrorCode::ContextTooEarly, Some(NodeId::from("a")))]);
}

/// Running to a node takes along the maker of the context it names.
#[test]
fn a_named_context_is_part_of_what_a_target_needs() {
    let (case, ..) = study(
        "here: context
         other: context
         a: guest salt=1 names=here",
    );
    let plan = case.plan_to(Some(&"a".into())).unwrap();
    let ids: Vec<_> = plan.nodes.iter().map(|node| node.id.as_str()).collect();
    assert_eq!(ids, ["here", "a"]);
}

/// A name that comes as a value may be anybody's: whoever can be named is part of what a target needs, and what that needs.
#[test]
fn whoever_may_be_named_is_part_of_what_a_target_needs() {
    let case = Case::written(
        "early: source
         here: context
         idle: source
         told: source
         w: guest salt=1
         round: ask
         inside: context
         early.out -> here.a
         told.out -> w.who
         told.out -> round.a
         round.out -> inside.a
         inside.out -> round.b",
    );
    let plan = case.plan_to(Some(&"w".into())).unwrap();
    let ids: Vec<_> = plan.nodes.iter().map(|node| node.id.as_str()).collect();
    assert_eq!(ids, ["early", "here", "told", "w"]);
}
