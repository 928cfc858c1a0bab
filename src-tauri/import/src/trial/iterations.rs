//! The iterations that the nodes of a trial run in, and the nodes of the file that count them: a loop is a node of the file, and the
//! iterations of a cycle are the times that the node ran at which it is entered.

use std::collections::{BTreeSet, HashMap};

use plait_core::flow::Flow;
use plait_core::id::NodeId;
use plait_journal::InputOverrides;
use plait_nodes::registry;
use plait_run::plan::{NodeIx, Plan, plan};

use super::record::Record;
use super::{Places, repeated};
use plait_formats::foreign::ImportReport;

pub(super) struct Iterations<'r> {
    /// The nodes of the file that count the iterations around each node of the flow, outermost first; none outside of loops and
    /// cycles. Nothing where the record does not say in which iteration a node ran.
    around: HashMap<NodeId, Option<Vec<&'r str>>>,
    /// The loops in which a node ran.
    run: BTreeSet<NodeId>,
}

impl<'r> Iterations<'r> {
    /// Those of a flow that can run. Where it has errors, nothing is known of nodes in loops.
    pub(super) fn of(flow: &Flow, report: &'r ImportReport, places: &Places<'r>, record: &Record) -> Self {
        let plan = plan(flow, &registry(), None, &InputOverrides::new()).ok();
        let counters = plan.as_ref().map(|plan| Counters { plan, report, places, record });
        let mut around: HashMap<NodeId, Option<Vec<&'r str>>> = HashMap::new();
        for (id, node) in &flow.nodes {
            let planned = counters.as_ref().and_then(|counters| Some((counters, counters.plan.find(id)?)));
            let path = match planned {
                Some((counters, at)) => counters.around(at),
                // It does not run.
                None => node.parent.is_none().then(Vec::new),
            };
            around.insert(id.clone(), path);
        }
        let mut unknown: BTreeSet<Vec<&str>> = BTreeSet::new();
        let mut ran: BTreeSet<Vec<&str>> = BTreeSet::new();
        for (id, path) in &around {
            let Some((node, path)) = flow.nodes.get(id).zip(path.as_ref()) else { continue };
            for (of, _) in places.of(&[], id).iter().filter(|(of, _)| record.has(&of.id)) {
                ran.insert(path.clone());
                if record.times(&of.id, path, repeated(node)).is_none() && !path.is_empty() {
                    unknown.insert(path.clone());
                }
            }
        }
        let is_unknown = |path: &[&str]| (1..=path.len()).any(|length| unknown.contains(&path[..length]));
        for path in around.values_mut() {
            path.take_if(|path| is_unknown(path));
        }
        let inside =
            flow.nodes.iter().filter(|(id, _)| around[*id].as_ref().is_some_and(|path| ran.contains(path)));
        let run = inside.filter_map(|(_, node)| node.parent.clone()).collect();
        Self { around, run }
    }

    /// The nodes of the file that count the iterations around a node, outermost first. Nothing where that is not known.
    pub(super) fn around(&self, id: &NodeId) -> Option<&[&'r str]> {
        self.around.get(id)?.as_deref()
    }

    /// Whether a loop runs: the record says in which of its iterations each node ran that asks.
    pub(super) fn run(&self, id: &NodeId) -> bool {
        self.run.contains(id)
    }
}

struct Counters<'p, 'r> {
    plan: &'p Plan,
    report: &'r ImportReport,
    places: &'p Places<'r>,
    record: &'p Record,
}

impl<'r> Counters<'_, 'r> {
    fn around(&self, at: NodeIx) -> Option<Vec<&'r str>> {
        let node = &self.plan.nodes[at];
        let mut path = Vec::new();
        if let Some(container) = self.plan.scopes[node.scope].container {
            path = self.around(container.node)?;
            let head = self.places.of(&[], &self.plan.nodes[container.node].id).first()?;
            path.push(head.0.id.as_str());
        }
        for &cycle in &node.clock {
            path.push(self.of_file(&self.plan.nodes[self.plan.cycles[cycle].entry].id)?);
        }
        path.iter().all(|head| self.record.has(head)).then_some(path)
    }

    /// The only node of the file that ran and became a node of the flow.
    fn of_file(&self, id: &NodeId) -> Option<&'r str> {
        let mut ran = self.report.nodes.iter().filter(|of| of.nodes.contains(id) && self.record.has(&of.id));
        let found = ran.next()?;
        ran.next().is_none().then_some(found.id.as_str())
    }
}
