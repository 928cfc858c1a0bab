//! Randomly mutated flows: checking and planning never panic, and accepted flows run to an end. The same for mutated
//! journals.

use plait_core::flow::Flow;
use plait_core::id::{EdgeId, NodeId};
use plait_journal::{Entry, InputOverrides};
use plait_run::plan;
use proptest::prelude::*;

use super::{assert_all_final, assert_holds, errors, runnable};
use crate::generate::Case;
use crate::journal_summary::summarize;
use crate::nodes::{KINDS, registry};
use crate::notation::{edge, write};
use crate::run_harness::{Ending, Scenario, Schedule};

fn any_of<T: Clone>(all: impl Iterator<Item = T>, rng: &mut fastrand::Rng) -> Option<T> {
    rng.choice(all.collect::<Vec<_>>())
}

fn mutate(flow: &mut Flow, rng: &mut fastrand::Rng) {
    let node =
        |flow: &Flow, rng: &mut fastrand::Rng| -> Option<NodeId> { any_of(flow.nodes.keys().cloned(), rng) };
    let some_edge =
        |flow: &Flow, rng: &mut fastrand::Rng| -> Option<EdgeId> { any_of(flow.edges.keys().cloned(), rng) };
    let Some(id) = node(flow, rng) else { return };
    match rng.usize(..14) {
        0 => drop(flow.nodes.remove(&id)),
        1 => "nobody".clone_into(&mut flow.nodes.get_mut(&id).unwrap().node_type),
        2 => {
            let kinds = KINDS.iter().chain(&["comment", "portalIn", "portalOut"]);
            flow.nodes.get_mut(&id).unwrap().node_type = any_of(kinds, rng).unwrap().to_string();
        }
        3 => flow.nodes.get_mut(&id).unwrap().limits.max_epochs = Some(0),
        4 => {
            let retry = &mut flow.nodes.get_mut(&id).unwrap().retry;
            let policy = retry.get_or_insert_default();
            (policy.attempts, policy.jitter) = (rng.u32(..2), rng.f64() * 3.0 - 1.0);
        }
        5 => {
            let config = &mut flow.nodes.get_mut(&id).unwrap().config;
            config.insert("salt".to_owned(), "not a number".into());
        }
        6 => {
            let config = &mut flow.nodes.get_mut(&id).unwrap().config;
            config.insert("channel".to_owned(), "one and the same".into());
        }
        7 | 8 => {
            let ports = ["a", "b", "items", "more", "gate", "context", "out", "x", "error", "no such port"];
            let (output, input) = (ports[rng.usize(..10)], ports[rng.usize(..10)]);
            let target = node(flow, rng).unwrap();
            let new = edge(id.as_str(), output, target.as_str(), input);
            flow.edges.insert(format!("new{}", flow.edges.len()).into(), new);
        }
        kind => {
            let Some(wire) = some_edge(flow, rng) else { return };
            let other = any_of(flow.edges.values().cloned(), rng).unwrap();
            let changed = flow.edges.get_mut(&wire).unwrap();
            match kind {
                9 => changed.target = changed.source.clone(),
                10 => (changed.source, changed.source_output) = (other.source, other.source_output),
                11 => (changed.target, changed.target_input) = (other.target, other.target_input),
                12 => changed.source_output = "no such port".into(),
                _ => drop(flow.edges.insert(format!("{wire}again").into(), other)),
            }
        }
    }
}

fn mutate_journal(entries: &mut Vec<Entry>, rng: &mut fastrand::Rng) {
    let (one, other) = (rng.usize(..entries.len()), rng.usize(..entries.len()));
    match rng.usize(..5) {
        0 => drop(entries.remove(one)),
        1 => entries.swap(one, other),
        2 => entries.insert(one, entries[other].clone()),
        3 => entries.truncate(one),
        _ => entries[one].event = entries[other].event.clone(),
    }
}

#[test]
fn mutated_flow_is_refused_or_runs() {
    assert_holds(400, 10, check_mutated_flow_is_refused_or_runs);
}

fn check_mutated_flow_is_refused_or_runs(case: &Case) -> Result<(), TestCaseError> {
    let mut rng = fastrand::Rng::with_seed(case.seed);
    let mut flow = case.flow.clone();
    for _ in 0..rng.usize(1..6) {
        mutate(&mut flow, &mut rng);
    }
    // The iterations of nested cycles multiply. End each cycle soon here.
    flow.settings.max_unattended_epochs = Some(2);
    for node in flow.nodes.values_mut() {
        let is_asked = (node.node_type == "ask").then_some(2);
        node.limits.max_epochs = node.limits.max_epochs.map(|bound| bound.min(2)).or(is_asked);
    }
    let found = plan::check(&flow, registry()).diagnostics;
    let plan = match plan::plan(&flow, registry(), None, &InputOverrides::new()) {
        Ok(plan) => plan,
        Err(refusal) => {
            prop_assert!(
                !errors(&found).is_empty(),
                "refused for {:?}, though it checks\n{}",
                refusal,
                write(&flow, &case.overrides)
            );
            return Ok(());
        }
    };
    prop_assert!(
        errors(&found).is_empty(),
        "{:?}, and yet it has a plan\n{}",
        found,
        write(&flow, &case.overrides)
    );
    let scenario = Scenario::new(plan, &flow, case.script);
    let run = scenario.run(Schedule::seeded(case.seed));
    let summary = summarize(&run.entries).map_err(TestCaseError::fail)?;
    match run.ending {
        Ending::Ended(_) => assert_all_final(&scenario, &run, &summary)?,
        Ending::Waiting => {}
        Ending::StepLimitReached => return Err(TestCaseError::reject("too long")),
        other => prop_assert!(false, "{:?}\n{}", other, write(&flow, &case.overrides)),
    }
    Ok(())
}

#[test]
fn mutated_journal_is_refused_or_resumes() {
    assert_holds(400, 10, check_mutated_journal_is_refused_or_resumes);
}

fn check_mutated_journal_is_refused_or_resumes(case: &Case) -> Result<(), TestCaseError> {
    let (scenario, _, _) = runnable(case)?;
    let mut rng = fastrand::Rng::with_seed(case.seed);
    let mut entries = scenario.run(Schedule::seeded(case.seed)).entries;
    for _ in 0..rng.usize(1..4) {
        if !entries.is_empty() {
            mutate_journal(&mut entries, &mut rng);
        }
    }
    if !entries.is_empty() {
        match scenario.resume(&entries, Schedule::seeded(case.seed)).ending {
            Ending::Ended(_) | Ending::Waiting => {}
            Ending::Faulted(fault) => prop_assert!(fault.code.domain() == "journal", "{}", fault),
            other => prop_assert!(false, "{:?}", other),
        }
    }
    Ok(())
}

#[test]
fn planning_to_any_node_never_panics() {
    assert_holds(400, 10, |case| {
        let mut rng = fastrand::Rng::with_seed(case.seed);
        let mut flow = case.flow.clone();
        mutate(&mut flow, &mut rng);
        for id in case.flow.nodes.keys() {
            let _ = plan::plan(&flow, registry(), Some(id), &InputOverrides::new());
        }
        Ok(())
    });
}
