//! Child runs that end at once, with what they were given; and a record of what that was.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use serde_json::{Value, json};

use crate::error::Fault;
use crate::host::subflow::{ChildCall, ChildEnd, ChildFlow, ChildListener, Subflows};
use crate::id::{Activation, NodeId};
use crate::journal::{ChildEvent, InputOverrides, NodeOutputs, RunEnd};

/// What a child was given.
#[derive(Clone, Debug, PartialEq)]
pub struct Called {
    /// Which execution asked for it.
    pub activation: Activation,
    /// What it ran.
    pub flow: ChildFlow,
    /// Its text, if it was given one.
    pub input: Option<String>,
    /// Values for its inputs.
    pub set: InputOverrides,
}

/// Children whose node `said` puts out the text they were given, unless the next end is scripted.
#[derive(Default)]
pub struct FakeSubflows {
    calls: Mutex<Vec<Called>>,
    next: Mutex<Vec<ChildEnd>>,
    /// The calls, by number from 0, whose child asks a person.
    asking: Mutex<BTreeSet<usize>>,
}

impl FakeSubflows {
    /// All calls, in order.
    pub fn calls(&self) -> Vec<Called> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// How the next child ends.
    pub fn ends(&self, end: ChildEnd) {
        self.next.lock().unwrap_or_else(PoisonError::into_inner).push(end);
    }

    /// The children of these calls, by number from 0, ask a person before they end.
    pub fn asks_in(&self, calls: impl IntoIterator<Item = usize>) {
        self.asking.lock().unwrap_or_else(PoisonError::into_inner).extend(calls);
    }

    /// A child that finished with these outputs, by node and port.
    pub fn finished(outputs: &Value) -> ChildEnd {
        let read = |ports: &Value| -> NodeOutputs {
            let ports = ports.as_object().into_iter().flatten();
            ports.map(|(port, value)| (port.as_str().into(), Arc::new(value.clone()))).collect()
        };
        let outputs: BTreeMap<NodeId, NodeOutputs> = outputs
            .as_object()
            .into_iter()
            .flatten()
            .map(|(node, ports)| (node.as_str().into(), read(ports)))
            .collect();
        ChildEnd { run: "child".into(), end: RunEnd::Finished, outputs, error: None }
    }
}

#[async_trait]
impl Subflows for FakeSubflows {
    async fn run(&self, call: ChildCall, mut listener: ChildListener) -> Result<ChildEnd, Fault> {
        listener(ChildEvent::Started { run: "child".into() });
        let ChildCall { activation, flow, input, set, .. } = call;
        let end = self.next.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let end = end.unwrap_or_else(|| Self::finished(&json!({ "said": { "value": input } })));
        let called = Called { activation, flow, input, set };
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        if self.asking.lock().unwrap_or_else(PoisonError::into_inner).contains(&calls.len()) {
            listener(ChildEvent::Asked { run: "child".into() });
        }
        calls.push(called);
        Ok(end)
    }
}
