//! Loops: all invariants hold on random flows with loops, nested, around cycles and inside of them, failing, waiting, and working
//! in contexts; and what must not change a loop does not.
//!
//! 10^5 flows, in seventeen parts with other cases each:
//! `for seed in $(seq 1 17); do SCHEDULER_SEED=$seed PROPTEST_CASES=6000 nice -n 19 cargo nextest run --workspace --test scheduler
//! -E 'test(run_of_loops)'; done`. For `test(resume_of_loops)`, where each flow is resumed from many prefixes of its journal,
//! 300 cases take as long.

mod alike;
mod coverage;

use super::assert_holds_with_loops;
use super::cancellation::check_cancel_at_any_step_ends_the_run;
use super::matches_reference::{
    check_engine_and_reference_refuse_the_same_flows, check_run_matches_reference,
};
use super::resuming::{
    check_fork_of_any_prefix_reaches_the_same_end,
    check_resume_after_losing_unflushed_entries_repeats_nothing,
    check_resume_after_repeated_crashes_reaches_the_same_end,
    check_resume_from_any_prefix_reaches_the_same_end,
};
use super::schedule_independence::check_journal_does_not_depend_on_the_schedule;
use crate::generate::Case;

#[test]
fn engine_and_reference_refuse_the_same_loops() {
    assert_holds_with_loops(300, check_engine_and_reference_refuse_the_same_flows);
}

#[test]
fn run_of_loops_matches_reference() {
    assert_holds_with_loops(300, check_run_matches_reference);
}

#[test]
fn resume_of_loops_from_any_prefix_reaches_the_same_end() {
    assert_holds_with_loops(40, check_resume_from_any_prefix_reaches_the_same_end);
}

#[test]
fn resume_of_loops_after_repeated_crashes_reaches_the_same_end() {
    assert_holds_with_loops(60, check_resume_after_repeated_crashes_reaches_the_same_end);
}

#[test]
fn resume_of_loops_after_losing_unflushed_entries_repeats_nothing() {
    assert_holds_with_loops(60, check_resume_after_losing_unflushed_entries_repeats_nothing);
}

#[test]
fn fork_of_loops_reaches_the_same_end() {
    assert_holds_with_loops(30, check_fork_of_any_prefix_reaches_the_same_end);
}

#[test]
fn cancel_of_loops_at_any_step_ends_the_run() {
    assert_holds_with_loops(60, check_cancel_at_any_step_ends_the_run);
}

#[test]
fn journal_of_loops_does_not_depend_on_the_schedule() {
    assert_holds_with_loops(60, check_journal_does_not_depend_on_the_schedule);
}

/// Its name counts the cycle alone: in each iteration of the loop, there is another of that name.
#[test]
fn context_made_in_a_cycle_in_a_body_is_found() {
    let case = Case::written(
        "l: loop kind=times times=2
         head: maybe in=l maxEpochs=2
         c: context in=l
         t: turn in=l salt=1
         u: turn in=l salt=2
         l.index -> head.a
         head.out -> head.b
         head.out -> c.a
         c.context -> t.context
         c.context -> u.context
         u.out -> l.next",
    );
    for seed in 0..50 {
        check_run_matches_reference(&Case { seed, ..case.clone() }).unwrap();
    }
}

#[test]
fn loop_that_has_not_begun_is_skipped_when_another_fails_the_run() {
    let case = Case::written(
        "src: source
         a: loop kind=forEach
         b: loop kind=times times=1
         x: mix in=a
         y: mix in=b
         src.out -> a.items
         src.out -> x.a
         src.out -> y.a",
    );
    for seed in 0..20 {
        check_run_matches_reference(&Case { seed, ..case.clone() }).unwrap();
    }
}

/// Both iterations ask and end the loop. If the second is answered first, what it said does not count all the same.
#[test]
fn turns_of_items_after_the_one_that_ends_a_loop_do_not_count() {
    let case = Case::written(
        "c: context
         end: mix in=l
         ask: ask in=l
         t: turn in=l salt=1
         after: turn salt=8
         l: loop kind=forEach concurrency=2
         c.context -> l.context
         l.item -> end.a
         end.out -> l.exit
         end.out -> ask.a
         l.context -> t.context
         l.context -> after.context
         l.items = [0,1,2]",
    );
    for seed in 0..50 {
        check_run_matches_reference(&Case { seed, ..case.clone() }).unwrap();
    }
}

/// The case, with other answers and other schedules. Some questions are not answered.
fn check_waiting(text: &str) {
    for seed in 0..40 {
        let mut case = Case { seed, ..Case::written(text) };
        (case.script.seed, case.script.leaves_some) = (seed, true);
        check_run_matches_reference(&case).unwrap();
    }
}

#[test]
fn turn_in_another_context_from_outside_does_not_wait() {
    check_waiting(
        "c: context
         d: context
         l: loop kind=times times=2
         ask: ask in=l
         t: turn in=l
         u: turn in=l salt=2
         l.index -> ask.a
         ask.out -> t.a
         c.context -> t.context
         d.context -> u.context
         u.out -> l.next",
    );
}

#[test]
fn loop_without_a_context_holds_back_no_turn() {
    check_waiting(
        "c: context
         outer: loop kind=times times=2
         l: loop in=outer kind=times times=1
         skipped: turn in=l
         ask: ask in=l
         t: turn in=outer
         l.index -> ask.a
         outer.context -> skipped.context
         c.context -> t.context",
    );
}

#[test]
fn loop_holds_back_no_turn_in_a_context_that_nothing_inside_works_in() {
    check_waiting(
        "c: context
         d: context
         ask: ask
         l: loop kind=times times=1
         inside: turn in=l
         t: turn salt=2
         c.out -> ask.a
         ask.out -> inside.a
         c.context -> l.context
         d.context -> inside.context
         c.context -> t.context",
    );
}

#[test]
fn loop_hands_on_the_context_on_its_own_input_alone() {
    check_waiting(
        "c: context
         a: loop kind=times times=1
         b: loop kind=times times=1
         ask: ask in=a
         t: turn in=a
         z: guest in=a
         u: turn in=b
         a.index -> ask.a
         ask.out -> t.a
         b.context -> t.context
         c.handle -> z.who
         c.context -> u.context",
    );
}

#[test]
fn loop_holds_back_no_turn_for_a_context_that_it_makes_and_hands_over_as_a_value() {
    check_waiting(
        "c: context
         t: turn
         l: loop kind=times times=1
         m: context in=l
         g: guest in=l
         ask: ask in=l
         l.index -> ask.a
         m.handle -> g.who
         c.context -> t.context",
    );
}

#[test]
fn loop_that_follows_an_inner_cycle_does_not_wait_for_its_later_iterations() {
    check_waiting(
        "a: context
         ask: ask salt=27
         c: context salt=159
         l: loop kind=times times=2
         t: turn in=l salt=92
         c.handle -> a.a
         a.out -> ask.b
         c.out -> ask.a
         ask.out -> c.a
         c.context -> t.context",
    );
}

/// `c` makes one context, so there is none of an epoch of it to wait for.
#[test]
fn node_that_names_an_epoch_of_a_context_that_has_none_does_not_wait() {
    check_waiting(
        "c: context
         l: loop kind=times times=1
         ask: ask in=l
         t: turn in=l
         z: guest in=l
         l.index -> ask.a
         ask.out -> t.a
         c.context -> t.context
         z.who = {\"contextId\":\"c#1\"}",
    );
}

#[test]
fn result_in_a_loop_is_that_of_the_last_item_that_counts() {
    let case = Case::written(
        "l: loop kind=forEach concurrency=3
         x: effect in=l salt=5 fails=2
         out: result in=l
         l.item -> x.a
         x.out -> out.a
         out.out -> l.next
         x.error -> l.exit
         l.items = [0,1,2,3,4]",
    );
    for seed in 0..50 {
        check_run_matches_reference(&Case { seed, ..case.clone() }).unwrap();
    }
}

#[test]
fn result_of_a_failed_iteration_does_not_count() {
    for on_error in ["stop", "continue"] {
        let case = Case::written(&format!(
            "l: loop kind=forEach concurrency=2 on_error={on_error}
             x: flaky in=l salt=7 fails=1
             out: result in=l
             again: flaky in=l salt=3 fails=1 hard=true
             after: maybe
             l.item -> x.a
             x.out -> out.a
             out.out -> again.a
             again.out -> l.next
             x.error -> l.exit
             l.error -> after.a
             l.items = [0,1,2,3,4]"
        ));
        for seed in 0..50 {
            check_run_matches_reference(&Case { seed, ..case.clone() }).unwrap();
        }
    }
}
