//! Executes one node at a time, with contexts that persist between executions.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value, json};
use tokio::sync::mpsc;

use plait_core::attachment::Attachment;
use plait_core::error::{ErrorCode, Fault};
use plait_core::expression::in_process::InProcess;
use plait_core::flow::MemorySettings;
use plait_core::id::{Activation, ContextId, Epoch, MessageId};
use plait_core::origin::{Origin, Origins};
use plait_core::user::UserName;
use plait_journal::earlier_run::EarlierRun;
use plait_journal::{Answer, Event, NodeEvent};
use plait_llm::context::{
    ContextChange, ContextRecord, ContextType, Contexts, Conversation, SharedMessage, Snapshot, Transaction,
    Writes,
};
use plait_llm::loop_history::{LoopConversation, PersonAnswers};
use plait_llm::memory::{MemoryChange, WorkflowMemory};
use plait_llm::models::ModelOverrides;
use plait_run::host::{Host, RunInfo, RunInput};
use plait_run::node::{BoundNode, Datum, Example, Inputs, NodeContext, NodeOutput, RunContext, Signal};
use plait_testing::{
    FakeAttachmentStore, FakeClock, FakeMemoryStore, FakeProvider, FakeProviders, FakeRetriever,
    FakeSubflows, FakeTools,
};

use crate::codes;

/// Executes nodes against test doubles.
#[derive(Default)]
pub struct NodeHarness {
    pub provider: Arc<FakeProvider>,
    pub tools: Arc<FakeTools>,
    pub retriever: Arc<FakeRetriever>,
    pub memories: Arc<FakeMemoryStore>,
    pub attachments: Arc<FakeAttachmentStore>,
    pub clock: Arc<FakeClock>,
    pub subflows: Arc<FakeSubflows>,
    pub contexts: Contexts,
    /// Who the run belongs to.
    pub user: UserName,
    /// The run that this one is forked from.
    pub earlier: Option<EarlierRun>,
    pub input: Option<String>,
    /// The conversation that the run continues.
    pub conversation: Option<Conversation>,
    /// The answer to the node's pause, for the next executions.
    pub answer: Option<Value>,
    pub answer_attachments: Vec<Attachment>,
    /// The events of an earlier attempt, for the next executions.
    pub recorded: Vec<Event>,
    pub epoch: Epoch,
    /// Model settings and calibrations.
    pub models: ModelOverrides,
    /// The window from the flow's settings.
    pub flow_window: Option<u64>,
    pub memory: WorkflowMemory,
    /// The flow's settings of the workflow's memory.
    pub memory_settings: MemorySettings,
    pub loop_conversation: Option<Arc<LoopConversation>>,
    /// What people answered in the loop around the node.
    pub answers: PersonAnswers,
}

/// The outcome of one execution.
#[derive(Debug)]
pub struct NodeRun {
    pub result: Result<NodeOutput, Fault>,
    /// Its events, without deltas.
    pub events: Vec<Event>,
    pub streamed: String,
    /// What else it showed to watchers.
    pub shown: Vec<Event>,
    /// Its changes of contexts, applied if it succeeded.
    pub changes: Vec<(ContextId, ContextChange)>,
    /// Its change of the workflow's memory, applied if it succeeded.
    pub memory: Option<Arc<MemoryChange>>,
    /// Where what it brought in comes from.
    pub origins: Origins,
}

impl NodeHarness {
    /// A harness with an empty context `main` of the offline provider's `echo` model.
    pub fn new() -> Self {
        let mut harness = Self::default();
        harness.contexts.create(ContextRecord::new("main".into(), ContextType::Main, "offline", "echo"));
        harness
    }

    /// The current state of a context; an empty one if it does not exist.
    pub fn context(&self, id: &str) -> Snapshot {
        let none = || Arc::new(ContextRecord::new(id.into(), ContextType::Isolated, "", ""));
        self.contexts.get(&id.into()).cloned().unwrap_or_else(none)
    }

    /// Role and text of each message of a context.
    pub fn history(&self, id: &str) -> Vec<(String, String)> {
        let role_and_text =
            |message: &SharedMessage| (format!("{:?}", message.role).to_lowercase(), message.content.text());
        self.context(id).message_history.iter().map(role_and_text).collect()
    }

    /// Executes a node of this type and config with these inputs. Its id is the name of its type.
    pub fn run(&mut self, node_type: &str, config: Value, inputs: &[(&str, Value)]) -> NodeRun {
        let inputs = inputs.iter().map(|(port, value)| (*port, Datum::from(value.clone())));
        self.run_data(node_type, config, inputs.collect())
    }

    /// The same with inputs that may refer to messages.
    pub fn run_data(&mut self, node_type: &str, config: Value, inputs: Vec<(&str, Datum)>) -> NodeRun {
        let node = match bind(node_type, config) {
            Ok(node) => node,
            Err(fault) => {
                return NodeRun {
                    result: Err(fault),
                    events: Vec::new(),
                    streamed: String::new(),
                    shown: Vec::new(),
                    changes: Vec::new(),
                    memory: None,
                    origins: Origins::NONE,
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

    /// Executes an example: if it has an answer, first up to the pause, then with the answer.
    pub fn run_example(&mut self, node_type: &str, example: &Example) -> NodeRun {
        let inputs: Vec<_> =
            example.inputs.iter().map(|(port, value)| (port.as_str(), value.clone())).collect();
        if example.answer.is_some() {
            let asked = self.run(node_type, example.config.clone(), &inputs);
            if asked.result.as_ref().is_ok_and(|output| output.pause.is_none()) {
                let fault = Fault::new(
                    ErrorCode::from_wire("example.no_question"),
                    "The example has an answer, but the node asks nothing.",
                );
                return NodeRun { result: Err(fault), ..asked };
            }
        }
        self.answer.clone_from(&example.answer);
        let ran = self.run(node_type, example.config.clone(), &inputs);
        self.answer = None;
        ran
    }

    fn execute(&mut self, id: &str, node: &dyn BoundNode, inputs: Inputs) -> NodeRun {
        let memory_mode = node.behavior().memory.mode(&self.memory_settings);
        let transaction = Transaction::with_memory(self.contexts.clone(), self.memory.clone());
        let (signals, received) = mpsc::unbounded_channel();
        let run = RunContext {
            info: Arc::new(RunInfo {
                run: "run".into(),
                user: self.user.clone(),
                flow_name: "harness".to_owned(),
                folder: None,
                input: self.input.clone().map(|text| RunInput { text, origins: Origins::of(Origin::Person) }),
                conversation: self.conversation.clone(),
                grants: None,
                ignores_pins: false,
                earlier: self.earlier.clone(),
            }),
            models: Arc::new(self.models.clone()),
            flow_window: self.flow_window,
            folders: Arc::default(),
            memory_settings: Arc::new(self.memory_settings.clone()),
            signals,
        };
        let node_context = NodeContext {
            activation: Activation { node: id.into(), epoch: self.epoch.clone() },
            scope_depth: 0,
            attempt: 1,
            run: Arc::new(run),
            host: Arc::new(Host {
                providers: Arc::new(FakeProviders(Arc::clone(&self.provider))),
                tools: self.tools.clone(),
                retriever: self.retriever.clone(),
                memories: self.memories.clone(),
                attachments: self.attachments.clone(),
                clock: self.clock.clone(),
                evaluator: Arc::new(InProcess),
                subflows: self.subflows.clone(),
                earlier: plait_journal::earlier_run::EarlierTree::default(),
                debugger: plait_run::debugger::Debugger::default(),
                quotas: plait_llm::quota::QuotaChain::default(),
            }),
            calls_outside: node.behavior().calls_outside(),
            hold: None,
            input_origins: inputs.origins(),
            answer: self.answer.clone().map(|answer| {
                let value = Arc::new(answer);
                let attachments = self.answer_attachments.clone();
                if attachments.is_empty() {
                    Answer::Value(value)
                } else {
                    Answer::Attached { value, attachments }
                }
            }),
            recorded: self.recorded.clone().into(),
            memory_mode,
            memory_is_read_later: true,
            conversation: self.loop_conversation.clone(),
            answers: self.answers.clone(),
            transaction: Arc::clone(&transaction),
        };
        let run = async move { node.execute(inputs, node_context).await };
        let (result, (events, streamed, shown)) =
            futures::executor::block_on(futures::future::join(run, collect_signals(received)));
        let origins = transaction.lock().origins().clone();
        let Writes { created, changes, memory } = transaction.lock().take();
        if result.is_ok() {
            for record in created {
                self.contexts.create(record);
            }
            for (id, change) in &changes {
                self.contexts.apply(id, change);
            }
            if let Some(change) = &memory {
                self.memory.apply(change);
            }
        }
        NodeRun { result, events, streamed, shown, changes, memory, origins }
    }
}

impl NodeRun {
    pub fn output(&self, port: &str) -> Option<&Value> {
        self.result.as_ref().ok()?.outputs.get(port).map(|value| &**value)
    }

    /// All live outputs as one object.
    pub fn outputs(&self) -> Value {
        let live = self.result.iter().flat_map(|output| &output.outputs);
        Value::Object(live.map(|(port, value)| (port.to_string(), Value::clone(value))).collect())
    }

    /// The message that an output refers to.
    pub fn message(&self, port: &str) -> Option<&MessageId> {
        self.result.as_ref().ok()?.messages.get(port)
    }

    /// The code of its fault; empty if it succeeded.
    pub fn code(&self) -> &str {
        self.result.as_ref().err().map_or("", |fault| fault.code.as_str())
    }

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
    let bound = crate::registry().bind(&node_type.into(), node_type, &config);
    let unknown = || Fault::new(codes::NODE_UNKNOWN_TYPE, format!("There is no node type `{node_type}`."));
    bound.ok_or_else(unknown)?.map_err(|found| {
        let problems: BTreeMap<_, _> =
            found.iter().map(|found| (found.pointer.clone(), found.message.clone())).collect();
        Fault::new(codes::CONFIG_INVALID, format!("{problems:?}")).details(json!(problems))
    })
}

async fn collect_signals(mut received: mpsc::UnboundedReceiver<Signal>) -> (Vec<Event>, String, Vec<Event>) {
    let (mut events, mut streamed, mut shown) = (Vec::new(), String::new(), Vec::new());
    while let Some(signal) = received.recv().await {
        match signal {
            Signal::Delta(Event::Node(_, NodeEvent::Delta { text, .. })) => streamed.push_str(&text),
            Signal::Delta(event) => shown.push(event),
            Signal::Durable(event, done) => {
                events.push(event);
                // The node may have been dropped.
                let _ = done.send(());
            }
            Signal::Note(event) => events.push(event),
            Signal::Call { open, .. } => {
                let _ = open.send(());
            }
        }
    }
    (events, streamed, shown)
}
