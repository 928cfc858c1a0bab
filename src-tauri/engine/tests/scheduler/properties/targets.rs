//! "Run to X" runs what X needs, stops when X has finished once, and puts out what X put out.

use std::collections::{BTreeMap, BTreeSet};

use plait_engine::flow::Flow;
use plait_engine::id::NodeId;
use plait_engine::journal::RunEnd;
use proptest::prelude::*;

use super::agreement::{agree, agree_in_part, final_outputs};
use super::{all_final, cases};
use crate::generate::case;
use crate::nodes::Settings;
use crate::play::{Ending, Schedule};
use crate::reading::{Final, read, show};
use crate::reference::{Study, Verdict};

fn is(flow: &Flow, id: &NodeId, kind: &str) -> bool {
    flow.nodes[id].node_type == kind
}

/// Where a node's edges come from; and of the way out of a portal, all ways into it.
fn sources(flow: &Flow, id: &NodeId) -> BTreeSet<NodeId> {
    let channel = |id: &NodeId| -> String {
        let settings: Settings = serde_json::from_value(flow.nodes[id].config.clone().into()).unwrap();
        settings.channel
    };
    let edges = flow.edges.values().filter(|edge| edge.target == *id).map(|edge| &edge.source);
    let way_in = |other: &&NodeId| {
        is(flow, id, "portalOut") && is(flow, other, "portalIn") && channel(other) == channel(id)
    };
    edges.chain(flow.nodes.keys().filter(way_in)).cloned().collect()
}

/// All that lead to a node in one step or more.
fn before(flow: &Flow, id: &NodeId) -> BTreeSet<NodeId> {
    let mut found = sources(flow, id);
    loop {
        let count = found.len();
        found.extend(found.clone().iter().flat_map(|id| sources(flow, id)));
        if found.len() == count {
            return found;
        }
    }
}

/// Whether a node stands inside of a cycle or behind one: its contexts have another name in every round.
fn counts_rounds(flow: &Flow, id: &NodeId) -> bool {
    let mut all = before(flow, id);
    all.insert(id.clone());
    all.iter().any(|id| before(flow, id).contains(id))
}

/// The flow of a node and all that leads to it, round about over portals and cycles too. Who is told of a context by
/// whatever is passed on needs everybody whose context has a name.
fn ancestors(flow: &Flow, target: &NodeId) -> Flow {
    let told_later = |id: &NodeId| {
        let mut told =
            flow.edges.values().filter(|edge| edge.target == *id && edge.target_input.as_str() == "who");
        told.any(|edge| !is(flow, &edge.source, "context"))
    };
    let mut kept = BTreeSet::from([target.clone()]);
    loop {
        let count = kept.len();
        for id in kept.clone() {
            kept.extend(sources(flow, &id));
        }
        if kept.iter().any(told_later) {
            let named = flow.nodes.keys().filter(|id| is(flow, id, "context") && !counts_rounds(flow, id));
            kept.extend(named.cloned());
        }
        if kept.len() == count {
            break;
        }
    }
    let mut flow = flow.clone();
    flow.nodes.retain(|id, _| kept.contains(id));
    flow.edges.retain(|_, edge| kept.contains(&edge.source) && kept.contains(&edge.target));
    flow
}

proptest! {
    #![proptest_config(cases(200))]

    #[test]
    fn stop_when_reached(case in case(12)) {
        let nodes: Vec<&NodeId> =
            case.flow.nodes.iter().filter(|(_, node)| !node.node_type.starts_with("portal")).map(|it| it.0).collect();
        let target = nodes[usize::try_from(case.seed % 64).unwrap() % nodes.len()].clone();
        let part = ancestors(&case.flow, &target);
        let study = Study::of(&part);
        let plan = case.plan_to(Some(&target));
        let (study, plan) = match (study, plan) {
            (Ok(study), Ok(plan)) => (study, plan),
            (Err(_), Err(_)) => return Err(TestCaseError::reject("refused")),
            (ours, theirs) => return Err(TestCaseError::fail(
                format!("to {target}: the reference says {:?}, the engine {:?}", ours.err(), theirs.err())
            )),
        };
        let order: Vec<_> = plan.nodes.iter().map(|node| node.id.clone()).collect();
        prop_assert_eq!(&study.order, &order, "plan order");
        let Some(expected) = study.run(&case.given, case.script) else { return Err(TestCaseError::reject("too long")) };
        let piece = case.piece(plan);
        let played = piece.play(Schedule::seeded(case.seed));
        let reading = read(&played.entries).map_err(TestCaseError::fail)?;
        let journal = || format!("to {target}\n{}", show(&played.entries));
        let mut reached = expected.activations.iter().filter(|(at, _)| at.node == target).filter_map(|(at, told)| {
            match &told.end {
                Some(Final::Finished(outputs)) => Some((at, outputs.clone())),
                _ => None,
            }
        });
        let fails = matches!(expected.verdict, Verdict::Failed { .. });
        let Some((first, outputs)) = reached.next() else {
            if !fails && !matches!(expected.verdict, Verdict::Waiting { .. }) {
                prop_assert_eq!(final_outputs(&reading), BTreeMap::new(), "{}", journal());
                prop_assert_eq!(&reading.contexts, &expected.contexts, "{}", journal());
                return agree_in_part(&played, &reading, &expected);
            }
            return agree(&piece, &played, &expected);
        };
        agree_in_part(&played, &reading, &expected)?;
        if fails && played.ending == Ending::Ended(RunEnd::Failed) {
            return Ok(());
        }
        prop_assert_eq!(&played.ending, &Ending::Ended(RunEnd::Finished), "{}", journal());
        all_final(&piece, &played, &reading)?;
        let only: BTreeMap<_, _> =
            [(target.clone(), outputs)].into_iter().filter(|(_, outputs)| !outputs.is_empty()).collect();
        prop_assert_eq!(final_outputs(&reading), only, "{}", journal());
        let finished = reading.activations.iter().filter(|(at, told)| {
            at.node == target && matches!(told.end, Some(Final::Finished(_)))
        });
        prop_assert_eq!(finished.map(|(at, _)| at).collect::<Vec<_>>(), vec![first], "{}", journal());
        if study.back_edges().is_empty() && !fails {
            // Without cycles all of it is needed, so all of it is decided, once.
            prop_assert_eq!(&reading.activations, &expected.activations, "{}", journal());
        }
    }
}
