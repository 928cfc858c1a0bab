//! "Run to X" runs what X needs, stops when X has finished once, and puts out what X put out.

use std::collections::{BTreeMap, BTreeSet};

use plait_engine::flow::Flow;
use plait_engine::id::NodeId;
use plait_engine::run::RunEnd;
use proptest::prelude::*;

use super::agreement::{agree, agree_in_part, final_outputs};
use super::{all_final, cases};
use crate::generate::case;
use crate::nodes::Settings;
use crate::play::{Ending, Schedule};
use crate::reading::{Final, read, show};
use crate::reference::{Study, Verdict};

/// The flow of a node and all that leads to it, round about over portals and cycles too.
fn ancestors(flow: &Flow, target: &NodeId) -> Flow {
    let channel = |id: &NodeId| -> String {
        let settings: Settings = serde_json::from_value(flow.nodes[id].config.clone().into()).unwrap();
        settings.channel
    };
    let is = |id: &NodeId, kind: &str| flow.nodes[id].node_type == kind;
    let mut kept = BTreeSet::from([target.clone()]);
    loop {
        let before = kept.len();
        for edge in flow.edges.values() {
            if kept.contains(&edge.target) {
                kept.insert(edge.source.clone());
            }
        }
        for exit in kept.clone().iter().filter(|id| is(id, "portalOut")) {
            let ways_in = flow.nodes.keys().filter(|id| is(id, "portalIn") && channel(id) == channel(exit));
            kept.extend(ways_in.cloned());
        }
        if kept.len() == before {
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
