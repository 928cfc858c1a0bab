//! A journal tells where a breakpoint would have stopped its run: at the places where a run with that breakpoint does stop.

use std::collections::BTreeSet;

use futures::executor::block_on;
use plait_core::expression::in_process::InProcess;
use plait_core::id::{NodeId, PortName};
use plait_journal::{Breakpoint, DebugEvent, Entry, Event, LoopEvent, Side, StopCause, StopPoint};
use plait_llm::models::TreeSpending;
use plait_run::breakpoint::{BreakpointQuestion, BreakpointReplay, ReachedPlace};
use proptest::prelude::*;

use super::{assert_holds, assert_holds_with_loops, runnable};
use crate::generate::Case;
use crate::journal_summary::format_journal;
use crate::reference::ExpectedEnd;
use crate::run_harness::{Scenario, Schedule};

/// Conditions, also one that can't be evaluated everywhere.
const CONDITIONS: [Option<&str>; 5] = [
    None,
    Some("iteration == 1"),
    Some("attempt > 1"),
    Some("inputs != null && size(inputs) > 1"),
    Some("value > 1 || size(value) > 1"),
];

/// Nothing takes time.
const INLINE: Schedule = Schedule { seed: 0, asynchrony: 0, eager: false, stop: None };

/// A place, and whether its condition can't be evaluated.
type Place = (String, bool);

fn place(point: &StopPoint, is_error: bool) -> Place {
    (serde_json::to_string(point).unwrap(), is_error)
}

/// The places in a journal, read as a whole and by the needed lines alone.
fn replayed(scenario: &Scenario, entries: &[Entry], question: &BreakpointQuestion) -> BTreeSet<Place> {
    let replay = |is_wanted: &dyn Fn(&Entry) -> bool| {
        let mut replay =
            BreakpointReplay::new(question, scenario.plan.clone(), TreeSpending::default()).unwrap();
        let mut found = Vec::new();
        for entry in entries.iter().filter(|entry| is_wanted(entry)) {
            found.extend(block_on(replay.apply(entry, &InProcess)).unwrap());
        }
        let places = |ReachedPlace { point, error }: &ReachedPlace| place(point, error.is_some());
        let all: BTreeSet<Place> = found.iter().map(places).collect();
        assert_eq!(all.len(), found.len(), "each place is found once");
        all
    };
    let whole = replay(&|_| true);
    let needed = replay(&|entry| question.needs(serde_json::to_string(entry).unwrap().as_bytes()));
    assert_eq!(whole, needed, "lines that are not needed change nothing");
    whole
}

/// The entries but those of the debugger.
fn undebugged(entries: &[Entry]) -> Vec<Entry> {
    entries.iter().filter(|entry| !matches!(entry.event, Event::Debug(_))).cloned().collect()
}

fn stopped(entries: &[Entry]) -> BTreeSet<Place> {
    let stop = |entry: &Entry| match &entry.event {
        Event::Debug(DebugEvent::Stopped { cause, point: Some(point), .. }) => {
            Some(place(point, matches!(cause, StopCause::Condition { .. })))
        }
        _ => None,
    };
    entries.iter().filter_map(stop).collect()
}

fn is_failed_iteration(entry: &Entry) -> bool {
    matches!(&entry.event, Event::Loop(_, LoopEvent::IterationFinished { error: Some(_), .. }))
}

/// For one of two nodes, one of its inputs or outputs.
fn some_port(scenario: &Scenario, node: &NodeId, side: Side, rng: &mut fastrand::Rng) -> Option<PortName> {
    let node = &scenario.plan.nodes[scenario.plan.find(node)?];
    // A loop is held where its first iteration begins, not at an input of its own.
    if node.body.is_some() && side != Side::After {
        return None;
    }
    let ports = node.node.ports();
    let names: Vec<PortName> = match side {
        Side::Before => ports.inputs.iter().map(|port| port.name.clone()).collect(),
        Side::Call | Side::After => ports.outputs.iter().map(|port| port.name.clone()).collect(),
    };
    (rng.bool() && !names.is_empty()).then(|| names[rng.usize(..names.len())].clone())
}

fn check(case: &Case) -> Result<(), TestCaseError> {
    let (scenario, _, expected) = runnable(case)?;
    let plain = scenario.run(INLINE);
    // Which activations had started when a run or an iteration failed depends on timing.
    if matches!(expected.end, ExpectedEnd::Failed { .. }) || plain.entries.iter().any(is_failed_iteration) {
        return Err(TestCaseError::reject("fails"));
    }
    let inner = scenario.plan.nodes.iter().filter(|node| !node.is_border);
    let names: Vec<NodeId> = inner.map(|node| node.id.clone()).collect();
    let mut rng = fastrand::Rng::with_seed(case.seed);
    for side in [Side::Before, Side::After] {
        let when = CONDITIONS[rng.usize(..CONDITIONS.len())];
        let one = names[rng.usize(..names.len())].clone();
        for node in [None, Some(one)] {
            let port = node.as_ref().and_then(|node| some_port(&scenario, node, side, &mut rng));
            let at = node.as_ref().map_or(&names[..], std::slice::from_ref);
            let breakpoint = |node: &NodeId| Breakpoint {
                id: node.to_string(),
                node: Some(node.clone()),
                side,
                port: port.clone(),
                when: when.map(str::to_owned),
                ..Breakpoint::default()
            };
            let breakpoints: Vec<Breakpoint> = at.iter().map(breakpoint).collect();
            let asked = Breakpoint {
                node: node.clone(),
                side,
                port: port.clone(),
                when: when.map(str::to_owned),
                ..Breakpoint::default()
            };
            let question = BreakpointQuestion::new(asked).unwrap();
            let seeded = Schedule { eager: false, ..Schedule::seeded(case.seed ^ 0xf1d) };
            for schedule in [INLINE, seeded] {
                // But for the events of the debugger, its journal is that of a run without breakpoints, in which branches end in the same
                // order.
                let debugged = scenario.stop_at(breakpoints.clone(), schedule).entries;
                let journal = undebugged(&debugged);
                let found = replayed(&scenario, &journal, &question);
                let text = format_journal(&journal);
                prop_assert_eq!(&found, &stopped(&debugged), "{:?} {:?} {:?}\n{}", node, side, when, text);
            }
        }
    }
    Ok(())
}

#[test]
fn replay_finds_the_places_where_a_breakpoint_stops() {
    assert_holds(60, 12, check);
}

#[test]
fn replay_finds_the_places_of_loops() {
    assert_holds_with_loops(80, check);
}
