//! A node with a pin: it delivers the values of the pin and is never executed.
//!
//! It stands in the plan in place of the node itself, so that the scheduler needs no rule of its own: its inputs arrive as always, and
//! a dead one still skips it. It needs, calls and asks nothing. What comes in on a context edge goes on, with the pinned value as its last
//! output.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures::future::BoxFuture;

use super::{Behavior, BoundNode, Inputs, NodeContext, NodeOutput};
use crate::codes;
use plait_core::error::Fault;
use plait_core::flow::{MemoryUse, Pin};
use plait_core::id::{Epoch, NodeId, PortName};
use plait_core::port::{ERROR_PORT, OutputPort, PortKind, Ports};
use serde_json::Value;

pub(crate) struct PinnedNode {
    node: Arc<dyn BoundNode>,
    behavior: Behavior,
    pin: Pin,
}

impl PinnedNode {
    pub fn new(node: Arc<dyn BoundNode>, pin: &Pin) -> Self {
        let of_node = node.behavior();
        let behavior = Behavior {
            is_pinned: true,
            has_pinned_iterations: !pin.iterations.is_empty(),
            // What it delivers counts as what the node would deliver: as a result of the flow, and as a turn of a conversation.
            is_output: of_node.is_output,
            is_agent: of_node.is_agent,
            pins_turns: of_node.pins_turns,
            // Only what is written needs a place in the order of turns.
            uses_context: of_node.uses_context && node.records_turn_of_pin(),
            memory: if node.records_turn_of_pin() { of_node.memory } else { MemoryUse::default() },
            ways: of_node.ways.clone(),
            way_output: of_node.way_output,
            ..Behavior::default()
        };
        Self { node, behavior, pin: pin.clone() }
    }

    fn output(&self, inputs: &Inputs, epoch: &Epoch) -> Result<NodeOutput, Fault> {
        let ports = self.node.ports();
        let values = self.pin.outputs_at(epoch);
        let mut output = NodeOutput { pinned: true, ..NodeOutput::new() };
        let is_data = |port: &&OutputPort| port.kind == PortKind::Data;
        let pinned = |port: &OutputPort| Some((port.name.clone(), Arc::clone(values.get(&port.name)?)));
        output.outputs.extend(ports.outputs.iter().filter(is_data).filter_map(pinned));
        let contexts = live_contexts(values, ports);
        if contexts.is_empty() {
            return Ok(output);
        }
        let Some(mut handle) = inputs.context()? else { return Ok(output) };
        let first = ports.outputs.iter().filter(is_data).find_map(pinned);
        if let Some((_, value)) = first.filter(|_| self.behavior.ways.is_empty()) {
            handle = handle.with_output((*value).clone(), None);
        }
        Ok(contexts.into_iter().fold(output, |output, port| output.with(port.as_str(), &handle)))
    }
}

impl BoundNode for PinnedNode {
    fn ports(&self) -> &Arc<Ports> {
        self.node.ports()
    }

    fn behavior(&self) -> &Behavior {
        &self.behavior
    }

    fn execute(&self, inputs: Inputs, node_context: NodeContext) -> BoxFuture<'_, Result<NodeOutput, Fault>> {
        Box::pin(async move {
            node_context.add_origins(&self.pin.value_origins());
            let output = self.output(&inputs, &node_context.activation.epoch)?;
            if self.node.records_turn_of_pin() {
                return self.node.record_turn_of_pin(inputs, node_context, output).await;
            }
            if adds_to_history(self.node.behavior()) {
                node_context.notice(not_remembered(&node_context.activation.node));
            }
            Ok(output)
        })
    }
}

/// The outputs that carry a context and are live: those that the values list, or the only one if they are more than an error.
fn live_contexts<'p>(values: &BTreeMap<PortName, Arc<Value>>, ports: &'p Ports) -> Vec<&'p PortName> {
    let all = || ports.outputs.iter().filter(|port| port.kind == PortKind::Context).map(|port| &port.name);
    let listed: Vec<_> = all().filter(|name| values.contains_key(*name)).collect();
    let succeeds = values.keys().any(|port| port.as_str() != ERROR_PORT);
    match all().collect::<Vec<_>>()[..] {
        [only] if listed.is_empty() && succeeds => vec![only],
        _ => listed,
    }
}

fn adds_to_history(behavior: &Behavior) -> bool {
    behavior.uses_context || behavior.uses_context_id.is_some() || behavior.uses_context_from.is_some()
}

fn not_remembered(node: &NodeId) -> Fault {
    let message = format!("`{node}` is pinned, so it added nothing to the history of its context.");
    Fault::new(codes::PIN_NOT_REMEMBERED, message)
        .hint("Unpin it if nodes after it need what it would add to the history.")
}
