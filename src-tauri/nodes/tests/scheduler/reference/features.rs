//! What a case contains of what the properties are about.

use std::collections::BTreeMap;

use plait_core::id::{Activation, PortName};

use super::graph::{Place, Wire};
use super::{Expected, ExpectedEnd, FlowAnalysis, InputOverrides, contexts};
use crate::journal_summary::{ActivationRecord, Final};

/// The features of a flow, and of its expected run.
pub fn features(flow: &FlowAnalysis, overrides: &InputOverrides, expected: &Expected) -> Vec<&'static str> {
    let mut found = Vec::new();
    let mut see = |what: &'static str, is_there: bool| found.extend(is_there.then_some(what));
    of_flow(flow, overrides, &mut see);
    of_run(flow, overrides, expected, &mut see);
    found
}

fn of_flow(flow: &FlowAnalysis, overrides: &InputOverrides, see: &mut impl FnMut(&'static str, bool)) {
    let depth = |cycle: usize| flow.nesting.around(flow.nesting.cycles[cycle].entry).len();
    let cycles = || 0..flow.nesting.cycles.len();
    see("a cycle", cycles().next().is_some());
    see("a nested cycle", cycles().any(|cycle| depth(cycle) == 2));
    see("a cycle nested twice", cycles().any(|cycle| depth(cycle) > 2));
    let nodes = || flow.graph.places();
    let follows = |node: Place| flow.clocks.follows(node);
    let kind = |node: Place| flow.graph.nodes[node].kind.as_str();
    see("a follower", nodes().any(follows));
    see("a follower of a nested cycle", nodes().any(|node| follows(node) && flow.clocks[node].len() > 1));
    see("a follower that makes a context", nodes().any(|node| follows(node) && kind(node) == "context"));
    let beside = |wire: &&Wire| {
        let level = flow.clocks.level(wire.source, wire.target);
        level < flow.clocks[wire.source].len() && level < flow.clocks[wire.target].len()
    };
    let feeding = || flow.graph.wires.iter().filter(beside);
    see("a cycle that feeds a cycle", feeding().any(|wire| !follows(wire.source)));
    see("a follower that feeds a cycle", feeding().any(|wire| follows(wire.source)));
    see(
        "two cycles in sequence in a cycle",
        feeding().any(|wire| flow.clocks.level(wire.source, wire.target) > 0),
    );
    let alike = |one: &Wire, other: &Wire| {
        one != other && (one.source, one.target, &one.input) == (other.source, other.target, &other.input)
    };
    let wires = &flow.graph.wires;
    see(
        "two edges of a node into an input",
        wires.iter().any(|one| wires.iter().any(|other| alike(one, other))),
    );
    see("a portal", wires.iter().any(|wire| wire.edges.len() > 1));
    see("an override", !overrides.is_empty());
    let reach = |node: Place| contexts::reach(&flow.document, overrides, &flow.graph.nodes[node].id);
    let by_override = |node: Place, port: &str| {
        overrides
            .get(&flow.graph.nodes[node].id)
            .is_some_and(|ports| ports.contains_key(&PortName::from(port)))
    };
    let fed = |node: Place, port: &str, by: &str| {
        wires.iter().any(|wire| wire.target == node && wire.input.as_str() == port && kind(wire.source) == by)
    };
    let guests = || nodes().filter(|&node| kind(node) == "guest");
    let in_settings = |node: &Place| !flow.graph.nodes[*node].settings.names.is_empty();
    see("a context named in settings", guests().any(|node| in_settings(&node)));
    see(
        "a context named in settings inside a cycle",
        guests().filter(in_settings).any(|node| !flow.clocks[node].is_empty()),
    );
    see("a context named by an override", guests().any(|node| by_override(node, "who")));
    see("a context named by its maker", guests().any(|node| fed(node, "who", "context")));
    see("a context named by a value", guests().any(|node| fed(node, "who", "pass")));
    see("a context named at run time", guests().any(|node| reach(node).any));
    let users = || nodes().filter(|&node| !reach(node).is_nothing());
    let shared = |one: Place| users().any(|other| other != one && reach(one).meets(&reach(other)));
    see("a shared context", users().any(shared));
    see("a context shared inside a cycle", users().any(|node| shared(node) && !flow.clocks[node].is_empty()));
    see("a context shared with a follower", users().any(|node| shared(node) && follows(node)));
}

fn of_run(
    flow: &FlowAnalysis,
    overrides: &InputOverrides,
    expected: &Expected,
    see: &mut impl FnMut(&'static str, bool),
) {
    see("a further iteration", !expected.epochs.is_empty());
    see("an exhausted cycle", !expected.exhausted.is_empty());
    see("a cycle in which nobody is asked for too long", expected.hit_unattended_bound);
    let node = |at: &Activation| flow.graph.find(&at.node).unwrap();
    let cycle_of = |at: &Activation| flow.clocks[node(at)].last().copied().unwrap();
    let inner_bound_ends_inner = |at: &&Activation| {
        let outer = flow.nesting.cycles[cycle_of(at)].parent;
        let goes_on = |outer: usize| {
            let entry = &flow.graph.nodes[flow.nesting.cycles[outer].entry].id;
            expected.epochs.iter().any(|other| {
                other.node == *entry && other.epoch.0.last() > at.epoch.0.get(other.epoch.depth() - 1)
            })
        };
        outer.is_some_and(goes_on)
    };
    see(
        "an inner bound after which the outer cycle goes on",
        expected.exhausted.iter().any(|at| inner_bound_ends_inner(&at)),
    );
    let records = || expected.activations.iter();
    let is_skipped = |record: &ActivationRecord| matches!(record.end, Some(Final::Skipped(_)));
    let asks = |at: &Activation| flow.graph.nodes[node(at)].behavior.pauses;
    let continued = |at: &Activation| {
        let Some(cycle) = flow.clocks[node(at)].last() else { return false };
        let entry = &flow.graph.nodes[flow.nesting.cycles[*cycle].entry].id;
        let Some(last) = at.epoch.0.last() else { return false };
        let next =
            Activation { node: entry.clone(), epoch: at.epoch.prefix(at.epoch.depth() - 1).child(last + 1) };
        !flow.clocks.follows(node(at)) && expected.epochs.contains(&next)
    };
    see(
        "a skipped pause in a cycle that goes on",
        records().any(|(at, record)| asks(at) && is_skipped(record) && continued(at)),
    );
    let live_from_cycle_beside = |(at, record): (&Activation, &ActivationRecord)| {
        let target = node(at);
        let sources = record.ready.iter().flat_map(BTreeMap::values).flatten();
        let mut beside = sources.filter(|source| {
            let source = flow.graph.find(&source.node).unwrap();
            let level = flow.clocks.level(source, target);
            level < flow.clocks[source].len() && level < flow.clocks[target].len()
        });
        beside.any(|source| source.epoch.0.last().is_some_and(|&last| last > 0))
    };
    see("a value of a later iteration that feeds a cycle", records().any(live_from_cycle_beside));
    let joins = |record: &ActivationRecord| {
        let ports = record.ready.iter().flat_map(BTreeMap::values);
        ports.into_iter().any(|sources| {
            sources.windows(2).any(|two| two[0].node == two[1].node && two[0].port != two[1].port)
        })
    };
    see("two live edges of a node into an input", records().any(|(_, record)| joins(record)));
    let collects =
        |record: &ActivationRecord| record.ready.iter().flat_map(BTreeMap::values).any(|it| it.len() > 1);
    see("a port that collects", records().any(|(_, record)| collects(record)));
    let fails_with = |record: &ActivationRecord, which: &str| matches!(&record.end, Some(Final::Failed { code, .. }) if code == which);
    see(
        "a context that is not there yet",
        records().any(|(_, record)| fails_with(record, "context.unknown")),
    );
    let made_behind = expected.contexts.iter().any(|(id, history)| {
        let maker = flow.graph.find(&id.as_str().split('#').next().unwrap().into()).unwrap();
        let by_name = |author: &str| {
            let author = flow.graph.find(&author.split(['#', '/']).next().unwrap().into()).unwrap();
            contexts::reach(&flow.document, overrides, &flow.graph.nodes[author].id).any
        };
        flow.clocks.follows(maker) && history.iter().any(|(id, _)| by_name(id.as_str()))
    });
    see("a context of a follower, named at run time", made_behind);
    see("a history of several turns", expected.contexts.values().any(|history| history.len() > 3));
    see("a skipped activation", records().any(|(_, record)| is_skipped(record)));
    let handled = |record: &ActivationRecord| matches!(record.end, Some(Final::Failed { handled: true, .. }));
    see("a handled failure", records().any(|(_, record)| handled(record)));
    let finishes = |record: &ActivationRecord| matches!(record.end, Some(Final::Finished(_)));
    see("a retry that helped", records().any(|(_, record)| record.attempts > 1 && finishes(record)));
    see("an answered pause", records().any(|(_, record)| record.pauses > 0 && record.end.is_some()));
    see("a question asked again", records().any(|(_, record)| record.pauses > 1));
    see("a call to the outside", !expected.calls.is_empty());
    see("a run that finishes", matches!(expected.end, ExpectedEnd::Finished { .. }));
    see("a run that fails", matches!(expected.end, ExpectedEnd::Failed { .. }));
    see("a run that waits", matches!(expected.end, ExpectedEnd::Waiting { .. }));
}
