//! The clock of each node: the cycles whose iterations its epoch counts, outermost first.
//!
//! A node in a cycle counts the cycles around it. A node fed by a cycle but not in it follows the cycle: it runs once
//! for each of its epochs, so it has the clock of its source. To an outer cycle, and to any cycle beside it that it
//! feeds, a cycle is a single step, so a node in a cycle counts no others.

use super::Refusal;
use super::graph::{Graph, Place};
use super::nesting::Nesting;

#[derive(Debug)]
pub struct Clocks {
    clocks: Vec<Vec<usize>>,
    followers: Vec<bool>,
}

impl Clocks {
    pub fn of(graph: &Graph, nesting: &Nesting) -> Result<Self, Refusal> {
        let mut clocks = Self {
            clocks: graph.places().map(|node| nesting.around(node)).collect(),
            followers: vec![false; graph.nodes.len()],
        };
        // A follower may follow followers: repeat until nothing changes.
        loop {
            let mut changed = false;
            for wire in &graph.wires {
                if !nesting.around(wire.target).is_empty() {
                    continue;
                }
                let (theirs, ours) = (clocks[wire.source].to_vec(), clocks[wire.target].to_vec());
                if !theirs.starts_with(&ours) && !ours.starts_with(&theirs) {
                    return Err(Refusal::MixedCycles);
                }
                if theirs.len() > ours.len() {
                    clocks.clocks[wire.target] = theirs;
                    clocks.followers[wire.target] = true;
                    changed = true;
                }
            }
            if !changed {
                return Ok(clocks);
            }
        }
    }

    /// Whether a node is fed by a cycle, but in none.
    pub fn follows(&self, node: Place) -> bool {
        self.followers[node]
    }

    /// How many counters the epochs of two nodes have in common.
    pub fn level(&self, one: Place, other: Place) -> usize {
        self[one].iter().zip(&self[other]).take_while(|(one, other)| one == other).count()
    }
}

impl std::ops::Index<Place> for Clocks {
    type Output = [usize];

    fn index(&self, node: Place) -> &[usize] {
        &self.clocks[node]
    }
}
