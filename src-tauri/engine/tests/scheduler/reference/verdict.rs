//! All of a run: every activation worked out, and what that makes of the run.

use std::collections::{BTreeMap, BTreeSet};

use plait_engine::id::Epoch;
use plait_engine::journal::SkipReason;

use super::meaning::Run;
use super::outcome::{Outcome, Ran};
use super::{Expected, InputOverrides, Study, Verdict, told};
use crate::nodes::meaning::Script;
use crate::reading::{Final, History, at};

/// Works out everything; nothing where that takes too long.
pub fn run(study: &Study, given: &InputOverrides, script: Script) -> Option<Expected> {
    let mut run = Run::new(study, given, script);
    let mut activations = BTreeMap::new();
    let mut contexts = BTreeMap::new();
    let mut turns = Vec::new();
    let mut calls = BTreeMap::new();
    let mut passed_over = BTreeSet::new();
    let (mut failures, mut waiting, mut idle, mut undecided) = (Vec::new(), Vec::new(), Vec::new(), 0);
    for id in &study.order {
        let (epochs, _) = run.epochs(&study.cycles.clocks[id], &Epoch::root());
        let mut lives = false;
        for epoch in &epochs {
            let this = at(id, epoch);
            let outcome = run.outcome(&this);
            let told = match &*outcome {
                Outcome::Skipped if study.cycles.follows(id) => {
                    passed_over.insert(this);
                    continue;
                }
                Outcome::Skipped => told(Final::Skipped(SkipReason::DeadInput)),
                Outcome::Ran(ran) => {
                    contexts.extend(ran.makes.clone().map(|id| (id, History::new())));
                    turns.extend(ran.writes.is_some().then(|| this.clone()));
                    ran.told.clone()
                }
                Outcome::Failed(told, _, handled) => {
                    failures.extend((!handled).then(|| this.clone()));
                    told.clone()
                }
                Outcome::Waits(told) => {
                    waiting.push(this.clone());
                    told.clone()
                }
                Outcome::Undecided => {
                    undecided += 1;
                    continue;
                }
            };
            lives |= told.tries > 0;
            let settings = &study.graph.nodes[id].settings;
            if study.graph.nodes[id].kind == "effect" && told.tries > 0 {
                calls.insert(this.clone(), settings.steps);
            }
            activations.insert(this, told);
        }
        if study.cycles.follows(id) && !lives {
            idle.extend(epochs.last().map(|epoch| at(id, epoch)));
        }
    }
    if run.too_long {
        return None;
    }
    turns.sort_by(|a, b| run.precedence(a, b));
    for turn in turns {
        if let Outcome::Ran(Ran { writes: Some((id, added)), .. }) = &*run.outcome(&turn) {
            contexts.get_mut(id).expect("made before it is used").extend(added.clone());
        }
    }
    let verdict = if !failures.is_empty() {
        Verdict::Failed { by: failures }
    } else if !waiting.is_empty() {
        Verdict::Waiting { on: waiting }
    } else {
        assert_eq!(undecided, 0, "nothing fails and nothing waits, so everything is decided");
        // What only follows cycles and never ran is skipped once, at the end.
        let skipped = told(Final::Skipped(SkipReason::DeadInput));
        activations.extend(idle.into_iter().map(|at| (at, skipped.clone())));
        Verdict::Finished { outputs: run.results() }
    };
    let (mut rounds, mut exhausted) = (Vec::new(), Vec::new());
    for ((cycle, outer), known) in &run.rounds {
        let entry = &study.cycles.all[*cycle].entry;
        rounds.extend((1..known.count).map(|counter| at(entry, &outer.child(counter))));
        exhausted.extend(known.exhausted.then(|| at(entry, &outer.child(known.count - 1))));
    }
    rounds.sort();
    exhausted.sort();
    Some(Expected { activations, passed_over, rounds, exhausted, contexts, calls, verdict })
}
