//! What a node is given beside its inputs: its contexts, the world, and the way to tell what happens while it runs.

use std::sync::{Arc, Mutex};

use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use crate::context::{Content, ContextManager, ContextRecord, Message, Role, Transaction};
use crate::error::{ErrorCode, Fault};
use crate::host::{Host, RunInfo};
use crate::id::{Activation, ContextId, MessageId};
use crate::journal::{ActivationEvent, Answer, Event, NodeEvent};
use crate::models::ModelOverrides;
use crate::prompt::{Known, tokens};

/// A message from a running node to its run.
pub enum Signal {
    /// For watchers only.
    Delta(Event),
    /// For the journal; answered when it survives a crash.
    Durable(Event, oneshot::Sender<()>),
    /// For the journal; not waited for.
    Note(Event),
}

/// What a node is given beside its inputs and config. Cheap to clone.
#[derive(Clone)]
pub struct NodeContext {
    /// Which execution this is.
    pub activation: Activation,
    /// Which try, from 1.
    pub attempt: u32,
    /// What does not change during the run.
    pub run: Arc<RunInfo>,
    /// What the run knows of models beyond the tables.
    pub models: Arc<ModelOverrides>,
    /// The window that the flow's settings give every model call, in tokens.
    pub flow_window: Option<u64>,
    /// The world.
    pub host: Host,
    /// Set when the run is cancelled; the future is dropped soon after.
    pub cancel: CancellationToken,
    /// The person's answer, when the node is executed again after a pause.
    pub answer: Option<Answer>,
    /// What this activation bought or did outside before a crash or a failed try: never done again.
    pub recorded: Arc<[Event]>,
    pub(crate) transaction: Arc<Mutex<Transaction>>,
    pub(crate) signals: mpsc::UnboundedSender<Signal>,
}

impl NodeContext {
    /// The manager of the context `id`; a fault `context.unknown` if the run has none such.
    pub fn context_manager(&self, id: &ContextId) -> Result<ContextManager, Fault> {
        ContextManager::open(id, &self.transaction)
    }

    /// Registers a new context with the run, together with this node's success.
    pub fn create_context(&self, record: ContextRecord) -> Result<ContextManager, Fault> {
        let id = record.context_id.clone();
        self.transaction.lock().unwrap_or_else(std::sync::PoisonError::into_inner).create(record);
        self.context_manager(&id)
    }

    /// What the run brings to each model call.
    pub fn known(&self) -> Known<'_> {
        Known { flow_window: self.flow_window, book: &self.models }
    }

    /// The id of this activation's message number `index`.
    pub fn message_id(&self, index: usize) -> MessageId {
        format!("{}/{index}", self.activation).into()
    }

    /// A message of this activation, its tokens counted for `model`.
    pub fn message(&self, index: usize, role: Role, content: impl Into<Content>, model: &str) -> Message {
        let content = content.into();
        let tokens = tokens::message(model, &content);
        Message::plain(self.message_id(index), role, content, self.activation.clone(), tokens)
    }

    /// Shows partial text to whoever watches.
    pub fn stream(&self, text: String) {
        self.delta(text, String::new());
    }

    /// Shows partial reasoning to whoever watches.
    pub fn stream_reasoning(&self, reasoning: String) {
        self.delta(String::new(), reasoning);
    }

    /// Journals an event of this activation and waits until it survives a crash. For purchases and side effects.
    pub async fn record(&self, event: impl ActivationEvent) -> Result<(), Fault> {
        let event = event.of(self.activation.clone());
        let (done, wait) = oneshot::channel();
        let gone = || Fault::new(ErrorCode::RunCanceled, "The run ended while this node was running.");
        self.signals.send(Signal::Durable(event, done)).map_err(|_| gone())?;
        wait.await.map_err(|_| gone())
    }

    /// Journals an event of this activation without waiting.
    pub fn note(&self, event: impl ActivationEvent) {
        // A run that has ended accepts no more events.
        let _ = self.signals.send(Signal::Note(event.of(self.activation.clone())));
    }

    fn delta(&self, text: String, reasoning: String) {
        let event = NodeEvent::Delta { text, reasoning }.of(self.activation.clone());
        let _ = self.signals.send(Signal::Delta(event));
    }
}
