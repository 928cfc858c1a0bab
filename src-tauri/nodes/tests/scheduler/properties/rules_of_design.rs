//! One small flow for each rule of the design, with what must come of it written by hand.

use super::matches_reference::assert_matches;
use super::runnable;
use crate::generate::Case;
use crate::journal_summary::Final;
use crate::nodes::semantics::Script;
use crate::reference::{Expected, ExpectedEnd, FlowAnalysis, Refusal};
use crate::run_harness::Schedule;

/// What the reference expects. The engine must match it under any schedule.
fn expected(text: &str) -> Expected {
    let case = Case::written(text);
    let (scenario, _, expected) = runnable(&case).unwrap();
    for seed in 0..100 {
        let run = scenario.run(Schedule { asynchrony: 7, ..Schedule::seeded(seed) });
        assert_matches(&scenario, &run, &expected).unwrap();
    }
    expected
}

/// Like [`expected`], with answers that leave exactly these pauses open.
fn expected_with_open_pauses(text: &str, open: &str) -> Expected {
    let mut case = Case::written(text);
    for seed in 0..10_000 {
        case.script = Script { seed, leaves_some: true };
        let (scenario, _, expected) = runnable(&case).unwrap();
        if !matches!(&expected.end, ExpectedEnd::Waiting { on } if names(on) == open) {
            continue;
        }
        for seed in 0..100 {
            let run = scenario.run(Schedule { asynchrony: 7, ..Schedule::seeded(seed) });
            assert_matches(&scenario, &run, &expected).unwrap();
        }
        return expected;
    }
    panic!("no answers leave {open} open");
}

fn refusal(text: &str) -> Option<Refusal> {
    FlowAnalysis::of(&Case::written(text).flow).err()
}

fn names<T: ToString>(all: &[T]) -> String {
    all.iter().map(T::to_string).collect::<Vec<_>>().join(" ")
}

/// The activations of a node that ran.
fn runs_of(expected: &Expected, node: &str) -> String {
    let ran = expected.activations.iter().filter(|(at, it)| at.node.as_str() == node && it.attempts > 0);
    names(&ran.map(|(at, _)| at).collect::<Vec<_>>())
}

/// Where the values of an input came from, for each activation of its node.
fn sources(expected: &Expected, node: &str, port: &str) -> Vec<String> {
    let of_node = expected.activations.iter().filter(|(at, _)| at.node.as_str() == node);
    let sources = of_node.map(|(_, record)| record.ready.as_ref().and_then(|ready| ready.get(port)));
    let write = |it: &plait_journal::SourceRef| format!("{}{}.{}", it.node, it.epoch, it.port);
    sources.map(|it| it.iter().flat_map(|it| it.iter().map(write)).collect::<Vec<_>>().join(" ")).collect()
}

fn authors(expected: &Expected, context: &str) -> String {
    let ids = expected.contexts[context].iter().map(|(id, _)| id.as_str().split_once('/').unwrap().0);
    let mut ids: Vec<&str> = ids.collect();
    ids.dedup();
    ids.join(" ")
}

/// Drafts inside of a chat: the bound ends the drafts, not the conversation.
#[test]
fn bound_ends_its_innermost_cycle_only() {
    let expected = expected(
        "start: source
         user: ask
         draft: mix maxEpochs=3
         critique: mix
         start.out -> user.a
         user.out -> draft.a
         draft.out -> critique.a
         critique.out -> draft.b
         critique.out -> user.b
         #! answers=3",
    );
    assert_eq!(runs_of(&expected, "user"), "user#0 user#1 user#2");
    assert_eq!(names(&expected.exhausted), "draft#0.2 draft#1.2");
    assert_eq!(names(&expected.epochs), "draft#0.1 draft#0.2 draft#1.1 draft#1.2 user#1 user#2");
}

#[test]
fn bound_of_inner_cycle_does_not_bound_the_outer() {
    let outer_without_bound = "
        start: source
        outer: mix
        inner: mix maxEpochs=2
        start.out -> outer.a
        outer.out -> inner.a
        inner.out -> inner.b
        inner.out -> outer.b";
    assert_eq!(refusal(outer_without_bound), Some(Refusal::Circular));
    assert_eq!(refusal(&outer_without_bound.replace("outer: mix", "outer: mix maxEpochs=2")), None);
    assert_eq!(refusal(&outer_without_bound.replace("outer: mix", "outer: ask")), None);
    // A pause in the inner cycle serves the outer one as well.
    assert_eq!(refusal(&outer_without_bound.replace("inner: mix maxEpochs=2", "inner: ask")), None);
}

/// The pause is skipped in every epoch, since nothing feeds it a live value.
const NOBODY_IS_ASKED: &str = "
    start: source
    calm: effect
    head: mix
    ask: ask
    tail: maybe
    start.out -> head.a
    calm.error -> ask.a
    head.out -> ask.b
    ask.out -> tail.a
    head.out -> tail.b
    tail.out -> head.a";

#[test]
fn cycle_in_which_nobody_is_asked_ends_after_100_epochs() {
    let expected = expected(NOBODY_IS_ASKED);
    assert_eq!(names(&expected.exhausted), "head#99");
    assert_eq!(expected.epochs.len(), 99);
    assert!(matches!(expected.end, ExpectedEnd::Finished { .. }));
}

/// A bound of its own counts all epochs, attended or not.
#[test]
fn cycle_with_a_bound_ignores_unattended_epochs() {
    let bounded = NOBODY_IS_ASKED.replace("tail: maybe", "tail: maybe maxEpochs=150");
    let expected = expected(&bounded);
    assert_eq!(names(&expected.exhausted), "head#149");
}

#[test]
fn cycle_is_a_single_step_to_the_cycle_it_feeds() {
    let expected = expected(
        "start: source
         first: mix maxEpochs=3
         second: mix maxEpochs=2
         start.out -> first.a
         first.out -> first.b
         first.out -> second.a
         second.out -> second.b",
    );
    assert_eq!(runs_of(&expected, "second"), "second#0 second#1");
    assert_eq!(sources(&expected, "second", "a"), ["first#2.out", "first#2.out"]);
    assert_eq!(sources(&expected, "second", "b"), ["", "second#0.out"]);
}

/// What follows the first cycle feeds the second one with its last live value.
#[test]
fn follower_of_a_cycle_feeds_another_when_it_has_run_for_the_last_time() {
    let expected = expected(
        "start: source
         first: mix maxEpochs=3
         behind: effect steps=2
         second: mix maxEpochs=2
         start.out -> first.a
         first.out -> first.b
         first.out -> behind.a
         behind.out -> second.a
         second.out -> second.b",
    );
    assert_eq!(sources(&expected, "second", "a"), ["behind#2.out", "behind#2.out"]);
}

#[test]
fn node_fed_by_two_cycles_is_refused() {
    let both = "
        start: source
        one: mix maxEpochs=2
        two: mix maxEpochs=2
        both: mix
        start.out -> one.a
        one.out -> one.b
        start.out -> two.a
        two.out -> two.b
        one.out -> both.a
        two.out -> both.b";
    assert_eq!(refusal(both), Some(Refusal::MixedCycles));
}

#[test]
fn edges_of_a_node_into_a_join_are_ordered_by_id() {
    let join = |first: &str, second: &str| {
        format!(
            "here: context
             all: collect
             here.out -> all.items ({first})
             here.handle -> all.items ({second})"
        )
    };
    let both = expected(&join("a", "b"));
    assert_eq!(sources(&both, "all", "items"), ["here.out here.handle"]);
    let both = expected(&join("b", "a"));
    assert_eq!(sources(&both, "all", "items"), ["here.handle here.out"]);
}

/// The names are given from outside, so no edge joins the node that names a context to the one that makes it. `late` comes
/// after `made` in plan order, `early` before.
#[test]
fn context_behind_a_follower_exists_by_plan_order() {
    let expected = expected(
        "start: source
         head: mix maxEpochs=2
         made: context
         slow: effect steps=3
         early: guest
         zlate: guest
         seen: maybe
         start.out -> head.a
         head.out -> head.b
         head.out -> slow.a
         slow.out -> made.a
         early.error -> seen.a
         early.who = {\"contextId\": \"made#1\"}
         zlate.who = {\"contextId\": \"made#1\"}",
    );
    let end = |node: &str| {
        let of_node = expected.activations.iter().find(|(at, _)| at.node.as_str() == node);
        of_node.unwrap().1.end.clone().unwrap()
    };
    assert_eq!(end("early"), Final::Failed { code: "context.unknown".to_owned(), handled: true });
    assert!(matches!(end("zlate"), Final::Finished(_)));
    assert_eq!(authors(&expected, "made#1"), "zlate");
}

/// A node in the cycle sees the contexts that followers made in the epochs before.
#[test]
fn context_behind_a_follower_exists_in_the_next_epoch() {
    let expected = expected(
        "start: source
         head: maybe
         say: guest maxEpochs=3
         tail: maybe
         slow: effect steps=2
         made: context
         start.out -> head.a
         head.out -> say.a
         say.out -> tail.a
         say.error -> tail.b
         tail.out -> head.b
         head.out -> slow.a
         slow.out -> made.a
         say.who = {\"contextId\": \"made#1\"}",
    );
    let ends = expected.activations.iter().filter(|(at, _)| at.node.as_str() == "say");
    let failed = |end: &Option<Final>| matches!(end, Some(Final::Failed { .. }));
    assert_eq!(ends.map(|(_, it)| failed(&it.end)).collect::<Vec<_>>(), [true, true, false]);
    assert_eq!(authors(&expected, "made#1"), "say#2");
}

/// The cycle goes on and reaches its bound, though what follows it waits for a person.
#[test]
fn open_pause_of_a_follower_does_not_hold_up_the_cycle() {
    let expected = expected_with_open_pauses(
        "start: source
         head: mix maxEpochs=3
         question: ask
         made: context
         one: turn
         two: turn
         start.out -> head.a
         head.out -> head.b
         head.out -> question.a
         question.out -> made.a
         made.context -> one.context
         made.context -> two.context",
        "question#0",
    );
    assert_eq!(names(&expected.epochs), "head#1 head#2");
    assert_eq!(names(&expected.exhausted), "head#2");
    assert_eq!(runs_of(&expected, "one"), "");
}

/// Of the next iteration, only the turn waits for the follower's.
#[test]
fn turn_of_a_follower_holds_up_only_turns() {
    let expected = expected_with_open_pauses(
        "here: context
         start: source
         head: mix
         say: turn maxEpochs=3
         tail: mix
         question: ask
         outside: turn
         start.out -> head.a
         head.out -> say.a
         here.context -> say.context
         say.out -> tail.a
         tail.out -> head.b
         tail.out -> question.a
         question.out -> outside.a
         here.context -> outside.context",
        "question#0",
    );
    assert_eq!(runs_of(&expected, "head"), "head#0 head#1");
    assert_eq!(runs_of(&expected, "say"), "say#0");
}

#[test]
fn skipped_turn_does_not_wait_for_the_turns_before_it() {
    let expected = expected_with_open_pauses(
        "here: context
         start: source
         question: ask
         a: turn
         calm: effect
         skipped: guest
         behind: maybe
         start.out -> question.a
         here.context -> a.context
         question.out -> a.a
         calm.error -> skipped.who
         skipped.out -> behind.a",
        "question",
    );
    assert_eq!(runs_of(&expected, "a"), "");
    assert_eq!(runs_of(&expected, "behind"), "behind");
}

#[test]
fn maker_of_a_context_does_not_wait_for_turns() {
    let expected = expected_with_open_pauses(
        "start: source
         question: ask
         value: pass
         user: guest
         zmade: context
         start.out -> question.a
         question.out -> user.a
         value.a = {\"contextId\": \"zmade\"}
         value.out -> user.who",
        "question",
    );
    assert_eq!(runs_of(&expected, "zmade"), "zmade");
}

/// `either` may work in both contexts, but that does not join them: `there` waits for `either` only.
#[test]
fn turns_wait_for_turns_in_their_own_context_only() {
    let expected = expected_with_open_pauses(
        "one: context
         two: context
         start: source
         question: ask
         here: turn
         either: turn
         there: turn
         choice: relay
         start.out -> question.a
         one.context -> here.context
         question.out -> here.a
         one.context -> choice.context
         two.context -> choice.context
         choice.context -> either.context
         two.context -> there.context",
        "question",
    );
    assert_eq!(runs_of(&expected, "either"), "either");
    assert_eq!(runs_of(&expected, "there"), "there");
}
