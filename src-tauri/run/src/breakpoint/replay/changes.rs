//! Values that a person changed at a stop of the recorded run: a breakpoint at the same place sees what stood there before.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

use crate::breakpoint::Key;
use crate::journal::{DebugEvent, NodeOutputs, Side};
use crate::plan::Plan;

/// What persons changed of open activations.
#[derive(Default)]
pub(super) struct ChangedValues {
    /// What inputs were changed to, and whether the activation has started with it.
    inputs: FxHashMap<Key, (NodeOutputs, bool)>,
    /// What stood on outputs.
    outputs: FxHashMap<Key, NodeOutputs>,
}

impl ChangedValues {
    /// Notes that a value was changed, if the event says so.
    pub fn note(&mut self, plan: &Plan, event: &DebugEvent) {
        let DebugEvent::Overridden { point, port, was, value } = event else { return };
        let Some(node) = plan.find(&point.node) else { return };
        let key = (node, point.epoch.clone());
        match point.side {
            Side::Before => {
                self.inputs.entry(key).or_default().0.insert(port.clone(), value.clone());
            }
            Side::After => {
                // The first one that was changed is the one that the node gave.
                self.outputs.entry(key).or_default().entry(port.clone()).or_insert_with(|| was.clone());
            }
            Side::Call => {}
        }
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
            Some(given) => Cow::Owned(
                delivered.iter().chain(&given).map(|(port, value)| (port.clone(), value.clone())).collect(),
            ),
        }
    }
}
