//! The engine matches the reference: which flows can run, in which order, and the outcome of every activation.

use std::collections::BTreeMap;

use plait_engine::Value;
use plait_engine::id::{NodeId, PortName};
use plait_engine::journal::{Event, NodeOutputs, RunEnd, RunEvent};
use proptest::prelude::*;

use super::{assert_all_final, assert_holds, errors, runnable};
use crate::generate::Case;
use crate::journal_summary::{Final, JournalSummary, format_journal, summarize};
use crate::reference::{Expected, ExpectedEnd, FlowAnalysis};
use crate::run_harness::{Ending, RunRecord, Scenario, Schedule};

#[test]
fn engine_and_reference_refuse_the_same_flows() {
    assert_holds(400, 12, check_engine_and_reference_refuse_the_same_flows);
}

fn check_engine_and_reference_refuse_the_same_flows(case: &Case) -> Result<(), TestCaseError> {
    match (FlowAnalysis::with_overrides(&case.flow, &case.overrides), case.plan()) {
        (Ok(analysis), Ok(plan)) => {
            let order: Vec<_> = plan.nodes.iter().map(|node| node.id.clone()).collect();
            prop_assert_eq!(&analysis.order, &order, "plan order");
            let clocks =
                plan.nodes.iter().map(|node| (node.id.clone(), (node.clock.len(), node.is_follower)));
            prop_assert_eq!(analysis.clocks(), clocks.collect::<BTreeMap<_, _>>(), "clocks");
            let sorted = |mut sources: Vec<NodeId>| {
                sources.sort();
                sources
            };
            let mut ours: Vec<_> =
                analysis.back_edges().into_iter().map(|(entry, back)| (entry, sorted(back))).collect();
            let back_edges = plan.cycles.iter().map(|cycle| {
                let back = cycle.back.iter().map(|&edge| plan.nodes[plan.edges[edge].source].id.clone());
                (plan.nodes[cycle.entry].id.clone(), sorted(back.collect()))
            });
            let mut theirs: Vec<_> = back_edges.collect();
            ours.sort();
            theirs.sort();
            prop_assert_eq!(ours, theirs, "entries and back edges");
        }
        (Ok(analysis), Err(found)) if is_limit_of_engine(&analysis, &errors(&found)) => {}
        (Err(refusal), Err(found)) => {
            let codes = errors(&found);
            prop_assert!(codes.contains(&refusal.code().to_owned()), "{:?} but {:?}", refusal, codes);
        }
        (ours, theirs) => prop_assert!(
            false,
            "the reference says {:?}, the engine {:?}",
            ours.err(),
            theirs.err().map(|it| errors(&it))
        ),
    }
    Ok(())
}

/// The engine does not order turns that share a context with a follower of an inner cycle: it refuses the flow.
pub fn is_limit_of_engine(analysis: &FlowAnalysis, codes: &[String]) -> bool {
    codes == ["context.shared_outside_cycle"] && analysis.has_sharing_follower_of_inner_cycle()
}

#[test]
fn run_matches_reference() {
    assert_holds(400, 12, check_run_matches_reference);
}

fn check_run_matches_reference(case: &Case) -> Result<(), TestCaseError> {
    let (scenario, _, expected) = runnable(case)?;
    let run = scenario.run(Schedule::seeded(case.seed));
    assert_matches(&scenario, &run, &expected)?;
    Ok(())
}

/// If a flow is only a cycle, the outputs that feed the next iteration are the result.
#[test]
fn flow_of_only_a_cycle_has_outputs() {
    let case = Case::written(
        "head: maybe maxEpochs=2
         tail: mix
         head.out -> tail.a
         tail.out -> head.b",
    );
    let (scenario, _, expected) = runnable(&case).unwrap();
    let run = scenario.run(Schedule::seeded(1));
    assert_matches(&scenario, &run, &expected).unwrap();
    let outputs = final_outputs(&summarize(&run.entries).unwrap());
    assert_eq!(outputs.keys().collect::<Vec<_>>(), [&NodeId::from("tail")]);
}

/// Asserts that a run that was driven to its end matches the expected result.
pub fn assert_matches(
    scenario: &Scenario,
    run: &RunRecord,
    expected: &Expected,
) -> Result<(), TestCaseError> {
    let summary = summarize(&run.entries).map_err(TestCaseError::fail)?;
    let journal = || format_journal(&run.entries);
    match &expected.end {
        ExpectedEnd::Failed { by } => {
            prop_assert_eq!(&run.ending, &Ending::Ended(RunEnd::Failed), "{}", journal());
            let Some(Event::Run(RunEvent::Failed { node, epoch, .. })) = &summary.end else {
                return Err(TestCaseError::fail(format!("no run.failed\n{}", journal())));
            };
            let blamed = crate::journal_summary::at(node, epoch);
            prop_assert!(by.contains(&blamed), "{} is blamed, not one of {:?}\n{}", blamed, by, journal());
            assert_all_final(scenario, run, &summary)?;
            return assert_matches_in_part(run, &summary, expected);
        }
        ExpectedEnd::Waiting { on } => {
            prop_assert_eq!(&run.ending, &Ending::Waiting, "{}", journal());
            prop_assert_eq!(summary.waiting.last(), Some(on), "{}", journal());
        }
        ExpectedEnd::Finished { outputs } => {
            prop_assert_eq!(&run.ending, &Ending::Ended(RunEnd::Finished), "{}", journal());
            prop_assert_eq!(&final_outputs(&summary), outputs, "{}", journal());
        }
    }
    for (at, record) in &expected.activations {
        prop_assert_eq!(summary.activations.get(at), Some(record), "{}\n{}", at, journal());
    }
    let unexpected: Vec<_> =
        summary.activations.keys().filter(|at| !expected.activations.contains_key(at)).collect();
    prop_assert!(unexpected.is_empty(), "{:?} should not exist\n{}", unexpected, journal());
    prop_assert_eq!(
        summary.iterations.iter().collect::<Vec<_>>(),
        expected.iterations.iter().collect::<Vec<_>>()
    );
    prop_assert_eq!(
        summary.exhausted.iter().collect::<Vec<_>>(),
        expected.exhausted.iter().collect::<Vec<_>>()
    );
    prop_assert_eq!(&summary.contexts, &expected.contexts, "{}", journal());
    Ok(())
}

/// Asserts that the decided activations of a run that was stopped match the expected result.
pub fn assert_matches_in_part(
    run: &RunRecord,
    summary: &JournalSummary,
    expected: &Expected,
) -> Result<(), TestCaseError> {
    let journal = || format_journal(&run.entries);
    for (at, record) in &summary.activations {
        let stopped = match &record.end {
            Some(Final::Skipped(reason)) => {
                record.attempts > 0 || *reason != plait_engine::journal::SkipReason::DeadInput
            }
            Some(Final::Failed { code, .. }) => code == "node.stopped" || code == "node.cancelled",
            Some(Final::Finished(_)) => false,
            None => true,
        };
        let Some(expected) = expected.activations.get(at) else {
            if expected.passed_over.contains(at) && record.attempts == 0 {
                continue;
            }
            prop_assert!(stopped, "{} should not be decided\n{}", at, journal());
            prop_assert!(record.attempts == 0, "{} should not have started\n{}", at, journal());
            continue;
        };
        if !stopped {
            prop_assert_eq!(record, expected, "{}\n{}", at, journal());
        }
        if record.ready.is_some() {
            prop_assert_eq!(&record.ready, &expected.ready, "{}\n{}", at, journal());
        }
    }
    for (id, history) in &summary.contexts {
        let whole = &expected.contexts[id];
        prop_assert!(whole.starts_with(history), "{} is {:?}, of {:?}\n{}", id, history, whole, journal());
    }
    Ok(())
}

/// The final outputs of a run, without nodes that have none.
pub fn final_outputs(summary: &JournalSummary) -> BTreeMap<NodeId, BTreeMap<PortName, Value>> {
    let Some(Event::Run(
        RunEvent::Finished { outputs, .. }
        | RunEvent::Failed { outputs, .. }
        | RunEvent::Canceled { outputs, .. },
    )) = &summary.end
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
