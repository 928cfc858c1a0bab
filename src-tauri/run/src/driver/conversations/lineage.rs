//! The sources of the inputs of nodes in a conversational loop, as `node.ready` names them: a model that gets a turn as
//! its own message is not sent it as a turn as well.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::Value;

use crate::plan::{NodeIx, Plan, ScopeIx};
use plait_core::id::{Epoch, PortName};
use plait_journal::SourceRef;
use plait_llm::loop_history::ReceivedText;

/// How many sources of an input are looked at: more than a person lines up between two models.
const MAX_TRACED_SOURCES: usize = 256;

type Key = (NodeIx, Epoch);

/// The inputs of the activations of an iteration and of the one before. Inputs of inner loops are forgotten with their
/// iterations.
#[derive(Default)]
pub(super) struct Lineage {
    current: FxHashMap<(ScopeIx, Epoch), FxHashMap<Key, Received>>,
    before: FxHashMap<(ScopeIx, Epoch), FxHashMap<Key, Received>>,
}

#[derive(Default)]
struct Received {
    inputs: BTreeMap<PortName, Vec<SourceRef>>,
    /// What it said itself, if it is a model or asks a person.
    said: Option<Arc<Value>>,
}

impl Lineage {
    /// An activation is ready, with inputs from these sources.
    pub fn receive(&mut self, plan: &Plan, key: Key, inputs: &BTreeMap<PortName, Vec<SourceRef>>) {
        let Some(iteration) = plan.iteration_of(key.0, &key.1) else { return };
        let received = Received { inputs: inputs.clone(), said: None };
        self.current.entry(iteration).or_default().insert(key, received);
    }

    /// A model, or a node that asks a person, said this.
    pub fn say(&mut self, plan: &Plan, key: &Key, value: &Arc<Value>) {
        let iteration = plan.iteration_of(key.0, &key.1);
        let iteration = iteration.and_then(|iteration| self.current.get_mut(&iteration));
        if let Some(received) = iteration.and_then(|iteration| iteration.get_mut(key)) {
            received.said = Some(Arc::clone(value));
        }
    }

    /// An iteration of a loop inside is over.
    pub fn forget(&mut self, iteration: &(ScopeIx, Epoch)) {
        self.current.remove(iteration);
    }

    /// An iteration is over. The next one may get its result.
    pub fn advance(&mut self) {
        self.before = std::mem::take(&mut self.current);
    }

    /// By input of an activation, what was said on the way to it, nearest first. `turn` finds the turn that a source is.
    pub fn trace(
        &self,
        plan: &Plan,
        key: &Key,
        turn: impl Fn(&SourceRef) -> Option<usize>,
    ) -> BTreeMap<PortName, Vec<ReceivedText>> {
        let inputs = self.get(plan, key).map(|received| &received.inputs);
        let trace = |(port, sources): (&PortName, &Vec<SourceRef>)| {
            let said = self.trace_sources(plan, sources, &turn);
            (!said.is_empty()).then(|| (port.clone(), said))
        };
        inputs.into_iter().flatten().filter_map(trace).collect()
    }

    fn trace_sources(
        &self,
        plan: &Plan,
        sources: &[SourceRef],
        turn: &impl Fn(&SourceRef) -> Option<usize>,
    ) -> Vec<ReceivedText> {
        let mut open: VecDeque<&SourceRef> = sources.iter().rev().collect();
        let mut seen = FxHashSet::default();
        let mut said = Vec::new();
        while let Some(source) = open.pop_front() {
            if seen.len() == MAX_TRACED_SOURCES {
                break;
            }
            if !seen.insert((&source.node, &source.epoch)) {
                continue;
            }
            let received =
                plan.find(&source.node).and_then(|node| self.get(plan, &(node, source.epoch.clone())));
            let value = received.and_then(|received| received.said.clone());
            match turn(source) {
                Some(at) => said.push(ReceivedText::Turn(at, value)),
                None => said.extend(value.map(ReceivedText::Other)),
            }
            open.extend(received.into_iter().flat_map(|received| received.inputs.values().flatten()));
        }
        said
    }

    fn get(&self, plan: &Plan, key: &Key) -> Option<&Received> {
        let iteration = plan.iteration_of(key.0, &key.1)?;
        let current = self.current.get(&iteration).and_then(|activations| activations.get(key));
        current.or_else(|| self.before.get(&iteration)?.get(key))
    }
}
