//! Child runs that end at once. Records the calls.

use plait_core::origin::Origins;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use async_trait::async_trait;
use parking_lot::Mutex;
use serde_json::{Value, json};

use plait_core::error::Fault;
use plait_core::id::{Activation, NodeId};
use plait_journal::{ChildEvent, InputOverrides, NodeOutputs, RunEnd};
use plait_run::host::subflow::{ChildCall, ChildEnd, ChildFlow, ChildListener, Subflows};

/// A call of a nested flow.
#[derive(Clone, Debug, PartialEq)]
pub struct SubflowCall {
    pub activation: Activation,
    pub flow: ChildFlow,
    pub input: Option<String>,
    pub set: InputOverrides,
}

/// Each child ends with a scripted end, or else with its input text as the output of a node `said`.
#[derive(Default)]
pub struct FakeSubflows {
    calls: Mutex<Vec<SubflowCall>>,
    next: Mutex<Vec<ChildEnd>>,
    /// The calls, by number from 0, that ask a person in the child.
    asking: Mutex<BTreeSet<usize>>,
}

impl FakeSubflows {
    /// The calls so far.
    pub fn calls(&self) -> Vec<SubflowCall> {
        self.calls.lock().clone()
    }

    /// Sets the end of the next child.
    pub fn push_end(&self, end: ChildEnd) {
        self.next.lock().push(end);
    }

    /// The children of these calls, by number from 0, ask a person before they end.
    pub fn asks_in(&self, calls: impl IntoIterator<Item = usize>) {
        self.asking.lock().extend(calls);
    }

    /// The end of a child that finished with these outputs, by node and port.
    pub fn finished_end(outputs: &Value) -> ChildEnd {
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
        ChildEnd { origins: Origins::NONE, run: "child".into(), end: RunEnd::Finished, outputs, error: None }
    }
}

#[async_trait]
impl Subflows for FakeSubflows {
    async fn run(&self, call: ChildCall, mut listener: ChildListener) -> Result<ChildEnd, Fault> {
        listener(ChildEvent::Started { run: "child".into() });
        let ChildCall { activation, flow, input, set, .. } = call;
        let end = self.next.lock().pop();
        let end = end.unwrap_or_else(|| Self::finished_end(&json!({ "said": { "value": input } })));
        let mut calls = self.calls.lock();
        if self.asking.lock().contains(&calls.len()) {
            listener(ChildEvent::Asked { run: "child".into() });
        }
        calls.push(SubflowCall { activation, flow, input, set });
        Ok(end)
    }
}
