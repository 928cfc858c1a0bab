//! What people and mishaps do to a run: cancels that come twice, answers that come too late, panics, time that runs out,
//! journals that are not a run's.

use plait_engine::journal::{Event, NodeEvent, RunEnd};
use plait_engine::run::Driver;
use serde_json::json;
use std::sync::Arc;

use crate::generate::Case;
use crate::play::{Ending, Piece, Schedule, Stop, started};
use crate::reading::{Final, at, read, show};
use crate::world::{Tape, World};

const INLINE: Schedule = Schedule { seed: 0, asynchrony: 0, eager: false, stop: None };

fn piece(text: &str) -> Piece {
    let case = Case::written(text);
    case.piece(case.plan().unwrap())
}

/// So many nodes that run inline that the driver gives way in between.
fn crowd(count: usize, kind: &str) -> String {
    (0..count).map(|at| format!("n{at}: {kind}")).collect::<Vec<_>>().join("\n")
}

#[test]
fn cancelled_twice_in_a_crowd() {
    let piece = piece(&crowd(1_000, "source"));
    let played = piece.play(INLINE.stop(Stop::CancelTwice(1)));
    assert_eq!(played.ending, Ending::Ended(RunEnd::Canceled));
    let reading = read(&played.entries).unwrap();
    assert_eq!(reading.activations.len(), 1_000);
    let ran =
        reading.activations.values().filter(|told| matches!(told.end, Some(Final::Finished(_)))).count();
    assert!(ran < 1_000, "a crowd that runs inline does not shut its ears");
}

#[test]
fn several_failures_at_once() {
    let mut piece = piece(&crowd(600, "effect fails=1 hard=true"));
    Arc::get_mut(&mut piece.plan).unwrap().max_concurrency = 600;
    for seed in 0..50 {
        let played = piece.play(Schedule { asynchrony: 8, ..Schedule::seeded(seed) });
        assert_eq!(played.ending, Ending::Ended(RunEnd::Failed));
        assert_eq!(read(&played.entries).unwrap().activations.len(), 600);
    }
}

#[test]
fn an_answer_that_comes_after_the_cancel() {
    let piece = piece(&format!("{}\na: source\nask: ask\na.out -> ask.a", crowd(600, "source")));
    let world = World::new(0, 0);
    let tape = Tape::new(&world, &[]);
    let (driver, handle) = Driver::start(piece.setup(&world, &tape), started()).unwrap();
    let asked = at(&"ask".into(), &plait_engine::id::Epoch::root());
    handle.cancel();
    let late = handle.answer(asked, json!(1));
    let (end, late) = futures::executor::block_on(async { futures::join!(driver.drive(), late) });
    assert_eq!(end, Ok(RunEnd::Canceled));
    assert!(["answer.not_waiting", "run.not_running"].contains(&late.unwrap_err().code.as_str()));
}

#[test]
fn only_an_open_pause_takes_an_answer() {
    let piece = piece("a: source\nask: ask\na.out -> ask.a");
    let world = World::new(0, 0);
    let tape = Tape::new(&world, &[]);
    let (driver, handle) = Driver::start(piece.setup(&world, &tape), started()).unwrap();
    let root = plait_engine::id::Epoch::root();
    let people = async {
        let wrong = handle.answer(at(&"a".into(), &root), json!(1)).await;
        assert_eq!(wrong.unwrap_err().code, "answer.not_waiting");
        let wrong = handle.answer(at(&"ask".into(), &root.child(0)), json!(1)).await;
        assert_eq!(wrong.unwrap_err().code, "answer.not_waiting");
        assert_eq!(handle.answer(at(&"ask".into(), &root), json!(1)).await, Ok(()));
        // Whether the run is still there to refuse it, or has ended already: it is refused.
        let again = handle.answer(at(&"ask".into(), &root), json!(2)).await;
        assert!(["answer.not_waiting", "run.not_running"].contains(&again.unwrap_err().code.as_str()));
    };
    let (end, ()) = futures::executor::block_on(async { futures::join!(driver.drive(), people) });
    assert_eq!(end, Ok(RunEnd::Finished));
    let given = tape
        .entries()
        .iter()
        .filter(|entry| matches!(entry.event, Event::Node(_, NodeEvent::Answered { .. })))
        .count();
    assert_eq!(given, 1);
}

#[test]
fn a_node_that_panics_is_a_failure_like_any_other() {
    std::panic::set_hook(Box::new(|_| ()));
    let handled = piece("bad: broken\nafter: maybe\nbad.error -> after.a\naside: source").play(INLINE);
    let alone = piece("bad: broken\naside: source").play(INLINE);
    let _ = std::panic::take_hook();
    assert_eq!(handled.ending, Ending::Ended(RunEnd::Finished), "{}", show(&handled.entries));
    assert_eq!(alone.ending, Ending::Ended(RunEnd::Failed));
    let root = plait_engine::id::Epoch::root();
    let told = &read(&handled.entries).unwrap().activations[&at(&"bad".into(), &root)];
    assert_eq!(told.end, Some(Final::Failed { code: "node.panicked".to_owned(), handled: true }));
}

/// Each try gets a little further, since what the tries before it bought is on record; and none of it is bought twice.
#[test]
fn time_that_runs_out_costs_no_call_twice() {
    let piece = piece("long: effect steps=5 timeoutMs=5 attempts=4");
    let world = World::punctual();
    let played = piece.resume_in(&world, &[], Schedule { asynchrony: 8, ..INLINE });
    assert_eq!(played.ending, Ending::Ended(RunEnd::Finished), "{}", show(&played.entries));
    let told =
        &read(&played.entries).unwrap().activations[&at(&"long".into(), &plait_engine::id::Epoch::root())];
    assert!(told.tries > 1, "{}", show(&played.entries));
    let mut steps: Vec<u32> = played.outside.calls.iter().map(|(_, step)| *step).collect();
    steps.dedup();
    assert_eq!(steps, [0, 1, 2, 3, 4], "{}", show(&played.entries));
}

#[test]
fn time_that_never_suffices_fails_the_node() {
    let piece = piece("long: effect steps=1 timeoutMs=1 attempts=2\nafter: maybe\nlong.error -> after.a");
    let played = piece.resume_in(&World::punctual(), &[], Schedule { asynchrony: 8, ..INLINE });
    assert_eq!(played.ending, Ending::Ended(RunEnd::Finished), "{}", show(&played.entries));
    let told =
        &read(&played.entries).unwrap().activations[&at(&"long".into(), &plait_engine::id::Epoch::root())];
    assert_eq!(told.end, Some(Final::Failed { code: "node.timeout".to_owned(), handled: true }));
    assert_eq!(told.tries, 2);
}

#[test]
fn a_journal_of_another_flow_is_refused() {
    let ours = piece("a: source\nb: mix\na.out -> b.a");
    let theirs = piece("a: source\nc: mix\na.out -> c.a").play(INLINE);
    for length in 2..=theirs.entries.len() {
        let Ending::Broken(fault) = ours.resume(&theirs.entries[..length], INLINE).ending else {
            // The two are alike that far.
            assert!(length <= 4, "{}", show(&theirs.entries[..length]));
            continue;
        };
        assert!(fault.code.domain() == "journal", "{fault}");
    }
}

#[test]
fn an_empty_journal_is_no_run() {
    let piece = piece("a: source");
    let world = World::new(0, 0);
    let fault = Driver::resume(piece.setup(&world, &Tape::new(&world, &[])), &[]).map(|_| ()).unwrap_err();
    assert_eq!(fault.code, "journal.empty");
}
