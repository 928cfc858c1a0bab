//! Flows that were mangled in any way: checking and planning never panic, and what is not refused runs to an end. The same
//! for journals that were tampered with.

use plait_engine::flow::Flow;
use plait_engine::id::{EdgeId, NodeId};
use plait_engine::journal::{Entry, InputOverrides};
use plait_engine::plan;
use proptest::prelude::*;

use super::{all_final, cases, errors, playable};
use crate::generate::case;
use crate::nodes::{KINDS, registry};
use crate::notation::{edge, write};
use crate::play::{Ending, Piece, Schedule};
use crate::reading::read;

fn any_of<T: Clone>(all: impl Iterator<Item = T>, chance: &mut fastrand::Rng) -> Option<T> {
    chance.choice(all.collect::<Vec<_>>())
}

fn mangle(flow: &mut Flow, chance: &mut fastrand::Rng) {
    let node = |flow: &Flow, chance: &mut fastrand::Rng| -> Option<NodeId> {
        any_of(flow.nodes.keys().cloned(), chance)
    };
    let some_edge = |flow: &Flow, chance: &mut fastrand::Rng| -> Option<EdgeId> {
        any_of(flow.edges.keys().cloned(), chance)
    };
    let Some(id) = node(flow, chance) else { return };
    match chance.usize(..14) {
        0 => drop(flow.nodes.remove(&id)),
        1 => "nobody".clone_into(&mut flow.nodes.get_mut(&id).unwrap().node_type),
        2 => {
            let kinds = KINDS.iter().chain(&["comment", "portalIn", "portalOut"]);
            flow.nodes.get_mut(&id).unwrap().node_type = any_of(kinds, chance).unwrap().to_string();
        }
        3 => flow.nodes.get_mut(&id).unwrap().limits.max_epochs = Some(0),
        4 => {
            let retry = &mut flow.nodes.get_mut(&id).unwrap().retry;
            let policy = retry.get_or_insert_default();
            (policy.attempts, policy.jitter) = (chance.u32(..2), chance.f64() * 3.0 - 1.0);
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
            let (output, input) = (ports[chance.usize(..10)], ports[chance.usize(..10)]);
            let target = node(flow, chance).unwrap();
            let new = edge(id.as_str(), output, target.as_str(), input);
            flow.edges.insert(format!("new{}", flow.edges.len()).into(), new);
        }
        kind => {
            let Some(wire) = some_edge(flow, chance) else { return };
            let other = any_of(flow.edges.values().cloned(), chance).unwrap();
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

fn tamper(entries: &mut Vec<Entry>, chance: &mut fastrand::Rng) {
    let (one, other) = (chance.usize(..entries.len()), chance.usize(..entries.len()));
    match chance.usize(..5) {
        0 => drop(entries.remove(one)),
        1 => entries.swap(one, other),
        2 => entries.insert(one, entries[other].clone()),
        3 => entries.truncate(one),
        _ => entries[one].event = entries[other].event.clone(),
    }
}

proptest! {
    #![proptest_config(cases(400))]

    #[test]
    fn a_mangled_flow_is_refused_or_runs(case in case(10), times in 1..6_usize) {
        let mut chance = fastrand::Rng::with_seed(case.seed);
        let mut flow = case.flow.clone();
        for _ in 0..times {
            mangle(&mut flow, &mut chance);
        }
        // A cycle that goes on past its own pause ends after a million rounds; here it is to end sooner.
        for node in flow.nodes.values_mut().filter(|node| node.node_type == "ask") {
            node.limits.max_epochs.get_or_insert(3);
        }
        let found = plan::check(&flow, &registry()).diagnostics;
        let plan = match plan::plan(&flow, &registry(), None, &InputOverrides::new()) {
            Ok(plan) => plan,
            Err(told) => {
                prop_assert!(!errors(&found).is_empty(), "refused for {:?}, though it checks\n{}", told, write(&flow));
                return Ok(());
            }
        };
        prop_assert!(errors(&found).is_empty(), "{:?}, and yet it has a plan\n{}", found, write(&flow));
        let piece = Piece::new(plan, &flow, case.script);
        let played = piece.play(Schedule::seeded(case.seed));
        let reading = read(&played.entries).map_err(TestCaseError::fail)?;
        match played.ending {
            Ending::Ended(_) => all_final(&piece, &played, &reading)?,
            Ending::Waiting => {}
            other => prop_assert!(false, "{:?}\n{}", other, write(&flow)),
        }
    }

    #[test]
    fn a_tampered_journal_is_refused_or_goes_on(case in case(10), times in 1..4_usize) {
        let Some((piece, _, _)) = playable(&case) else { return Err(TestCaseError::reject("refused")) };
        let mut chance = fastrand::Rng::with_seed(case.seed);
        let mut entries = piece.play(Schedule::seeded(case.seed)).entries;
        for _ in 0..times {
            if !entries.is_empty() {
                tamper(&mut entries, &mut chance);
            }
        }
        if !entries.is_empty() {
            match piece.resume(&entries, Schedule::seeded(case.seed)).ending {
                Ending::Ended(_) | Ending::Waiting => {}
                Ending::Broken(fault) => prop_assert!(fault.code.domain() == "journal", "{}", fault),
                other => prop_assert!(false, "{:?}", other),
            }
        }
    }

    #[test]
    fn any_node_can_be_run_to(case in case(10), seed in any::<u64>()) {
        let mut chance = fastrand::Rng::with_seed(seed);
        let mut flow = case.flow.clone();
        mangle(&mut flow, &mut chance);
        for id in case.flow.nodes.keys() {
            let _ = plan::plan(&flow, &registry(), Some(id), &InputOverrides::new());
        }
    }
}
