//! A node in a dry run. It executes as always where it computes; where it needs the world, something of the expected size stands for
//! what it would output. People are answered for, and what a value decides that only a run knows goes every way.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use futures::future::BoxFuture;
use serde_json::{Value, json};

use super::filler;
use super::measured::assumed_value;
use super::observed::Shared;
use super::stand_in_host::unknown_content;
use plait_core::error::Fault;
use plait_core::id::{NodeId, PortName};
use plait_core::port::{ERROR_PORT, OutputPort, PortKind, PortType, Ports};
use plait_journal::Answer;
use plait_llm::quota::is_limit_of_tree;
use plait_run::codes;
use plait_run::node::{Behavior, BoundNode, CONTINUE, Inputs, LoopSpec, NodeContext, NodeOutput};
use plait_run::plan::NodeIx;

/// A node, and what a dry run needs to know of its place.
pub(super) struct StandInNode {
    pub node: Arc<dyn BoundNode>,
    pub id: NodeId,
    /// The node's own, with no more iterations than a dry run looks at.
    pub behavior: Behavior,
    /// The outputs that feed anything.
    pub connected: BTreeSet<PortName>,
    /// The outputs that only decide whether a loop goes on.
    pub exits: BTreeSet<PortName>,
    /// The outputs with the items of a loop.
    pub lists: BTreeMap<PortName, NodeIx>,
    pub shared: Arc<Shared>,
}

impl BoundNode for StandInNode {
    fn ports(&self) -> &Arc<Ports> {
        self.node.ports()
    }

    fn behavior(&self) -> &Behavior {
        &self.behavior
    }

    fn execute(&self, inputs: Inputs, node_context: NodeContext) -> BoxFuture<'_, Result<NodeOutput, Fault>> {
        Box::pin(async move {
            match &self.behavior.repeats {
                Some(spec) => self.test(spec, inputs, node_context).await,
                None => self.stand_in(inputs, node_context).await,
            }
        })
    }
}

impl StandInNode {
    async fn stand_in(&self, inputs: Inputs, node_context: NodeContext) -> Result<NodeOutput, Fault> {
        let mut result = self.node.execute(inputs.clone(), node_context.clone()).await;
        if let Ok(NodeOutput { pause: Some(pause), .. }) = &result {
            let answer = Answer::Value(Arc::new(self.answer(&pause.schema)));
            let mut answered = node_context.clone();
            answered.answer = Some(answer);
            result = self.node.execute(inputs.clone(), answered).await;
        }
        let output = match result {
            // What it delivers is known. Nothing takes the place of outputs that its pin leaves out.
            Ok(output) if output.pinned => {
                self.note_items(&output, true);
                return Ok(output);
            }
            Ok(output) if output.pause.is_none() => output,
            Ok(_) => self.fill(NodeOutput::new(), &inputs),
            Err(fault) if is_limit_of_tree(&fault.code) => {
                self.shared.observed.lock().is_cut = true;
                return Err(fault);
            }
            Err(fault) => {
                self.note_fault(fault, &node_context);
                node_context.add_origin(unknown_content());
                self.fill(NodeOutput::new(), &inputs)
            }
        };
        if node_context.origins().is_empty() {
            self.note_items(&output, true);
            return Ok(output);
        }
        if self.missing(&output).iter().any(|port| port.kind == PortKind::Data) {
            self.shared.observed.lock().branching.insert(self.id.clone());
        }
        let output = self.fill(output, &inputs);
        Ok(self.without_exits(self.with_lists(output)))
    }

    /// An answer of the expected size.
    fn answer(&self, schema: &Value) -> Value {
        let Shared { observed, earlier, live, .. } = &*self.shared;
        let tokens = earlier.answer(live, &self.id);
        let mut observed = observed.lock();
        observed.filler_tokens += tokens;
        filler::instance(schema, tokens, observed.next_serial())
    }

    fn note_fault(&self, fault: Fault, node_context: &NodeContext) {
        let mut observed = self.shared.observed.lock();
        if fault.code == codes::CONTEXT_TOO_LARGE {
            observed.add_too_large(&node_context.activation, &fault);
        } else if self.behavior.is_agent {
            observed.no_prompt.entry(self.id.clone()).or_insert(fault);
        }
    }

    /// The outputs that an execution did not take.
    fn missing(&self, output: &NodeOutput) -> Vec<OutputPort> {
        let ports = self.node.ports().outputs.iter();
        let is_missing = |port: &&OutputPort| {
            port.name.as_str() != ERROR_PORT
                && self.connected.contains(&port.name)
                && !output.outputs.contains_key(&port.name)
        };
        ports.filter(is_missing).cloned().collect()
    }

    /// The output with something on each port.
    fn fill(&self, mut output: NodeOutput, inputs: &Inputs) -> NodeOutput {
        let is_data = |name: &PortName| {
            let input = self.node.ports().find_input(name.as_str());
            input.is_some_and(|port| port.kind == PortKind::Data)
        };
        let first = inputs.iter().find(|(name, data)| is_data(name) && !data.is_empty());
        let passed = first.and_then(|(_, data)| data.first()).cloned();
        // What a node routes goes on unchanged; what it makes has a size of its own.
        let routes = !output.outputs.is_empty();
        for port in self.missing(&output) {
            let name = port.name.as_str();
            match (port.kind, &passed) {
                (PortKind::Tools, _) => output = output.with(name, json!([])),
                (PortKind::Context, _) => {
                    let Ok(Some(handle)) = inputs.context() else { continue };
                    let result = || handle.with_output(self.value(PortType::Text), None);
                    output = output.with_context(&if routes { handle.clone() } else { result() });
                }
                (PortKind::Data, Some(datum)) if routes => output = output.with_datum(name, datum),
                (PortKind::Data, _) => output = output.with(name, self.value(port.value_type)),
            }
        }
        output
    }

    fn value(&self, value_type: PortType) -> Value {
        let mut observed = self.shared.observed.lock();
        observed.filler_tokens += assumed_value();
        let text = filler::text(assumed_value(), observed.next_serial());
        match value_type {
            PortType::Any | PortType::Text => text.into(),
            PortType::Number => json!(1),
            PortType::Boolean => json!(true),
            PortType::List => json!([text]),
            PortType::Object => json!({ "value": text }),
        }
    }

    /// How many items the lists have that loops run for.
    fn note_items(&self, output: &NodeOutput, is_known: bool) {
        let mut observed = self.shared.observed.lock();
        for (port, node) in &self.lists {
            let items = output.outputs.get(port).and_then(|value| value.as_array());
            let count = items.filter(|_| is_known).map(|items| items.len() as u64);
            let most = observed.items.entry(*node).or_insert(count);
            *most = (*most).zip(count).map(|(most, count)| most.max(count));
        }
    }

    /// The output, with a list where a loop needs one.
    fn with_lists(&self, mut output: NodeOutput) -> NodeOutput {
        for port in self.lists.keys() {
            if let Some(value) = output.outputs.get(port).filter(|value| !value.is_array()) {
                let list = Value::Array(vec![Value::clone(value)]);
                output.outputs.insert(port.clone(), Arc::new(list));
            }
        }
        self.note_items(&output, false);
        output
    }

    /// The output without what would end a loop: nobody knows whether it does.
    fn without_exits(&self, mut output: NodeOutput) -> NodeOutput {
        for port in &self.exits {
            output.outputs.remove(port);
            output.messages.remove(port);
        }
        output
    }

    /// Tests the condition of a loop. It goes on if that depends on what only a run knows.
    async fn test(
        &self,
        spec: &LoopSpec,
        inputs: Inputs,
        node_context: NodeContext,
    ) -> Result<NodeOutput, Fault> {
        let is_known = !spec.reads_results || node_context.input_origins.is_empty();
        let result = self.node.execute(inputs, node_context).await;
        match result {
            Err(fault) if is_limit_of_tree(&fault.code) => {
                self.shared.observed.lock().is_cut = true;
                Err(fault)
            }
            Ok(output) if is_known => Ok(output),
            result => {
                self.shared.observed.lock().untested.insert(self.id.clone());
                Ok(result.unwrap_or_default().with(CONTINUE, true))
            }
        }
    }
}
