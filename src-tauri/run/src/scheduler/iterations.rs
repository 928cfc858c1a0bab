//! The open iterations of loops, by key.
//!
//! What happens next is mostly about the iteration that was asked for last. It stands outside of the map, where it is found
//! without a hash.

use rustc_hash::FxHashMap;

use super::scope::{IterationKey, Scope};
use crate::plan::{NodeIx, Plan};
use plait_core::id::Epoch;

#[derive(Default)]
pub(super) struct Iterations {
    latest: Option<Box<Scope>>,
    others: FxHashMap<IterationKey, Box<Scope>>,
    /// One that has ended, for its buffers.
    ended: Option<Box<Scope>>,
}

impl Iterations {
    pub fn is_empty(&self) -> bool {
        self.latest.is_none() && self.others.is_empty()
    }

    /// The open iteration that an activation is in, which is in a loop.
    pub fn around(&self, plan: &Plan, node: NodeIx, epoch: &Epoch) -> Option<&Scope> {
        if let Some(latest) = self.latest.as_deref().filter(|latest| latest.is_around(plan, node, epoch)) {
            return Some(latest);
        }
        self.others.get(&plan.iteration_of(node, epoch)?).map(AsRef::as_ref)
    }

    /// The same, to change it.
    pub fn around_mut(&mut self, plan: &Plan, node: NodeIx, epoch: &Epoch) -> Option<&mut Scope> {
        if !self.latest.as_deref().is_some_and(|latest| latest.is_around(plan, node, epoch)) {
            return self.get_mut(&plan.iteration_of(node, epoch)?);
        }
        self.latest.as_deref_mut()
    }

    pub fn get_mut(&mut self, key: &IterationKey) -> Option<&mut Scope> {
        if self.latest_of(key).is_none() {
            let found = self.others.remove(key)?;
            self.insert(found);
        }
        self.latest.as_deref_mut()
    }

    /// A scope for the next iteration of a loop, in which nothing is open yet.
    pub fn make(&mut self, plan: &Plan, (index, epoch): IterationKey) -> Box<Scope> {
        match self.ended.take() {
            Some(mut ended) if ended.index == index => {
                ended.renew(epoch);
                ended
            }
            _ => Box::new(Scope::new(plan, index, epoch)),
        }
    }

    /// Keeps an iteration in which everything has ended for the next one.
    pub fn keep(&mut self, ended: Box<Scope>) {
        self.ended = Some(ended);
    }

    /// Adds an iteration that is not open yet.
    pub fn insert(&mut self, scope: Box<Scope>) {
        if let Some(before) = self.latest.replace(scope) {
            self.others.insert(before.key(), before);
        }
    }

    pub fn remove(&mut self, key: &IterationKey) -> Option<Box<Scope>> {
        if self.latest_of(key).is_some() { self.latest.take() } else { self.others.remove(key) }
    }

    /// All of them, in no particular order.
    pub fn iter(&self) -> impl Iterator<Item = &Scope> {
        self.latest.iter().chain(self.others.values()).map(AsRef::as_ref)
    }

    fn latest_of(&self, (index, epoch): &IterationKey) -> Option<&Scope> {
        self.latest.as_deref().filter(|latest| latest.index == *index && latest.epoch == *epoch)
    }
}
