//! Random flows contain what the properties are about; otherwise the properties might hold trivially.

use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::strategy::ValueTree;

use super::{deterministic_runner, runnable};
use crate::generate::case;
use crate::journal_summary::Final;
use crate::reference::{ExpectedEnd, FlowAnalysis};

#[test]
fn random_flows_cover_every_feature() {
    let mut runner = deterministic_runner();
    let strategy = case(12);
    let mut seen: BTreeMap<&str, u32> = BTreeMap::new();
    for _ in 0..600 {
        let case = strategy.new_tree(&mut runner).unwrap().current();
        let mut see = |what: &'static str, times: usize| {
            *seen.entry(what).or_default() += u32::from(times > 0);
        };
        see("a refused flow", usize::from(FlowAnalysis::of(&case.flow).is_err()));
        see("a portal", case.flow.nodes.values().filter(|node| node.node_type == "portalOut").count());
        see("an override", case.overrides.len());
        let Some((scenario, analysis, expected)) = runnable(&case) else { continue };
        see("a flow that runs", 1);
        see("a cycle", scenario.plan.cycles.len());
        see("a nested cycle", scenario.plan.cycles.iter().filter(|cycle| cycle.depth == 1).count());
        see("a cycle nested twice", scenario.plan.cycles.iter().filter(|cycle| cycle.depth > 1).count());
        see(
            "a node that follows a cycle",
            scenario.plan.nodes.iter().filter(|node| node.is_follower).count(),
        );
        let deep = scenario.plan.nodes.iter().filter(|node| node.is_follower && node.clock.len() > 1);
        see("a node that follows a nested cycle", deep.count());
        see("a further iteration", expected.iterations.len());
        see("an exhausted cycle", expected.exhausted.len());
        see("a shared context", analysis.sharing().len());
        let in_cycle = |id| !scenario.plan.nodes[scenario.plan.find(id).unwrap()].clock.is_empty();
        see(
            "a context shared inside a cycle",
            analysis.sharing().iter().flatten().filter(|id| in_cycle(id)).count(),
        );
        let guests = scenario.plan.nodes.iter().filter(|node| case.flow.nodes[&node.id].node_type == "guest");
        see("a guest in a context it is record of", guests.count());
        let handed_on = |edge: &&plait_engine::flow::Edge| {
            edge.source_output.as_str() == "context" && case.flow.nodes[&edge.source].node_type == "guest"
        };
        see("a context that a guest hands on", case.flow.edges.values().filter(handed_on).count());
        see("a history of several turns", expected.contexts.values().filter(|it| it.len() > 3).count());
        let record: Vec<_> = expected.activations.values().collect();
        let ends =
            |end: fn(&Final) -> bool| record.iter().filter(|it| it.end.as_ref().is_some_and(end)).count();
        see("a skipped activation", ends(|end| matches!(end, Final::Skipped(_))));
        see("a handled failure", ends(|end| matches!(end, Final::Failed { handled: true, .. })));
        see(
            "a retry that helped",
            record.iter().filter(|it| it.attempts > 1 && matches!(it.end, Some(Final::Finished(_)))).count(),
        );
        see("an answered pause", record.iter().filter(|it| it.pauses > 0 && it.end.is_some()).count());
        see("a question asked again", record.iter().filter(|it| it.pauses > 1).count());
        see("a call to the outside", expected.calls.len());
        let ported = |it: &&&crate::journal_summary::ActivationRecord| {
            it.ready.as_ref().is_some_and(|ready| ready.values().any(|sources| sources.len() > 1))
        };
        see("a port that collects", record.iter().filter(ported).count());
        // All three each time: what is never looked for is never missed.
        see("a run that finishes", usize::from(matches!(expected.end, ExpectedEnd::Finished { .. })));
        see("a run that fails", usize::from(matches!(expected.end, ExpectedEnd::Failed { .. })));
        see("a run that waits", usize::from(matches!(expected.end, ExpectedEnd::Waiting { .. })));
    }
    println!("{seen:#?}");
    for (what, times) in seen {
        assert!(times >= 6, "only {times} of 600 random flows have {what}");
    }
}
