//! What a loop keeps while its iterations run.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use serde_json::{Value, json};

use super::condition::Test;
use crate::node::{Datum, Inputs, LoopKind, LoopSpec};
use crate::plan::{NodeIx, PlanNode, ScopeIx};
use crate::scheduler::scope::{Opening, Written};
use crate::scheduler::slot::Delivered;
use plait_core::error::Fault;
use plait_core::id::{Epoch, PortName};
use plait_core::origin::Origins;
use plait_journal::SourceRef;

/// A loop with running iterations.
pub(in crate::scheduler) struct LoopRun {
    pub(super) body: ScopeIx,
    pub(super) spec: LoopSpec,
    /// The values that are held for all iterations, by output of the border's begin.
    pub(super) held: Vec<(PortName, Delivered)>,
    pub(super) context: Option<Delivered>,
    pub(super) items: Option<(Arc<Value>, Delivered)>,
    pub(super) input: Option<Delivered>,
    /// The iteration with the greatest number that has ended, and its result.
    pub(super) latest: Option<(u32, Option<Delivered>)>,
    pub(super) next: u32,
    /// The numbers of the open ones, in order.
    pub(super) open: VecDeque<u32>,
    pub(super) finished: u32,
    /// By iteration, where somebody uses the list.
    pub(super) results: Option<Vec<Arc<Value>>>,
    /// Where the results come from; for items of a list by iteration, since those after the one that ends the loop don't count.
    pub(super) origins: BTreeMap<u32, Origins>,
    /// By iteration for an item of a list, what it leaves behind.
    pub(super) written: BTreeMap<u32, Written>,
    /// No further iteration opens.
    pub(super) ends: bool,
    /// Why the loop fails, once the iterations that are open have ended.
    pub(super) held_failure: Option<Failure>,
    pub(super) test: Option<Test>,
}

/// A failure that ends an iteration, and the scopes around it that do not handle it.
#[derive(Clone)]
pub(super) struct Failure {
    /// What has failed.
    pub(super) at: (NodeIx, Epoch),
    pub(super) error: Fault,
    /// Where what the error says comes from.
    pub(super) origins: Origins,
}

impl Failure {
    pub(super) fn of(node: NodeIx, epoch: &Epoch, error: &Fault, origins: &Origins) -> Self {
        Self { at: (node, epoch.clone()), error: error.clone(), origins: origins.clone() }
    }
}

/// The ports of a loop, by the names that its node type gives them.
pub(super) mod port {
    pub const CONTEXT: &str = "context";
    pub const ITEMS: &str = "items";
    pub const INPUT: &str = "input";
    pub const ITEM: &str = "item";
    pub const INDEX: &str = "index";
    pub const PREVIOUS: &str = "previous";
    pub const RESULT: &str = "result";
    pub const RESULTS: &str = "results";
    pub const ITERATIONS: &str = "iterations";
}

impl LoopRun {
    pub(super) fn new(opening: Opening, loop_node: &PlanNode, spec: LoopSpec, body: ScopeIx) -> Self {
        let Opening { epoch, inputs, sources, .. } = opening;
        let mut run = Self {
            body,
            spec,
            held: Vec::new(),
            context: None,
            items: None,
            input: None,
            latest: None,
            next: 0,
            open: VecDeque::new(),
            finished: 0,
            results: None,
            origins: BTreeMap::new(),
            written: BTreeMap::new(),
            ends: false,
            held_failure: None,
            test: None,
        };
        for (name, data) in inputs.iter() {
            let Some(datum) = data.last() else { continue };
            let given = || SourceRef { node: loop_node.id.clone(), epoch: epoch.clone(), port: name.clone() };
            let source = sources.get(name).and_then(|sources| sources.last().cloned()).unwrap_or_else(given);
            let delivered = Delivered { datum: datum.clone(), source };
            match name.as_str() {
                port::CONTEXT => run.context = Some(delivered),
                port::INPUT => run.input = Some(delivered),
                port::ITEMS => run.items = Some((Arc::clone(&datum.value), delivered)),
                _ => run.held.push((name.clone(), delivered)),
            }
        }
        run
    }

    /// What the first iteration starts from.
    pub(in crate::scheduler) fn input(&self) -> Option<&Datum> {
        self.input.as_ref().map(|input| &input.datum)
    }

    /// How many iterations there are, if that is known.
    pub(super) fn count(&self) -> Option<u32> {
        match self.spec.kind {
            LoopKind::While { .. } => None,
            LoopKind::Times(times) => Some(times),
            LoopKind::ForEach { .. } => {
                let items = self.items.as_ref().and_then(|(items, _)| items.as_array());
                Some(u32::try_from(items.map_or(0, Vec::len)).unwrap_or(u32::MAX))
            }
        }
    }

    /// What the next iteration starts from. Iterations for items of a list do not build on each other.
    pub(super) fn previous(&self) -> Option<&Delivered> {
        match &self.latest {
            Some((_, result)) if !self.spec.kind.is_for_each() => result.as_ref(),
            _ => self.input.as_ref(),
        }
    }

    /// The number of items from this one on, for a loop over a list.
    pub(super) fn items_from(&self, index: u32) -> Option<u64> {
        let items = self.items.as_ref()?.0.as_array()?;
        Some((items.len() as u64).saturating_sub(index.into()))
    }

    /// Whether the next iteration starts from a result, which is null if nothing fed it.
    pub(super) fn builds_on_results(&self) -> bool {
        self.latest.is_some() && !self.spec.kind.is_for_each()
    }

    pub(super) fn concurrency(&self) -> usize {
        match self.spec.kind {
            LoopKind::ForEach { concurrency, .. } => concurrency as usize,
            _ => 1,
        }
    }

    pub(super) fn continues_on_error(&self) -> bool {
        matches!(self.spec.kind, LoopKind::ForEach { continues_on_error: true, .. })
    }

    /// What the border gives to the nodes inside in an iteration.
    pub(super) fn border_value(
        &self,
        loop_node: &PlanNode,
        epoch: &Epoch,
        index: u32,
        name: &PortName,
    ) -> Option<Delivered> {
        let own = |datum: Datum| Delivered {
            datum,
            source: SourceRef { node: loop_node.id.clone(), epoch: epoch.clone(), port: name.clone() },
        };
        match name.as_str() {
            port::INDEX => Some(own(Datum::from(json!(index)))),
            port::PREVIOUS => {
                let previous = self.previous().cloned();
                previous.or_else(|| self.builds_on_results().then(|| own(Datum::from(Value::Null))))
            }
            port::CONTEXT => self.context.clone(),
            port::ITEM => {
                let (items, list) = self.items.as_ref()?;
                let item = items.get(index as usize)?.clone();
                Some(own(Datum { value: Arc::new(item), message: None, origins: list.datum.origins.clone() }))
            }
            _ => self.held.iter().find(|(held, _)| held == name).map(|(_, value)| value.clone()),
        }
    }

    /// What the condition is about.
    pub(super) fn test_inputs(&self) -> Inputs {
        let mut inputs = Inputs::default();
        inputs.push(&port::INDEX.into(), Datum::from(json!(self.next)));
        for (name, value) in [(port::PREVIOUS, self.previous()), (port::INPUT, self.input.as_ref())] {
            if let Some(value) = value {
                inputs.push(&name.into(), value.datum.clone());
            }
        }
        inputs
    }

    /// How many iterations before this one are open.
    pub(super) fn open_before(&self, index: u32) -> usize {
        self.open.partition_point(|open| *open < index)
    }

    /// An iteration has ended.
    pub(super) fn take_result(&mut self, index: u32, next: Option<Delivered>, exits: bool) {
        let at = self.open_before(index);
        if self.open.get(at) == Some(&index) {
            self.open.remove(at);
        }
        self.finished += 1;
        self.ends |= exits;
        let null = || Arc::new(Value::Null);
        let value = next.as_ref().map_or_else(null, |next| Arc::clone(&next.datum.value));
        if let Some(next) = next.as_ref().filter(|next| !next.datum.origins.is_empty()) {
            let of = if self.spec.kind.is_for_each() { index } else { 0 };
            self.origins.entry(of).or_default().add(&next.datum.origins);
        }
        if let Some(results) = &mut self.results {
            let index = index as usize;
            if results.len() < index {
                results.resize_with(index, null);
            }
            match results.get_mut(index) {
                Some(result) => *result = value,
                None => results.push(value),
            }
        }
        if exits || self.latest.as_ref().is_none_or(|(latest, _)| *latest < index) {
            self.latest = Some((index, next));
        }
        if exits {
            // All before it have begun, and none after it counts.
            let open_before = self.open_before(index);
            self.finished = index + 1 - u32::try_from(open_before).unwrap_or_default();
            if let Some(results) = &mut self.results {
                results.truncate(index as usize + 1);
            }
            self.origins.split_off(&(index + 1));
        }
    }
}
