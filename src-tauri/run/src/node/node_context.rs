//! What a node can use while it runs: its contexts, the host, and channels to stream output and journal events.

use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::Value;
use tokio::sync::{mpsc, oneshot};

use crate::codes;
use crate::debugger::BranchHold;
use crate::host::{Host, RunInfo};
use plait_core::error::Fault;
use plait_core::flow::{FolderAccess, MemoryMode, MemorySettings};
use plait_core::id::{Activation, ContextId, Epoch, MessageId};
use plait_core::origin::{Origin, Origins};
use plait_journal::earlier_run::EarlierRun;
use plait_journal::{ActivationEvent, Answer, CallEvent, Event, NodeEvent};
use plait_llm::context::{Content, ContextHandle, ContextManager, ContextRecord, Message, Role, Transaction};
use plait_llm::grant::GrantPattern;
use plait_llm::loop_history::{LoopConversation, PersonAnswers};
use plait_llm::memory::{MemoryChange, WorkflowMemory};
use plait_llm::models::{ModelOverrides, RunModelSettings};
use plait_llm::tokens;

/// A message from a running node to its run.
pub enum Signal {
    /// For watchers only.
    Delta(Event),
    /// For the journal. Answered once the event survives a crash.
    Durable(Event, oneshot::Sender<()>),
    /// For the journal. Not waited for.
    Note(Event),
    /// The node is about to call a model or a tool. Answered when it may.
    Call { at: Activation, call: String, tools: ToolRound, open: oneshot::Sender<()> },
}

/// What breakpoints can ask about the tools that a node is about to call.
#[derive(Debug, Default)]
pub struct ToolRound {
    /// Whether one of them sends or changes something, with arguments that others can have written.
    pub sends_untrusted: bool,
    /// The rules that allow them.
    pub granted: Vec<GrantPattern>,
}

/// What all activations of a run are given.
pub struct RunContext {
    pub info: Arc<RunInfo>,
    /// Model settings and calibrations that override the built-in tables.
    pub models: Arc<ModelOverrides>,
    /// The window that the flow sets for all model calls, in tokens.
    pub flow_window: Option<u64>,
    /// The folders that the flow declares for its tools.
    pub folders: Arc<[FolderAccess]>,
    /// The flow's settings of the workflow's memory.
    pub memory_settings: Arc<MemorySettings>,
    /// To the run's driver.
    pub signals: mpsc::UnboundedSender<Signal>,
}

/// What a node can use besides its inputs and config. Cheap to clone.
#[derive(Clone)]
pub struct NodeContext {
    /// Which execution this is.
    pub activation: Activation,
    /// How many counters of its epoch belong to the loops around it and to the surroundings of these.
    pub scope_depth: usize,
    /// The attempt, from 1.
    pub attempt: u32,
    /// What does not change during the run.
    pub run: Arc<RunContext>,
    /// Providers, tools, clock and other effects.
    pub host: Arc<Host>,
    /// Whether its [`Behavior`](super::Behavior) says that it calls models or tools.
    pub calls_outside: bool,
    /// What has its time limit stand still, if it has one.
    pub hold: Option<BranchHold>,
    /// Where the values on its inputs come from.
    pub input_origins: Origins,
    /// The person's answer, if the node is executed again after a pause.
    pub answer: Option<Answer>,
    /// Replies, tool results and notices that earlier attempts of this activation journaled. They are reused, never requested
    /// again.
    pub recorded: Arc<[Event]>,
    /// What the node may do with the workflow's memory.
    pub memory_mode: MemoryMode,
    /// Whether an activation after this one may read the workflow's memory, in this run or in a later one.
    pub memory_is_read_later: bool,
    /// The conversation of the innermost conversational loop around the node, if there is one.
    pub conversation: Option<Arc<LoopConversation>>,
    /// What people answered in the innermost loop around the node.
    pub answers: PersonAnswers,
    pub transaction: Arc<Mutex<Transaction>>,
}

impl NodeContext {
    /// The manager of the context `id`, or the fault `context.unknown`.
    pub fn context_manager(&self, id: &ContextId) -> Result<ContextManager, Fault> {
        ContextManager::open(id, &self.transaction)
    }

    /// Registers a new context. The run adopts it when this node succeeds.
    pub fn create_context(&self, record: ContextRecord) -> Result<ContextManager, Fault> {
        let id = record.context_id.clone();
        self.transaction.lock().create(record);
        self.context_manager(&id)
    }

    /// The workflow's memory at the node's place in plan order, with the node's own changes. Empty if the node may not read it.
    pub fn memory(&self) -> WorkflowMemory {
        self.transaction.lock().memory().clone()
    }

    /// Changes the workflow's memory. The run adopts the change when this node succeeds. Nothing happens if the node may not
    /// write to it.
    pub fn change_memory(&self, change: MemoryChange) {
        if self.memory_mode.writes() {
            self.transaction.lock().change_memory(change);
        }
    }

    /// Where everything comes from that the node has seen so far: its inputs, and what it has brought in.
    pub fn origins(&self) -> Origins {
        let mut origins = self.input_origins.clone();
        origins.add(self.transaction.lock().origins());
        origins
    }

    /// Declares that the node brings in something from these places. Its outputs, its messages and its tool calls count as coming
    /// from there from now on.
    pub fn add_origins(&self, origins: &Origins) {
        self.transaction.lock().add_origins(origins);
    }

    /// The same for one place.
    pub fn add_origin(&self, origin: Origin) {
        self.add_origins(&Origins::of(origin));
    }

    /// The list `hitl_history`. What the node makes of it counts as coming from these people.
    pub fn hitl_history(&self) -> Arc<Value> {
        self.add_origins(&self.answers.origins());
        Arc::new(self.answers.to_value())
    }

    /// What `find` takes from the first call that earlier attempts of this activation journaled and that has it.
    pub fn find_recorded<T>(&self, mut find: impl FnMut(&CallEvent) -> Option<T>) -> Option<T> {
        self.recorded.iter().find_map(|event| match event {
            Event::Call(_, call) => find(call),
            _ => None,
        })
    }

    /// The name of this activation in its scope: the node's id, with the epoch of the cycles around it. A context with
    /// this name ends with the iteration of a loop around the node.
    pub fn name_in_scope(&self) -> String {
        let epoch = Epoch(self.activation.epoch.0.iter().skip(self.scope_depth).copied().collect());
        Activation { node: self.activation.node.clone(), epoch }.to_string()
    }

    /// Whether there is a loop around the node.
    pub fn is_in_loop(&self) -> bool {
        self.scope_depth > 0
    }

    /// The iteration of the innermost cycle or loop around the node, from 0.
    pub fn iteration(&self) -> Option<u32> {
        self.activation.epoch.0.last().copied()
    }

    /// What the node takes over from the run that its own is forked from.
    pub fn earlier(&self) -> Option<&EarlierRun> {
        self.run.info.earlier_of(&self.activation)
    }

    pub fn model_settings(&self) -> RunModelSettings<'_> {
        RunModelSettings { flow_window: self.run.flow_window, models: &self.run.models }
    }

    /// The id of this activation's message with this index.
    pub fn message_id(&self, index: usize) -> MessageId {
        MessageId::of(&self.activation, index)
    }

    /// A message of this activation, with its tokens counted for `model`.
    pub fn message(&self, index: usize, role: Role, content: impl Into<Content>, model: &str) -> Message {
        let content = content.into();
        let tokens = tokens::count_message(model, &content);
        let message = Message::plain(self.message_id(index), role, content, self.activation.clone(), tokens);
        Message { origins: self.origins(), ..message }
    }

    /// Adds a message to the history of the context `handle` and returns its id. The fault is `context.none` without a
    /// handle.
    pub fn add_message(
        &self,
        handle: Option<&ContextHandle>,
        role: Role,
        content: impl Into<Content>,
    ) -> Result<MessageId, Fault> {
        let handle = handle.ok_or_else(|| {
            Fault::new(codes::CONTEXT_NONE, "There is no context to write to.")
                .hint("Connect a context edge to this node, or turn `addToHistory` off.")
        })?;
        let manager = self.context_manager(&handle.context_id)?;
        let message = Arc::new(self.message(0, role, content, &manager.get().model));
        let id = message.id.clone();
        manager.add_message(message);
        Ok(id)
    }

    /// Waits until a call of a model may be made: while the run stands still, it may not. `call` names it, for people.
    pub async fn may_call(&self, call: impl FnOnce() -> String) -> Result<(), Fault> {
        self.may_call_tools(call, ToolRound::default()).await
    }

    /// The same for calls of tools.
    pub async fn may_call_tools(&self, call: impl FnOnce() -> String, tools: ToolRound) -> Result<(), Fault> {
        // Breakpoints on calls are refused where planning knows of none.
        debug_assert!(
            self.calls_outside,
            "the behavior of `{}` does not say that it calls",
            self.activation.node
        );
        if !self.host.debugger.is_active() {
            return Ok(());
        }
        let (open, opened) = oneshot::channel();
        let run_ended = || Fault::new(codes::RUN_CANCELED, "The run ended while this node was running.");
        let at = self.activation.clone();
        let _held = self.hold.as_ref().map(BranchHold::hold);
        self.run.signals.send(Signal::Call { at, call: call(), tools, open }).map_err(|_| run_ended())?;
        opened.await.map_err(|_| run_ended())
    }

    /// Streams partial text to watchers.
    pub fn stream(&self, text: String) {
        self.delta(text, String::new());
    }

    /// Streams partial reasoning to watchers.
    pub fn stream_reasoning(&self, reasoning: String) {
        self.delta(String::new(), reasoning);
    }

    /// Journals an event of this activation and waits until it survives a crash. For replies and outside effects, which must not repeat.
    pub async fn record(&self, event: impl ActivationEvent) -> Result<(), Fault> {
        let event = event.of(self.activation.clone());
        let (sender, receiver) = oneshot::channel();
        let run_ended = || Fault::new(codes::RUN_CANCELED, "The run ended while this node was running.");
        self.run.signals.send(Signal::Durable(event, sender)).map_err(|_| run_ended())?;
        receiver.await.map_err(|_| run_ended())
    }

    /// Journals an event of this activation without waiting.
    pub fn note(&self, event: impl ActivationEvent) {
        // If the run has ended, nothing receives the event.
        let _ = self.run.signals.send(Signal::Note(event.of(self.activation.clone())));
    }

    /// Journals that something was done less well than asked: nothing degrades in silence. An activation that executes again says
    /// the same once.
    pub fn notice(&self, notice: Fault) {
        let is_same = |event: &Event| matches!(event, Event::Node(_, NodeEvent::Noticed { notice: known }) if **known == notice);
        if !self.recorded.iter().any(is_same) {
            self.note(NodeEvent::Noticed { notice: Box::new(notice) });
        }
    }

    /// Shows an event of this activation to watchers. It is not journaled.
    pub fn show(&self, event: impl ActivationEvent) {
        let _ = self.run.signals.send(Signal::Delta(event.of(self.activation.clone())));
    }

    fn delta(&self, text: String, reasoning: String) {
        self.show(NodeEvent::Delta { text, reasoning });
    }
}
