//! Values that a person changed at a stop: on inputs of what has not started, on outputs that are not delivered. The journal keeps
//! what stood there and what it was changed to; the changed value counts as coming from a person.

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use serde_json::Value;

use super::{Done, Driver, Key, Outcome, Start};
use crate::codes;
use crate::journal::{DebugEvent, Event, MAX_NESTING_DEPTH, Side, is_too_deep};
use crate::node::Datum;
use plait_core::error::Fault;
use plait_core::id::PortName;
use plait_core::origin::{Origin, Origins};

/// By activation and side, the values of ports.
pub(super) type Overrides = FxHashMap<(Key, Side), BTreeMap<PortName, Arc<Value>>>;

impl Driver {
    /// Changes a value that is held by the stop with this number. Faults `debug.moved_on`, `debug.no_value`, `input.too_deep`.
    pub(super) async fn change_value(
        &mut self,
        stop: u64,
        port: PortName,
        value: Value,
    ) -> Result<Result<(), Fault>, Fault> {
        let current = self.stops.current.clone().filter(|_| self.stops.stopped == Some(stop));
        let Some((point, key)) = current.and_then(|point| Some((point.clone(), self.key_of(&point)?))) else {
            return Ok(Err(super::steps::moved_on()));
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
        let value = Arc::new(value);
        let changed = DebugEvent::Overridden {
            point: point.clone(),
            port: port.clone(),
            was,
            value: Arc::clone(&value),
        };
        self.recorder.append([Event::Debug(changed)])?;
        self.stops.overrides.entry((key.clone(), point.side)).or_default().insert(port, value);
        for start in &mut self.stops.starts {
            if (start.node, &start.epoch) == (key.0, &key.1) {
                change_inputs(&self.stops.overrides, start);
            }
        }
        for done in &mut self.stops.dones {
            change_outputs(&self.stops.overrides, done);
        }
        self.recorder.flush().await?;
        Ok(Ok(()))
    }

    /// What a stop holds, by port.
    fn held_values(&self, key: &Key, side: Side) -> BTreeMap<PortName, Arc<Value>> {
        let is_of = |start: &Start| (start.node, &start.epoch) == (key.0, &key.1);
        match side {
            Side::Before => {
                let held = self.stops.starts.iter().find(|start| is_of(start)).cloned();
                // After a restart it is still among what is ready.
                let held = held.or_else(|| self.scheduler.ready_start(key.0, &key.1));
                held.map(|start| super::input_values(&start.inputs)).unwrap_or_default()
            }
            Side::After => {
                let held = self.stops.dones.iter().find(|done| is_of(&done.start));
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

fn change_inputs(overrides: &Overrides, start: &mut Start) {
    let key = ((start.node, start.epoch.clone()), Side::Before);
    for (port, value) in overrides.get(&key).into_iter().flatten() {
        let origins = Origins::of(Origin::Person);
        start.inputs.replace(port, Datum { value: Arc::clone(value), message: None, origins });
    }
}

fn change_outputs(overrides: &Overrides, done: &mut Done) {
    let key = ((done.start.node, done.start.epoch.clone()), Side::After);
    let Some(changed) = overrides.get(&key) else { return };
    let Outcome::Finished { output, .. } = &mut done.outcome else { return };
    for (port, value) in changed {
        output.outputs.insert(port.clone(), Arc::clone(value));
        // It is none of the messages any more.
        output.messages.remove(port);
    }
    done.origins.add(&Origins::of(Origin::Person));
}
