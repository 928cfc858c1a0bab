//! Runs one node by itself, with contexts that live on from one run to the next.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError};

use serde_json::{Map, Value, json};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::provider::OnlyFake;
use super::{FakeClock, FakeProvider, FakeSubflows, FakeTools};
use crate::context::{
    ContextChange, ContextRecord, ContextType, Contexts, Conversation, SharedMessage, Snapshot, Transaction,
};
use crate::error::{ErrorCode, Fault};
use crate::expression::evaluation::InProcess;
use crate::host::Host;
use crate::host::RunInfo;
use crate::id::{Activation, ContextId, Epoch, MessageId};
use crate::journal::{Answer, Event, NodeEvent};
use crate::models::ModelOverrides;
use crate::node::{BoundNode, Datum, Example, Inputs, NodeContext, NodeOutput, Signal};

/// A world for one node at a time.
#[derive(Default)]
pub struct NodeHarness {
    /// Who answers.
    pub provider: Arc<FakeProvider>,
    /// What may be called.
    pub tools: Arc<FakeTools>,
    /// The time.
    pub clock: Arc<FakeClock>,
    /// What becomes of child runs.
    pub subflows: Arc<FakeSubflows>,
    /// The contexts there are.
    pub contexts: Contexts,
    /// The text given to the run.
    pub input: Option<String>,
    /// The conversation the run goes on in.
    pub conversation: Option<Conversation>,
    /// The person's answer, for the next runs.
    pub answer: Option<Value>,
    /// The events of an earlier attempt, for the next runs.
    pub recorded: Vec<Event>,
    /// The iteration.
    pub epoch: Epoch,
    /// What is known of models beyond the tables.
    pub models: ModelOverrides,
    /// The window that the flow's settings give every model call.
    pub flow_window: Option<u64>,
}

/// What a node did.
#[derive(Debug)]
pub struct Ran {
    /// What it gave back.
    pub result: Result<NodeOutput, Fault>,
    /// The events it noted and recorded, without deltas.
    pub events: Vec<Event>,
    /// The text it streamed.
    pub streamed: String,
    /// The changes it made to contexts, applied when it did not fail.
    pub changes: Vec<(ContextId, ContextChange)>,
}

impl NodeHarness {
    /// A harness with an empty context `main` of the offline provider.
    pub fn new() -> Self {
        let mut harness = Self::default();
        harness.contexts.create(ContextRecord::new("main".into(), ContextType::Main, "offline", "echo"));
        harness
    }

    /// A context as it stands, empty if there is none such.
    pub fn context(&self, id: &str) -> Snapshot {
        let none = || Arc::new(ContextRecord::new(id.into(), ContextType::Isolated, "", ""));
        self.contexts.get(&id.into()).cloned().unwrap_or_else(none)
    }

    /// Role and text of each message of a context.
    pub fn history(&self, id: &str) -> Vec<(String, String)> {
        let said =
            |message: &SharedMessage| (format!("{:?}", message.role).to_lowercase(), message.content.text());
        self.context(id).message_history.iter().map(said).collect()
    }

    /// Runs a node of this type and config with these inputs. Its id is the name of its type.
    pub fn run(&mut self, node_type: &str, config: Value, inputs: &[(&str, Value)]) -> Ran {
        let inputs = inputs.iter().map(|(port, value)| (*port, Datum::from(value.clone())));
        self.run_data(node_type, config, inputs.collect())
    }

    /// The same, with inputs that may be messages.
    pub fn run_data(&mut self, node_type: &str, config: Value, inputs: Vec<(&str, Datum)>) -> Ran {
        let node = match bind(node_type, config) {
            Ok(node) => node,
            Err(fault) => {
                return Ran {
                    result: Err(fault),
                    events: Vec::new(),
                    streamed: String::new(),
                    changes: Vec::new(),
                };
            }
        };
        let mut live = Inputs::default();
        for (port, datum) in inputs {
            let many = node.ports().find_input(port).is_some_and(|port| port.many);
            match (&*datum.value, many) {
                (Value::Array(values), true) => {
                    for value in values {
                        live.push(&port.into(), value.clone().into());
                    }
                }
                _ => live.push(&port.into(), datum),
            }
        }
        self.execute(node_type, &*node, live)
    }

    /// Runs an example: first up to its question, where it has an answer, then with the answer.
    pub fn run_example(&mut self, node_type: &str, example: &Example) -> Ran {
        let inputs: Vec<_> =
            example.inputs.iter().map(|(port, value)| (port.as_str(), value.clone())).collect();
        if example.answer.is_some() {
            let asked = self.run(node_type, example.config.clone(), &inputs);
            if asked.result.as_ref().is_ok_and(|output| output.pause.is_none()) {
                let fault = Fault::new(
                    ErrorCode::from_wire("example.no_question"),
                    "The example has an answer, but the node asks nothing.",
                );
                return Ran { result: Err(fault), ..asked };
            }
        }
        self.answer.clone_from(&example.answer);
        let ran = self.run(node_type, example.config.clone(), &inputs);
        self.answer = None;
        ran
    }

    fn execute(&mut self, id: &str, node: &dyn BoundNode, inputs: Inputs) -> Ran {
        let transaction = Transaction::over(self.contexts.clone());
        let (signals, received) = mpsc::unbounded_channel();
        let node_context = NodeContext {
            activation: Activation { node: id.into(), epoch: self.epoch.clone() },
            attempt: 1,
            run: Arc::new(RunInfo {
                run: "run".into(),
                flow_name: "harness".to_owned(),
                folder: None,
                input: self.input.clone(),
                conversation: self.conversation.clone(),
            }),
            models: Arc::new(self.models.clone()),
            flow_window: self.flow_window,
            host: Host {
                providers: Arc::new(OnlyFake(Arc::clone(&self.provider))),
                tools: self.tools.clone(),
                clock: self.clock.clone(),
                evaluator: Arc::new(InProcess),
                subflows: self.subflows.clone(),
            },
            cancel: CancellationToken::new(),
            answer: self.answer.clone().map(|answer| Answer::Value(Arc::new(answer))),
            recorded: self.recorded.clone().into(),
            transaction: Arc::clone(&transaction),
            signals,
        };
        let run = async move { node.execute(inputs, node_context).await };
        let (result, (events, streamed)) =
            futures::executor::block_on(futures::future::join(run, listen(received)));
        let (created, changes) = transaction.lock().unwrap_or_else(PoisonError::into_inner).take();
        if result.is_ok() {
            for record in created {
                self.contexts.create(record);
            }
            for (id, change) in &changes {
                self.contexts.apply(id, change);
            }
        }
        Ran { result, events, streamed, changes }
    }
}

impl Ran {
    /// The value on a live output.
    pub fn output(&self, port: &str) -> Option<&Value> {
        self.result.as_ref().ok()?.outputs.get(port).map(|value| &**value)
    }

    /// All live outputs, as one object.
    pub fn outputs(&self) -> Value {
        let live = self.result.iter().flat_map(|output| &output.outputs);
        Value::Object(live.map(|(port, value)| (port.to_string(), Value::clone(value))).collect())
    }

    /// The message that an output is.
    pub fn message(&self, port: &str) -> Option<&MessageId> {
        self.result.as_ref().ok()?.messages.get(port)
    }

    /// The code of the fault it ended with; empty if it did not fail.
    pub fn code(&self) -> &str {
        self.result.as_ref().err().map_or("", |fault| fault.code.as_str())
    }

    /// The names of the events, as they stand in a journal.
    pub fn event_names(&self) -> Vec<String> {
        let name = |event: &Event| {
            let value = serde_json::to_value(event).unwrap_or_default();
            value["type"].as_str().unwrap_or_default().to_owned()
        };
        self.events.iter().map(name).collect()
    }
}

fn bind(node_type: &str, config: Value) -> Result<Arc<dyn BoundNode>, Fault> {
    let config = match config {
        Value::Object(config) => config,
        _ => Map::new(),
    };
    let bound = crate::nodes::registry().bind(&node_type.into(), node_type, &config);
    let unknown = || Fault::new(ErrorCode::NodeUnknownType, format!("There is no node type `{node_type}`."));
    bound.ok_or_else(unknown)?.map_err(|found| {
        let problems: BTreeMap<_, _> =
            found.iter().map(|found| (found.pointer.clone(), found.message.clone())).collect();
        Fault::new(ErrorCode::ConfigInvalid, format!("{problems:?}")).details(json!(problems))
    })
}

async fn listen(mut received: mpsc::UnboundedReceiver<Signal>) -> (Vec<Event>, String) {
    let (mut events, mut streamed) = (Vec::new(), String::new());
    while let Some(signal) = received.recv().await {
        match signal {
            Signal::Delta(Event::Node(_, NodeEvent::Delta { text, .. })) => streamed.push_str(&text),
            Signal::Delta(_) => {}
            Signal::Durable(event, done) => {
                events.push(event);
                // Nobody waits where the node was dropped meanwhile.
                let _ = done.send(());
            }
            Signal::Note(event) => events.push(event),
        }
    }
    (events, streamed)
}
