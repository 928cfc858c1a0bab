//! Values that a person changed at a stop: on inputs of what has not started, on outputs that are not delivered. The journal keeps
//! what stood there and what it was changed to; the changed value counts as coming from a person. Another way of a switch is a value that
//! is moved to another output.

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use serde::Deserialize as _;
use serde_json::Value;

use super::{Done, Driver, Key, Outcome, Start};
use crate::codes;
use crate::node::Datum;
use plait_core::error::Fault;
use plait_core::id::{ContextId, PortName};
use plait_core::origin::{Origin, Origins};
use plait_core::port::{PortKind, PortType};
use plait_journal::{DebugEvent, Event, MAX_NESTING_DEPTH, NodeOutputs, Side, StopPoint, is_too_deep};
use plait_llm::context::ContextHandle;

/// By activation and side, the values of ports.
pub(super) type Overrides = FxHashMap<(Key, Side), BTreeMap<PortName, Override>>;

impl Driver {
    /// Changes a value that is held by the stop with this number. Faults `debug.moved_on`, `debug.no_value`, `debug.wrong_type`,
    /// `input.too_deep`.
    pub(super) async fn change_value(
        &mut self,
        stop: u64,
        port: PortName,
        value: Value,
    ) -> Result<Result<(), Fault>, Fault> {
        let (point, key) = match self.held_activation(stop) {
            Ok(held) => held,
            Err(fault) => return Ok(Err(fault)),
        };
        if is_too_deep(&value) {
            let message = format!("This value is nested deeper than {MAX_NESTING_DEPTH} lists and objects.");
            return Ok(Err(Fault::new(codes::INPUT_TOO_DEEP, message).hint("Give a value that is flatter.")));
        }
        let held = self.held_values(&key, point.side);
        let Some(was) = held.get(&port).cloned() else {
            let names: Vec<String> = held.keys().map(|port| format!("`{port}`")).collect();
            let message = format!("There is no value on `{port}` at this stop.");
            let hint = if names.is_empty() {
                "Only inputs before a node starts and outputs after it can be changed.".to_owned()
            } else {
                format!("There are: {}.", names.join(", "))
            };
            return Ok(Err(Fault::new(codes::DEBUG_NO_VALUE, message).hint(hint)));
        };
        if let Err(fault) = self.check_change(&key, point.side, (&port, &was), &value) {
            return Ok(Err(fault));
        }
        let value = Arc::new(value);
        let changed = DebugEvent::Overridden {
            point: point.clone(),
            port: port.clone(),
            was,
            value: Arc::clone(&value),
        };
        self.record_changes(changed, (key, point.side), [(port, Override::Value(value))]).await?;
        Ok(Ok(()))
    }

    /// Whether a value can be what stands on a port in place of another one: an output gives values of its type, and what goes over an
    /// edge of contexts is one that there is. Inputs take what any output may give.
    fn check_change(
        &self,
        (node, epoch): &Key,
        side: Side,
        (port, was): (&PortName, &Value),
        value: &Value,
    ) -> Result<(), Fault> {
        let ports = self.plan.nodes[*node].node.ports();
        let (kind, value_type) = match side {
            Side::After => {
                let output = ports.outputs.iter().find(|output| output.name == *port);
                output.map(|output| (output.kind, output.value_type))
            }
            Side::Before | Side::Call => {
                let input = ports.inputs.iter().find(|input| input.name == *port);
                input.map(|input| (input.kind, PortType::Any))
            }
        }
        .unwrap_or((PortKind::Data, PortType::Any));
        let wrong = |expected: &str, hint: &str| {
            let message = format!("`{port}` takes {expected}, and this value is something else.");
            Err(Fault::new(codes::DEBUG_WRONG_TYPE, message).hint(hint))
        };
        if kind == PortKind::Context {
            let contexts = &self.state.of(&self.plan, *node, epoch).contexts;
            // One that the node has made is known once its outputs are delivered.
            let is_there = |id: &ContextId| {
                contexts.get(id).is_some() || ContextHandle::id_in_value(was).as_ref() == Some(id)
            };
            if !ContextHandle::deserialize(value).is_ok_and(|handle| is_there(&handle.context_id)) {
                return wrong("a context of the run", "Change its `currentOutput`, or edit the history.");
            }
        } else if !value_type.holds(value) {
            return wrong(&value_type.to_string(), "Give a value of this type.");
        }
        Ok(())
    }

    /// Takes another way than a node did that is held after its end. Faults `debug.moved_on`, `debug.no_way`.
    pub(super) async fn force_way(&mut self, stop: u64, to: PortName) -> Result<Result<(), Fault>, Fault> {
        let (point, key) = match self.held_activation(stop) {
            Ok(held) => held,
            Err(fault) => return Ok(Err(fault)),
        };
        let was =
            if point.side == Side::After { self.held_values(&key, point.side) } else { NodeOutputs::new() };
        let behavior = self.plan.nodes[key.0].node.behavior();
        let taken = behavior.ways.iter().find(|way| was.contains_key(*way)).cloned();
        let others = self.other_ways(&point, &was);
        let Some(from) = taken.filter(|_| others.contains(&to)) else {
            let message = format!("There is no other way `{to}` at this stop.");
            let names: Vec<String> = others.iter().map(|way| format!("`{way}`")).collect();
            let hint = if names.is_empty() {
                "Stop after a node that chooses one of several outputs, such as a switch.".to_owned()
            } else {
                format!("There are: {}.", names.join(", "))
            };
            return Ok(Err(Fault::new(codes::DEBUG_NO_WAY, message).hint(hint)));
        };
        let mut values = was.clone();
        if let Some(value) = values.remove(&from) {
            values.insert(to.clone(), value);
        }
        if let Some(naming) = behavior.way_output {
            values.insert(naming.into(), Arc::new(Value::from(to.as_str())));
        }
        let changes = changes_of_way(&from, &to, &was, &values);
        let rerouted = DebugEvent::Rerouted { point: point.clone(), from, to, was, values };
        self.record_changes(rerouted, (key, point.side), changes).await?;
        Ok(Ok(()))
    }

    /// The ways that a node did not take which is held after its end with these outputs.
    pub(super) fn other_ways(&self, at: &StopPoint, outputs: &NodeOutputs) -> Vec<PortName> {
        let node = self.plan.find(&at.node).filter(|_| at.side == Side::After);
        let Some(node) = node else { return Vec::new() };
        let ways = &self.plan.nodes[node].node.behavior().ways;
        if !ways.iter().any(|way| outputs.contains_key(way)) {
            return Vec::new();
        }
        ways.iter().filter(|way| !outputs.contains_key(*way)).cloned().collect()
    }

    /// Why an activation failed that is held after its end.
    pub(super) fn held_failure(&self, at: &StopPoint) -> Option<&Fault> {
        let node = self.plan.find(&at.node).filter(|_| at.side == Side::After)?;
        let held = self
            .stops
            .dones
            .iter()
            .find(|done| done.attempt.node == node && done.attempt.epoch == at.epoch)?;
        match &held.outcome {
            Outcome::Failed(fault) => Some(fault),
            _ => None,
        }
    }

    /// Writes down what a person changed, and changes it.
    async fn record_changes(
        &mut self,
        event: DebugEvent,
        of: (Key, Side),
        changes: impl IntoIterator<Item = (PortName, Override)>,
    ) -> Result<(), Fault> {
        self.recorder.append([Event::Debug(event)])?;
        let (node, epoch) = of.0.clone();
        self.stops.overrides.entry(of).or_default().extend(changes);
        for start in &mut self.stops.starts {
            if (start.node, &start.epoch) == (node, &epoch) {
                change_inputs(&self.stops.overrides, start);
            }
        }
        for done in &mut self.stops.dones {
            change_outputs(&self.stops.overrides, done);
        }
        self.recorder.flush().await
    }

    /// The activation that a stop holds before its start, with the inputs that nobody has changed.
    pub(super) fn held_start(&self, key: &Key) -> Option<Start> {
        let is_of = |start: &&Start| (start.node, &start.epoch) == (key.0, &key.1);
        let held = self.stops.starts.iter().find(is_of).cloned();
        // After a restart it is still among what is ready.
        held.or_else(|| self.scheduler.ready_start(key.0, &key.1))
    }

    /// What a stop holds, by port.
    fn held_values(&self, key: &Key, side: Side) -> BTreeMap<PortName, Arc<Value>> {
        match side {
            Side::Before => {
                self.held_start(key).map(|start| super::input_values(&start.inputs)).unwrap_or_default()
            }
            Side::After => {
                let is_of = |done: &&Done| (done.attempt.node, &done.attempt.epoch) == (key.0, &key.1);
                let held = self.stops.dones.iter().find(is_of);
                held.map(|done| super::output_values(&done.outcome)).unwrap_or_default()
            }
            Side::Call => BTreeMap::new(),
        }
    }

    /// Takes over what a person changed of the inputs of an activation that starts.
    pub(super) fn with_changed_inputs(&self, mut start: Start) -> Start {
        if self.stops.overrides.is_empty() {
            return start;
        }
        change_inputs(&self.stops.overrides, &mut start);
        start
    }

    /// The same of its outputs, when it has ended.
    pub(super) fn with_changed_outputs(&self, mut done: Done) -> Done {
        if self.stops.overrides.is_empty() {
            return done;
        }
        change_outputs(&self.stops.overrides, &mut done);
        done
    }
}

/// What a person puts on a port.
pub(in crate::driver) enum Override {
    Value(Arc<Value>),
    /// A value that leaves by this output instead of another one, and stays the message that it is.
    Moved {
        from: PortName,
        value: Arc<Value>,
    },
    /// Nothing: the output is dead.
    Dead,
}

/// What another way changes on the outputs of a node.
pub(super) fn changes_of_way(
    from: &PortName,
    to: &PortName,
    was: &NodeOutputs,
    values: &NodeOutputs,
) -> Vec<(PortName, Override)> {
    let dead = was.keys().filter(|port| !values.contains_key(*port));
    let dead = dead.map(|port| (port.clone(), Override::Dead));
    let changed = values.iter().filter(|(port, value)| was.get(*port) != Some(*value));
    let changed = changed.map(|(port, value)| {
        let value = Arc::clone(value);
        let change =
            if port == to { Override::Moved { from: from.clone(), value } } else { Override::Value(value) };
        (port.clone(), change)
    });
    dead.chain(changed).collect()
}

fn change_inputs(overrides: &Overrides, start: &mut Start) {
    let key = ((start.node, start.epoch.clone()), Side::Before);
    for (port, change) in overrides.get(&key).into_iter().flatten() {
        if let Override::Value(value) = change {
            let origins = Origins::of(Origin::Person);
            start.inputs.replace(port, Datum { value: Arc::clone(value), message: None, origins });
        }
    }
}

fn change_outputs(overrides: &Overrides, done: &mut Done) {
    let key = ((done.attempt.node, done.attempt.epoch.clone()), Side::After);
    let Some(changed) = overrides.get(&key) else { return };
    let Outcome::Finished { output, .. } = &mut done.outcome else { return };
    // Values move before the outputs are dead that they leave.
    for (port, change) in changed {
        if let Override::Moved { from, value } = change
            && output.outputs.get(port) != Some(value)
        {
            let is_same = output.outputs.get(from) == Some(value);
            let message = output.messages.get(from).filter(|_| is_same).cloned();
            output.outputs.insert(port.clone(), Arc::clone(value));
            output.messages.remove(port);
            output.messages.extend(message.map(|message| (port.clone(), message)));
        }
    }
    for (port, change) in changed {
        match change {
            Override::Value(value) => {
                output.outputs.insert(port.clone(), Arc::clone(value));
                // It is none of the messages any more.
                output.messages.remove(port);
            }
            Override::Moved { .. } => {}
            Override::Dead => {
                output.outputs.remove(port);
                output.messages.remove(port);
            }
        }
    }
    done.origins.add(&Origins::of(Origin::Person));
}
