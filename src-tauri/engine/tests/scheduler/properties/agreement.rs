//! The engine and the reference agree: which flows can run, in which order, what becomes of every activation.

use std::collections::BTreeMap;

use plait_engine::Value;
use plait_engine::id::{NodeId, PortName};
use plait_engine::journal::{Event, NodeOutputs, RunEnd, RunEvent};
use proptest::prelude::*;

use super::{all_final, cases, errors, playable};
use crate::generate::{Case, case};
use crate::play::{Ending, Piece, Played, Schedule};
use crate::reading::{Final, Reading, read, show};
use crate::reference::{Expected, Study, Verdict};

proptest! {
    #![proptest_config(cases(400))]

    #[test]
    fn both_refuse_the_same_flows(case in case(12)) {
        match (Study::of(&case.flow), case.plan()) {
            (Ok(study), Ok(plan)) => {
                let order: Vec<_> = plan.nodes.iter().map(|node| node.id.clone()).collect();
                prop_assert_eq!(&study.order, &order, "plan order");
                let clocks = plan.nodes.iter().map(|node| (node.id.clone(), (node.clock.len(), node.is_follower)));
                prop_assert_eq!(study.clocks(), clocks.collect::<BTreeMap<_, _>>(), "clocks");
                let sorted = |mut sources: Vec<NodeId>| { sources.sort(); sources };
                let mut ours: Vec<_> =
                    study.back_edges().into_iter().map(|(entry, back)| (entry, sorted(back))).collect();
                let carries = |edge: &&usize| plan.edges[**edge].port.is_some();
                let mut theirs: Vec<_> = plan.cycles.iter().map(|cycle| {
                    let back = cycle.back.iter().filter(carries);
                    let back = back.map(|&edge| plan.nodes[plan.edges[edge].source].id.clone());
                    (plan.nodes[cycle.entry].id.clone(), sorted(back.collect()))
                }).collect();
                ours.sort();
                theirs.sort();
                prop_assert_eq!(ours, theirs, "entries and back edges");
            }
            (Err(refusal), Err(found)) => {
                let codes = errors(&found);
                prop_assert!(codes.contains(&refusal.code().to_owned()), "{:?} but {:?}", refusal, codes);
            }
            (ours, theirs) => prop_assert!(
                false, "the reference says {:?}, the engine {:?}", ours.err(), theirs.err().map(|it| errors(&it))
            ),
        }
    }

    #[test]
    fn what_becomes_of_every_activation(case in case(12)) {
        let Some((piece, _, expected)) = playable(&case) else { return Err(TestCaseError::reject("refused")) };
        let played = piece.play(Schedule::seeded(case.seed));
        agree(&piece, &played, &expected)?;
    }
}

/// Of a flow that is nothing but a cycle, what leads only into the next round is the result.
#[test]
fn a_cycle_alone_puts_something_out() {
    let case = Case::written(
        "head: maybe maxEpochs=2
         tail: mix
         head.out -> tail.a
         tail.out -> head.b",
    );
    let (piece, _, expected) = playable(&case).unwrap();
    let played = piece.play(Schedule::seeded(1));
    agree(&piece, &played, &expected).unwrap();
    let outputs = final_outputs(&read(&played.entries).unwrap());
    assert_eq!(outputs.keys().collect::<Vec<_>>(), [&NodeId::from("tail")]);
}

/// Holds a run that was played to its end against what must become of it.
pub fn agree(piece: &Piece, played: &Played, expected: &Expected) -> Result<(), TestCaseError> {
    let reading = read(&played.entries).map_err(TestCaseError::fail)?;
    let journal = || show(&played.entries);
    match &expected.verdict {
        Verdict::Failed { by } => {
            prop_assert_eq!(&played.ending, &Ending::Ended(RunEnd::Failed), "{}", journal());
            let Some(Event::Run(RunEvent::Failed { node, epoch, .. })) = &reading.end else {
                return Err(TestCaseError::fail(format!("no run.failed\n{}", journal())));
            };
            let blamed = crate::reading::at(node, epoch);
            prop_assert!(by.contains(&blamed), "{} is blamed, not one of {:?}\n{}", blamed, by, journal());
            all_final(piece, played, &reading)?;
            return agree_in_part(played, &reading, expected);
        }
        Verdict::Waiting { on } => {
            prop_assert_eq!(&played.ending, &Ending::Waiting, "{}", journal());
            prop_assert_eq!(reading.waiting.last(), Some(on), "{}", journal());
        }
        Verdict::Finished { outputs } => {
            prop_assert_eq!(&played.ending, &Ending::Ended(RunEnd::Finished), "{}", journal());
            prop_assert_eq!(&final_outputs(&reading), outputs, "{}", journal());
        }
    }
    for (at, told) in &expected.activations {
        prop_assert_eq!(reading.activations.get(at), Some(told), "{}\n{}", at, journal());
    }
    let unexpected: Vec<_> =
        reading.activations.keys().filter(|at| !expected.activations.contains_key(at)).collect();
    prop_assert!(unexpected.is_empty(), "{:?} ought not to be\n{}", unexpected, journal());
    prop_assert_eq!(reading.rounds.iter().collect::<Vec<_>>(), expected.rounds.iter().collect::<Vec<_>>());
    prop_assert_eq!(
        reading.exhausted.iter().collect::<Vec<_>>(),
        expected.exhausted.iter().collect::<Vec<_>>()
    );
    prop_assert_eq!(&reading.contexts, &expected.contexts, "{}", journal());
    Ok(())
}

/// A run that was stopped before its end: what came about is as it must be.
pub fn agree_in_part(played: &Played, reading: &Reading, expected: &Expected) -> Result<(), TestCaseError> {
    let journal = || show(&played.entries);
    for (at, told) in &reading.activations {
        let stopped = match &told.end {
            Some(Final::Skipped(reason)) => {
                told.tries > 0 || *reason != plait_engine::journal::SkipReason::DeadInput
            }
            Some(Final::Failed { code, .. }) => code == "node.stopped" || code == "node.cancelled",
            Some(Final::Finished(_)) => false,
            None => true,
        };
        let Some(expected) = expected.activations.get(at) else {
            if expected.passed_over.contains(at) && told.tries == 0 {
                continue;
            }
            prop_assert!(stopped, "{} ought not to be decided\n{}", at, journal());
            prop_assert!(told.tries == 0, "{} ought not to have started\n{}", at, journal());
            continue;
        };
        if !stopped {
            prop_assert_eq!(told, expected, "{}\n{}", at, journal());
        }
        if told.ready.is_some() {
            prop_assert_eq!(&told.ready, &expected.ready, "{}\n{}", at, journal());
        }
    }
    for (id, history) in &reading.contexts {
        let whole = &expected.contexts[id];
        prop_assert!(whole.starts_with(history), "{} is {:?}, of {:?}\n{}", id, history, whole, journal());
    }
    Ok(())
}

/// What a run put out at its end, without nodes that put out nothing.
pub fn final_outputs(reading: &Reading) -> BTreeMap<NodeId, BTreeMap<PortName, Value>> {
    let Some(
        Event::Run(RunEvent::Finished { outputs })
        | Event::Run(RunEvent::Failed { outputs, .. })
        | Event::Run(RunEvent::Canceled { outputs }),
    ) = &reading.end
    else {
        return BTreeMap::new();
    };
    let plain = |outputs: &NodeOutputs| -> BTreeMap<PortName, Value> {
        outputs.iter().map(|(port, value)| (port.clone(), Value::clone(value))).collect()
    };
    outputs
        .iter()
        .map(|(id, outputs)| (id.clone(), plain(outputs)))
        .filter(|(_, outputs)| !outputs.is_empty())
        .collect()
}
