//! The expected result of a run: the outcomes of all activations, and how the run ends.

use std::collections::{BTreeMap, BTreeSet};

use plait_engine::id::Epoch;
use plait_engine::journal::SkipReason;

use super::interpreter::Interpreter;
use super::outcome::{Outcome, Ran};
use super::{Expected, ExpectedEnd, FlowAnalysis, InputOverrides, record};
use crate::journal_summary::{Final, History, at};
use crate::nodes::semantics::Script;

/// Computes the expected result. Nothing if a cycle has too many iterations.
pub fn expect(analysis: &FlowAnalysis, overrides: &InputOverrides, script: Script) -> Option<Expected> {
    let mut interpreter = Interpreter::new(analysis, overrides, script);
    let mut activations = BTreeMap::new();
    let mut contexts = BTreeMap::new();
    let mut turns = Vec::new();
    let mut calls = BTreeMap::new();
    let mut passed_over = BTreeSet::new();
    let (mut failures, mut waiting, mut idle, mut undecided) = (Vec::new(), Vec::new(), Vec::new(), 0);
    for id in &analysis.order {
        let (epochs, _) = interpreter.epochs(&analysis.cycles.clocks[id], &Epoch::root());
        let mut lives = false;
        for epoch in &epochs {
            let this = at(id, epoch);
            let outcome = interpreter.outcome(&this);
            let record = match &*outcome {
                Outcome::Skipped if analysis.cycles.follows(id) => {
                    passed_over.insert(this);
                    continue;
                }
                Outcome::Skipped => record(Final::Skipped(SkipReason::DeadInput)),
                Outcome::Ran(ran) => {
                    contexts.extend(ran.makes.clone().map(|id| (id, History::new())));
                    turns.extend(ran.writes.is_some().then(|| this.clone()));
                    ran.record.clone()
                }
                Outcome::Failed(record, _, handled) => {
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
            lives |= record.attempts > 0;
            let settings = &analysis.graph.nodes[id].settings;
            if analysis.graph.nodes[id].kind == "effect" && record.attempts > 0 {
                calls.insert(this.clone(), settings.steps);
            }
            activations.insert(this, record);
        }
        if analysis.cycles.follows(id) && !lives {
            idle.extend(epochs.last().map(|epoch| at(id, epoch)));
        }
    }
    if interpreter.too_long {
        return None;
    }
    turns.sort_by(|a, b| interpreter.precedence(a, b));
    for turn in turns {
        if let Outcome::Ran(Ran { writes: Some((id, added)), .. }) = &*interpreter.outcome(&turn) {
            contexts.get_mut(id).expect("made before it is used").extend(added.clone());
        }
    }
    let end = if !failures.is_empty() {
        ExpectedEnd::Failed { by: failures }
    } else if !waiting.is_empty() {
        ExpectedEnd::Waiting { on: waiting }
    } else {
        assert_eq!(undecided, 0, "nothing fails and nothing waits, so everything is decided");
        // A follower that never ran is skipped once, at the end.
        let skipped = record(Final::Skipped(SkipReason::DeadInput));
        activations.extend(idle.into_iter().map(|at| (at, skipped.clone())));
        ExpectedEnd::Finished { outputs: interpreter.results() }
    };
    let (mut iterations, mut exhausted) = (Vec::new(), Vec::new());
    for ((cycle, outer), known) in &interpreter.iterations {
        let entry = &analysis.cycles.all[*cycle].entry;
        iterations.extend((1..known.count).map(|counter| at(entry, &outer.child(counter))));
        exhausted.extend(known.exhausted.then(|| at(entry, &outer.child(known.count - 1))));
    }
    iterations.sort();
    exhausted.sort();
    Some(Expected { activations, passed_over, iterations, exhausted, contexts, calls, end })
}
