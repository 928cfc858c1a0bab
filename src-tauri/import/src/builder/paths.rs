//! Questions about the flow so far: what feeds what, and which nodes follow which.

use super::FlowBuilder;
use crate::output::Output;
use plait_core::id::NodeId;
use plait_core::port::PortKind;

/// An edge of the file, and how it is reported if the flow has it not.
pub(crate) struct FileEdge<'f> {
    pub(crate) source: &'f str,
    pub(crate) target: &'f str,
    pub(crate) label: &'f str,
    pub(crate) lost: &'static str,
}

impl FlowBuilder {
    /// Reports edges of the file. An edge is kept if its ends are connected in the flow, directly or through other
    /// nodes.
    pub(crate) fn report_edges(&mut self, edges: &[FileEdge<'_>]) {
        // By their sources, so that what follows each is looked for once.
        let mut order: Vec<usize> = (0..edges.len()).collect();
        order.sort_by_key(|&at| edges[at].source);
        let mut are_kept = vec![false; edges.len()];
        let mut known: Option<(&str, Vec<bool>)> = None;
        for at in order {
            let FileEdge { source, target, .. } = edges[at];
            let (Some(from), Some(to)) = (self.reported(source), self.reported(target)) else { continue };
            if known.as_ref().is_none_or(|(of, _)| *of != source) {
                known = Some((source, self.adjacency.after(&from.nodes)));
            }
            let is_after = |id| {
                known.as_ref().is_some_and(|(_, after)| self.adjacency.number(id).is_some_and(|at| after[at]))
            };
            are_kept[at] = to.nodes.iter().any(is_after);
        }
        for (edge, is_kept) in edges.iter().zip(are_kept) {
            if is_kept {
                self.keep_edge(edge.source, edge.target, edge.label);
            } else if self.reported(edge.source).is_none() || self.reported(edge.target).is_none() {
                let reason = "The file has no node of one of these ids.";
                self.lose_edge(edge.source, edge.target, edge.label, reason);
            } else {
                self.lose_edge(edge.source, edge.target, edge.label, edge.lost);
            }
        }
    }

    /// Whether nodes of the file became the same node, or nodes with an edge from one to the other.
    pub(crate) fn are_connected(&self, source: &str, target: &str) -> bool {
        let (Some(source), Some(target)) = (self.reported(source), self.reported(target)) else {
            return false;
        };
        let leads_to_target = |id: &NodeId| {
            let mut edges = self.adjacency.outgoing(id).filter_map(|edge| self.flow.edges.get(edge));
            target.nodes.contains(id) || edges.any(|edge| target.nodes.contains(&edge.target))
        };
        source.nodes.iter().any(leads_to_target)
    }

    /// Whether edges lead from each of these outputs to a node.
    pub(crate) fn all_lead_to(&self, outputs: &[Output], to: &NodeId) -> bool {
        let before = self.adjacency.before(to);
        outputs.iter().all(|output| self.adjacency.number(&output.node).is_some_and(|at| before[at]))
    }

    /// Whether a node that is added now can read an output: what is in a loop gives nothing outside of it.
    pub(crate) fn can_read(&self, output: &Output) -> bool {
        let is_of_body = ["item", "index", "previous"].contains(&output.port.as_str());
        let around = if is_of_body && self.node_type(&output.node) == "loop" {
            Some(output.node.clone())
        } else {
            self.parent(&output.node)
        };
        let mut open = std::iter::successors(self.current_loop().cloned(), |id| self.parent(id));
        around.is_none_or(|around| open.any(|id| id == around))
    }

    /// Whether an edge leads to an input.
    pub(crate) fn is_fed(&self, id: &NodeId, input: &str) -> bool {
        let mut edges = self.adjacency.incoming(id).filter_map(|edge| self.flow.edges.get(edge));
        edges.any(|edge| edge.target_input.as_str() == input)
    }

    /// What feeds a node's inputs.
    pub(crate) fn feeds(&self, id: &NodeId) -> Vec<Output> {
        let edges = self.adjacency.incoming(id).filter_map(|edge| self.flow.edges.get(edge));
        edges.map(|edge| Output::new(&edge.source, edge.source_output.as_str())).collect()
    }

    /// Whether an edge leads away from a node.
    pub(crate) fn is_read(&self, id: &NodeId) -> bool {
        self.adjacency.outgoing(id).next().is_some()
    }

    /// Whether an output gives what an input gets, as the nodes between them are disabled and were made for one node of the file.
    pub(crate) fn passes_by(&self, source: &str, output: &Output, input: &Output) -> bool {
        let mut at = output.clone();
        // Each step goes back by one node.
        for _ in 0..self.flow.nodes.len() {
            if self.owners.get(&at.node).is_none_or(|owner| owner != source) {
                return false;
            }
            let node_type = self.node_type(&at.node);
            let edges = self.adjacency.incoming(&at.node).filter_map(|edge| self.flow.edges.get(edge));
            let mut edges = edges
                .filter(|edge| super::input_kind(node_type, edge.target_input.as_str()) == PortKind::Data);
            let (Some(edge), None) = (edges.next(), edges.next()) else { return false };
            let from = Output::new(&edge.source, edge.source_output.as_str());
            if from == *input {
                return true;
            }
            at = from;
        }
        false
    }
}
