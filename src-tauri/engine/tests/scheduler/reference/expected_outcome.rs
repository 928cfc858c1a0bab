//! The expected result of a run: the outcomes of all activations, and how the run ends.

use std::collections::{BTreeMap, BTreeSet};

use plait_engine::id::Epoch;
use plait_engine::journal::SkipReason;

use super::interpreter::Interpreter;
use super::outcome::Outcome;
use super::{Expected, ExpectedEnd, FlowAnalysis, InputOverrides};
use crate::journal_summary::{ActivationRecord, Final, History};
use crate::nodes::semantics::Script;

/// Computes the expected result. Nothing if it takes too long.
pub fn expect(flow: &FlowAnalysis, overrides: &InputOverrides, script: Script) -> Option<Expected> {
    let mut interpreter = Interpreter::new(flow, overrides, script);
    let skipped = || ActivationRecord {
        end: Some(Final::Skipped(SkipReason::DeadInput)),
        ..ActivationRecord::default()
    };
    let mut activations = BTreeMap::new();
    let mut contexts = BTreeMap::new();
    let mut turns = Vec::new();
    let mut calls = BTreeMap::new();
    let mut passed_over = BTreeSet::new();
    let (mut failures, mut waiting, mut idle, mut undecided) = (Vec::new(), Vec::new(), Vec::new(), 0);
    for &node in &flow.places {
        let it = &flow.graph.nodes[node];
        let (epochs, _) = interpreter.epochs(node, &Epoch::root());
        let mut has_run = false;
        for epoch in &epochs {
            let this = interpreter.activation(node, epoch);
            let outcome = interpreter.outcome(node, epoch);
            let record = match &*outcome {
                Outcome::Skipped if flow.clocks.follows(node) => {
                    passed_over.insert(this);
                    continue;
                }
                Outcome::Skipped => skipped(),
                Outcome::Finished { record, makes, writes, .. } => {
                    contexts.extend(makes.clone().map(|id| (id, History::new())));
                    turns.extend(writes.clone().map(|writes| ((node, epoch.clone()), writes)));
                    record.clone()
                }
                Outcome::Failed { record, handled, .. } => {
                    failures.extend((!handled).then(|| this.clone()));
                    record.clone()
                }
                Outcome::Waits(record) => {
                    waiting.push(this.clone());
                    record.clone()
                }
                Outcome::Undecided => {
                    undecided += 1;
                    continue;
                }
            };
            has_run |= record.attempts > 0;
            if it.kind == "effect" && record.attempts > 0 {
                calls.insert(this.clone(), it.settings.steps);
            }
            activations.insert(this, record);
        }
        if flow.clocks.follows(node) && !has_run {
            idle.extend(epochs.last().map(|epoch| interpreter.activation(node, epoch)));
        }
    }
    turns.sort_by(|(one, _), (other, _)| interpreter.precedence(one, other));
    for (_, (context, added)) in turns {
        contexts.entry(context).or_default().extend(added);
    }
    let end = if !failures.is_empty() {
        ExpectedEnd::Failed { by: failures }
    } else if !waiting.is_empty() {
        ExpectedEnd::Waiting { on: waiting }
    } else {
        assert!(
            undecided == 0 || interpreter.is_too_long || interpreter.contradiction.is_some(),
            "nothing fails and nothing waits, so everything is decided"
        );
        // A follower that never ran is skipped once, at the end.
        activations.extend(idle.into_iter().map(|at| (at, skipped())));
        ExpectedEnd::Finished { outputs: interpreter.results() }
    };
    if interpreter.is_too_long {
        return None;
    }
    let (mut iterations, mut exhausted) = (Vec::new(), Vec::new());
    let mut hit_unattended_bound = false;
    for ((cycle, outer), known) in &interpreter.iterations {
        let cycle = &flow.nesting.cycles[*cycle];
        let at = |counter: u32| interpreter.activation(cycle.entry, &outer.child(counter));
        iterations.extend((1..known.count).map(at));
        exhausted.extend(known.exhausted.then(|| at(known.count - 1)));
        hit_unattended_bound |= known.exhausted && cycle.bound.is_none();
    }
    iterations.sort();
    exhausted.sort();
    Some(Expected {
        activations,
        passed_over,
        iterations,
        exhausted,
        contexts,
        calls,
        end,
        hit_unattended_bound,
        contradiction: interpreter.contradiction,
    })
}
