//! Which nodes follow which, by the numbers of nodes, so that questions about paths need no search through all edges.

use std::collections::{BTreeSet, HashMap, btree_set};

use plait_core::id::{EdgeId, NodeId};

#[derive(Debug, Default)]
pub(super) struct Adjacency {
    numbers: HashMap<NodeId, usize>,
    next: Vec<Vec<usize>>,
    previous: Vec<Vec<usize>>,
    incoming: Vec<BTreeSet<EdgeId>>,
    outgoing: Vec<BTreeSet<EdgeId>>,
}

impl Adjacency {
    pub(super) fn add_node(&mut self, id: &NodeId) {
        self.numbers.insert(id.clone(), self.next.len());
        self.next.push(Vec::new());
        self.previous.push(Vec::new());
        self.incoming.push(BTreeSet::new());
        self.outgoing.push(BTreeSet::new());
    }

    pub(super) fn add_edge(&mut self, id: &EdgeId, source: &NodeId, target: &NodeId) {
        let (Some(from), Some(to)) = (self.number(source), self.number(target)) else { return };
        if self.incoming[to].insert(id.clone()) {
            self.outgoing[from].insert(id.clone());
            self.next[from].push(to);
            self.previous[to].push(from);
        }
    }

    pub(super) fn remove_edge(&mut self, id: &EdgeId, source: &NodeId, target: &NodeId) {
        let (Some(from), Some(to)) = (self.number(source), self.number(target)) else { return };
        self.incoming[to].remove(id);
        self.outgoing[from].remove(id);
        remove_one(&mut self.next[from], to);
        remove_one(&mut self.previous[to], from);
    }

    /// The edges into a node, by their ids.
    pub(super) fn incoming(&self, id: &NodeId) -> btree_set::Iter<'_, EdgeId> {
        self.number(id).map(|at| self.incoming[at].iter()).unwrap_or_default()
    }

    /// The edges out of a node, by their ids.
    pub(super) fn outgoing(&self, id: &NodeId) -> btree_set::Iter<'_, EdgeId> {
        self.number(id).map(|at| self.outgoing[at].iter()).unwrap_or_default()
    }

    /// Which nodes edges lead to from these, and these themselves, by their numbers.
    pub(super) fn after<'n>(&self, ids: impl IntoIterator<Item = &'n NodeId>) -> Vec<bool> {
        reached(&self.next, ids.into_iter().filter_map(|id| self.number(id)).collect())
    }

    /// Which nodes lead to a node, and the node itself, by their numbers.
    pub(super) fn before(&self, id: &NodeId) -> Vec<bool> {
        reached(&self.previous, self.number(id).into_iter().collect())
    }

    pub(super) fn number(&self, id: &NodeId) -> Option<usize> {
        self.numbers.get(id).copied()
    }
}

fn remove_one(list: &mut Vec<usize>, one: usize) {
    if let Some(at) = list.iter().position(|&known| known == one) {
        list.swap_remove(at);
    }
}

fn reached(next: &[Vec<usize>], mut stack: Vec<usize>) -> Vec<bool> {
    let mut reached = vec![false; next.len()];
    while let Some(at) = stack.pop() {
        if !std::mem::replace(&mut reached[at], true) {
            stack.extend(next[at].iter().filter(|&&next| !reached[next]));
        }
    }
    reached
}
