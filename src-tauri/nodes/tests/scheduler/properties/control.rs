//! Signals and failures from outside: repeated cancels, late answers, panics, timeouts and invalid journals.

use plait_journal::{Event, NodeEvent, RunEnd};
use plait_run::{Driver, RunHandle};
use serde_json::json;
use std::sync::Arc;

use crate::generate::Case;
use crate::journal_summary::{Final, at, format_journal, summarize};
use crate::run_harness::{Ending, Scenario, Schedule, Stop, started};
use crate::simulation::{Simulation, TestJournal};

const INLINE: Schedule = Schedule { seed: 0, asynchrony: 0, eager: false, stop: None };

fn scenario(text: &str) -> Scenario {
    let case = Case::written(text);
    case.scenario(case.plan().unwrap())
}

/// So many nodes that run inline that the driver yields in between.
fn wide_flow(count: usize, kind: &str) -> String {
    (0..count).map(|at| format!("n{at}: {kind}")).collect::<Vec<_>>().join("\n")
}

#[test]
fn cancel_twice_ends_a_wide_run() {
    let scenario = scenario(&wide_flow(1_000, "source"));
    let run = scenario.run(INLINE.stop(Stop::CancelTwice(1)));
    assert_eq!(run.ending, Ending::Ended(RunEnd::Canceled));
    let summary = summarize(&run.entries).unwrap();
    assert_eq!(summary.activations.len(), 1_000);
    let ran =
        summary.activations.values().filter(|record| matches!(record.end, Some(Final::Finished(_)))).count();
    assert!(ran < 1_000, "a crowd that runs inline does not shut its ears");
}

#[test]
fn simultaneous_failures_fail_the_run_once() {
    let mut scenario = scenario(&wide_flow(600, "effect fails=1 hard=true"));
    Arc::get_mut(&mut scenario.plan).unwrap().max_concurrency = 600;
    for seed in 0..50 {
        let run = scenario.run(Schedule { asynchrony: 8, ..Schedule::seeded(seed) });
        assert_eq!(run.ending, Ending::Ended(RunEnd::Failed));
        assert_eq!(summarize(&run.entries).unwrap().activations.len(), 600);
    }
}

#[test]
fn answer_after_cancel_is_refused() {
    let scenario = scenario(&format!("{}\na: source\nask: ask\na.out -> ask.a", wide_flow(600, "source")));
    let simulation = Simulation::new(0, 0);
    let journal = TestJournal::new(&simulation, &[]);
    let (driver, handle) = Driver::start(scenario.setup(&simulation, &journal), started()).unwrap();
    let asked = at(&"ask".into(), &plait_core::id::Epoch::root());
    handle.cancel();
    let late = handle.answer(asked, json!(1));
    let (end, late) = futures::executor::block_on(async { futures::join!(driver.drive(), late) });
    assert_eq!(end, Ok(RunEnd::Canceled));
    assert!(["answer.not_waiting", "run.ended"].contains(&late.unwrap_err().code.as_str()));
}

#[test]
fn refusal_says_whether_the_run_has_ended_or_only_its_driver() {
    let scenario = scenario("a: source\nask: ask\na.out -> ask.a");
    let simulation = Simulation::new(0, 0);
    let start = || {
        let journal = TestJournal::new(&simulation, &[]);
        Driver::start(scenario.setup(&simulation, &journal), started()).unwrap()
    };
    let asked = at(&"ask".into(), &plait_core::id::Epoch::root());
    let refused = |handle: &RunHandle| {
        futures::executor::block_on(handle.answer(asked.clone(), json!(1))).unwrap_err().code
    };
    let (driver, handle) = start();
    drop(driver);
    assert_eq!(refused(&handle), "run.not_running");
    let (driver, handle) = start();
    handle.cancel();
    assert_eq!(futures::executor::block_on(driver.drive()), Ok(RunEnd::Canceled));
    assert_eq!(refused(&handle), "run.ended");
}

#[test]
fn answer_is_refused_unless_pause_is_open() {
    let scenario = scenario("a: source\nask: ask\na.out -> ask.a");
    let simulation = Simulation::new(0, 0);
    let journal = TestJournal::new(&simulation, &[]);
    let (driver, handle) = Driver::start(scenario.setup(&simulation, &journal), started()).unwrap();
    let root = plait_core::id::Epoch::root();
    let people = async {
        let wrong = handle.answer(at(&"a".into(), &root), json!(1)).await;
        assert_eq!(wrong.unwrap_err().code, "answer.not_waiting");
        let wrong = handle.answer(at(&"ask".into(), &root.child(0)), json!(1)).await;
        assert_eq!(wrong.unwrap_err().code, "answer.not_waiting");
        assert_eq!(handle.answer(at(&"ask".into(), &root), json!(1)).await, Ok(()));
        // Whether the run is still there to refuse it, or has ended already: it is refused.
        let again = handle.answer(at(&"ask".into(), &root), json!(2)).await;
        assert!(["answer.not_waiting", "run.ended"].contains(&again.unwrap_err().code.as_str()));
    };
    let (end, ()) = futures::executor::block_on(async { futures::join!(driver.drive(), people) });
    assert_eq!(end, Ok(RunEnd::Finished));
    let overrides = journal
        .entries()
        .iter()
        .filter(|entry| matches!(entry.event, Event::Node(_, NodeEvent::Answered { .. })))
        .count();
    assert_eq!(overrides, 1);
}

#[test]
fn panicking_node_fails_like_any_other() {
    std::panic::set_hook(Box::new(|_| ()));
    let handled = scenario("bad: broken\nafter: maybe\nbad.error -> after.a\naside: source").run(INLINE);
    let alone = scenario("bad: broken\naside: source").run(INLINE);
    let _ = std::panic::take_hook();
    assert_eq!(handled.ending, Ending::Ended(RunEnd::Finished), "{}", format_journal(&handled.entries));
    assert_eq!(alone.ending, Ending::Ended(RunEnd::Failed));
    let root = plait_core::id::Epoch::root();
    let record = &summarize(&handled.entries).unwrap().activations[&at(&"bad".into(), &root)];
    assert_eq!(record.end, Some(Final::Failed { code: "node.panicked".to_owned(), handled: true }));
}

/// Each attempt gets further, since the calls of earlier attempts are recorded, and no call is repeated.
#[test]
fn timeout_retry_repeats_no_recorded_call() {
    let scenario = scenario("long: effect steps=5 timeoutMs=5 attempts=4");
    let simulation = Simulation::punctual();
    let run = scenario.resume_in(&simulation, &[], Schedule { asynchrony: 8, ..INLINE });
    assert_eq!(run.ending, Ending::Ended(RunEnd::Finished), "{}", format_journal(&run.entries));
    let record =
        &summarize(&run.entries).unwrap().activations[&at(&"long".into(), &plait_core::id::Epoch::root())];
    assert!(record.attempts > 1, "{}", format_journal(&run.entries));
    let mut steps: Vec<u32> = run.external_calls.calls.iter().map(|(_, step)| *step).collect();
    steps.dedup();
    assert_eq!(steps, [0, 1, 2, 3, 4], "{}", format_journal(&run.entries));
}

#[test]
fn timeout_on_every_attempt_fails_the_node() {
    let scenario =
        scenario("long: effect steps=1 timeoutMs=1 attempts=2\nafter: maybe\nlong.error -> after.a");
    let run = scenario.resume_in(&Simulation::punctual(), &[], Schedule { asynchrony: 8, ..INLINE });
    assert_eq!(run.ending, Ending::Ended(RunEnd::Finished), "{}", format_journal(&run.entries));
    let record =
        &summarize(&run.entries).unwrap().activations[&at(&"long".into(), &plait_core::id::Epoch::root())];
    assert_eq!(record.end, Some(Final::Failed { code: "node.timeout".to_owned(), handled: true }));
    assert_eq!(record.attempts, 2);
}

#[test]
fn journal_of_another_flow_is_refused() {
    let ours = scenario("a: source\nb: mix\na.out -> b.a");
    let theirs = scenario("a: source\nc: mix\na.out -> c.a").run(INLINE);
    for length in 2..=theirs.entries.len() {
        let Ending::Faulted(fault) = ours.resume(&theirs.entries[..length], INLINE).ending else {
            // The two are alike that far.
            assert!(length <= 4, "{}", format_journal(&theirs.entries[..length]));
            continue;
        };
        assert!(fault.code.domain() == "journal", "{fault}");
    }
}

#[test]
fn empty_journal_is_refused() {
    let scenario = scenario("a: source");
    let simulation = Simulation::new(0, 0);
    let fault = Driver::resume(scenario.setup(&simulation, &TestJournal::new(&simulation, &[])), &[])
        .map(|_| ())
        .unwrap_err();
    assert_eq!(fault.code, "journal.empty");
}
