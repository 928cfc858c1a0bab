//! Values that a person changed at a stop of the recorded run: a breakpoint at the same place sees what stood there before.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use serde_json::Value;

use crate::breakpoint::Key;
use crate::plan::Plan;
use plait_core::id::PortName;
use plait_journal::{DebugEvent, NodeOutputs, Side};

/// What persons changed of open activations.
#[derive(Default)]
pub(super) struct ChangedValues {
    /// What inputs were changed to, and whether the activation has started with it.
    inputs: FxHashMap<Key, (NodeOutputs, bool)>,
    /// What stood on outputs. Nothing where a person put a value on an output that had none.
    outputs: FxHashMap<Key, BTreeMap<PortName, Option<Arc<Value>>>>,
}

impl ChangedValues {
    /// Notes that a value was changed, if the event says so.
    pub fn note(&mut self, plan: &Plan, event: &DebugEvent) {
        let (DebugEvent::Overridden { point, .. } | DebugEvent::Rerouted { point, .. }) = event else {
            return;
        };
        let Some(node) = plan.find(&point.node) else { return };
        let key = (node, point.epoch.clone());
        match (event, point.side) {
            (DebugEvent::Overridden { port, value, .. }, Side::Before) => {
                self.inputs.entry(key).or_default().0.insert(port.clone(), value.clone());
            }
            (DebugEvent::Overridden { port, was, .. }, Side::After) => {
                self.note_output(key, port, Some(was));
            }
            (DebugEvent::Rerouted { was, values, .. }, Side::After) => {
                for port in was.keys().chain(values.keys()) {
                    self.note_output(key.clone(), port, was.get(port));
                }
            }
            _ => {}
        }
    }

    /// The first value that was changed is the one that the node gave.
    fn note_output(&mut self, key: Key, port: &PortName, was: Option<&Arc<Value>>) {
        self.outputs.entry(key).or_default().entry(port.clone()).or_insert_with(|| was.cloned());
    }

    /// What an activation starts with, given the inputs that it received. A change counts from its second start on.
    pub fn inputs_at_start(&mut self, key: &Key, mut received: NodeOutputs) -> NodeOutputs {
        if let Some((changed, has_started)) = self.inputs.get_mut(key)
            && std::mem::replace(has_started, true)
        {
            received.extend(changed.clone());
        }
        received
    }

    /// What an activation gave, given the outputs that were delivered.
    pub fn outputs_before<'o>(&mut self, key: &Key, delivered: &'o NodeOutputs) -> Cow<'o, NodeOutputs> {
        if self.outputs.is_empty() {
            return Cow::Borrowed(delivered);
        }
        match self.outputs.remove(key) {
            None => Cow::Borrowed(delivered),
            Some(given) => {
                let mut outputs = delivered.clone();
                for (port, value) in given {
                    match value {
                        Some(value) => outputs.insert(port, value),
                        None => outputs.remove(&port),
                    };
                }
                Cow::Owned(outputs)
            }
        }
    }
}
