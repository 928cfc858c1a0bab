//! The engine matches the reference: which flows can run, in which order, and the outcome of every activation.

use std::collections::{BTreeMap, BTreeSet};

use plait_core::Value;
use plait_core::id::{Activation, NodeId, PortName};
use plait_journal::{Event, NodeOutputs, RunEnd, RunEvent};
use plait_run::plan::Plan;
use proptest::prelude::*;

use super::{assert_all_final, assert_holds, errors, runnable};
use crate::generate::Case;
use crate::journal_summary::{ActivationRecord, Final, JournalSummary, format_journal, summarize};
use crate::reference::{Expected, ExpectedEnd, FlowAnalysis};
use crate::run_harness::{Ending, RunRecord, Scenario, Schedule};

#[test]
fn engine_and_reference_refuse_the_same_flows() {
    assert_holds(400, 12, check_engine_and_reference_refuse_the_same_flows);
}

pub fn check_engine_and_reference_refuse_the_same_flows(case: &Case) -> Result<(), TestCaseError> {
    match (FlowAnalysis::with_overrides(&case.flow, &case.overrides), case.plan()) {
        (Ok(analysis), Ok(plan)) => {
            for scope in analysis.scopes() {
                assert_same_plan(scope, &plan)?;
            }
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

/// Asserts that the two plan a scope alike.
pub fn assert_same_plan(analysis: &FlowAnalysis, plan: &Plan) -> Result<(), TestCaseError> {
    let number = plan.scopes.iter().position(|scope| {
        let around = scope.container.map(|container| &plan.nodes[container.node].id);
        around == analysis.container()
    });
    let scope = &plan.scopes[number.unwrap()];
    let nodes = || plan.nodes[scope.nodes.clone()].iter().filter(|node| !node.is_border);
    let order: Vec<_> = nodes().map(|node| node.id.clone()).collect();
    prop_assert_eq!(&analysis.order, &order, "plan order");
    let clocks = nodes().map(|node| (node.id.clone(), (node.clock.len(), node.is_follower)));
    prop_assert_eq!(analysis.clocks(), clocks.collect::<BTreeMap<_, _>>(), "clocks");
    let sorted = |mut sources: Vec<NodeId>| {
        sources.sort();
        sources
    };
    let mut ours: Vec<_> =
        analysis.back_edges().into_iter().map(|(entry, back)| (entry, sorted(back))).collect();
    let back_edges = plan.cycles[scope.cycles.clone()].iter().map(|cycle| {
        let back = cycle.back.iter().map(|&edge| plan.nodes[plan.edges[edge].source].id.clone());
        (plan.nodes[cycle.entry].id.clone(), sorted(back.collect()))
    });
    let mut theirs: Vec<_> = back_edges.collect();
    ours.sort();
    theirs.sort();
    prop_assert_eq!(ours, theirs, "entries and back edges");
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

pub fn check_run_matches_reference(case: &Case) -> Result<(), TestCaseError> {
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
            let (mut on, mut found) = (on.clone(), summary.waiting.last().cloned().unwrap_or_default());
            if !expected.bodies.is_empty() {
                // The order between scopes is open.
                on.sort();
                found.sort();
            }
            prop_assert_eq!(found, on, "{}", journal());
        }
        ExpectedEnd::Finished { outputs } => {
            prop_assert_eq!(&run.ending, &Ending::Ended(RunEnd::Finished), "{}", journal());
            prop_assert_eq!(&final_outputs(&summary), outputs, "{}", journal());
        }
    }
    for (at, record) in &expected.activations {
        prop_assert_eq!(summary.activations.get(at), Some(record), "{}\n{}", at, journal());
    }
    assert_broken_iterations_match(&summary, expected, &journal)?;
    let unexpected: Vec<_> = summary
        .activations
        .keys()
        .filter(|at| !expected.activations.contains_key(at) && !is_in_broken_iteration(at, expected))
        .collect();
    prop_assert!(unexpected.is_empty(), "{:?} should not exist\n{}", unexpected, journal());
    let certain = |all: &BTreeSet<Activation>, known: &[Activation]| -> Vec<Activation> {
        let is_certain = |at: &&Activation| known.contains(at) || !is_in_broken_iteration(at, expected);
        all.iter().filter(is_certain).cloned().collect()
    };
    prop_assert_eq!(certain(&summary.epochs, &expected.epochs), expected.epochs.clone(), "{}", journal());
    prop_assert_eq!(
        certain(&summary.exhausted, &expected.exhausted),
        expected.exhausted.clone(),
        "{}",
        journal()
    );
    for (id, history) in &expected.contexts {
        prop_assert_eq!(summary.contexts.get(id), Some(history), "{}\n{}", id, journal());
    }
    prop_assert_eq!(&summary.memory, &expected.memory, "{}", journal());
    Ok(())
}

/// Whether an activation is in an iteration that failed or was stopped, at any depth.
pub fn is_in_broken_iteration(at: &Activation, expected: &Expected) -> bool {
    expected.broken.iter().any(|iteration| {
        expected.bodies[&iteration.node].contains(&at.node) && at.epoch.starts_with(&iteration.epoch)
    })
}

/// Asserts that iterations are as expected. In failed or stopped iterations, activations have the expected outcome or
/// were stopped.
fn assert_broken_iterations_match(
    summary: &JournalSummary,
    expected: &Expected,
    journal: &impl Fn() -> String,
) -> Result<(), TestCaseError> {
    for (at, end) in &expected.iterations {
        prop_assert_eq!(summary.iterations.get(at), Some(end), "iteration {}\n{}", at, journal());
    }
    for (at, end) in summary.iterations.iter().filter(|(at, _)| !expected.iterations.contains_key(at)) {
        let may_be = expected.broken.contains(at) || is_in_broken_iteration(at, expected);
        prop_assert!(may_be && end.is_some(), "iteration {} should not be {:?}\n{}", at, end, journal());
    }
    for (at, record) in &summary.activations {
        // Of a follower that never ran, the end of its iteration skips one, unless the iteration fails before.
        let is_idle = record.attempts == 0 && expected.passed_over.contains(at);
        if is_in_broken_iteration(at, expected) && !was_stopped(record) && !is_idle {
            let decided = expected.in_part.get(at).or_else(|| expected.activations.get(at));
            prop_assert_eq!(Some(record), decided, "{}\n{}", at, journal());
        }
    }
    Ok(())
}

/// Whether something else ended an activation.
fn was_stopped(record: &ActivationRecord) -> bool {
    match &record.end {
        Some(Final::Skipped(reason)) => {
            record.attempts > 0 || *reason != plait_journal::SkipReason::DeadInput
        }
        Some(Final::Failed { code, .. }) => code == "node.stopped" || code == "node.cancelled",
        Some(Final::Finished(_)) => false,
        None => true,
    }
}

/// Asserts that the decided activations of a run that was stopped match the expected result.
pub fn assert_matches_in_part(
    run: &RunRecord,
    summary: &JournalSummary,
    expected: &Expected,
) -> Result<(), TestCaseError> {
    let journal = || format_journal(&run.entries);
    for (at, record) in &summary.activations {
        let stopped = was_stopped(record);
        let found = expected.activations.get(at).or_else(|| expected.in_part.get(at));
        let Some(expected) = found else {
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
        // What an iteration makes ends with it.
        let Some(whole) = expected.contexts.get(id) else { continue };
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
