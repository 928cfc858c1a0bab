//! The single writer of a context, and the transaction that makes an activation's writes all or nothing.
//!
//! A node never changes a context in place. Its [`ContextManager`] writes into the activation's [`Transaction`], where the
//! node reads its own writes; the run applies the transaction, and journals it, together with the node's success.
//! A failed or canceled activation drops its transaction, and the context stays unchanged.

use std::sync::Arc;

use imbl::HashMap;
use parking_lot::{Mutex, MutexGuard};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::conversation::Recalled;
use super::edit::{EditedMessage, with_edits};
use super::{ContextRecord, History, SharedMessage, Snapshot};
use crate::codes;
use crate::memory::{MemoryChange, WorkflowMemory};
use crate::models::CalibrationSample;
use plait_core::error::Fault;
use plait_core::id::ContextId;
use plait_core::origin::Origins;

/// One change of one context, as the journal keeps it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum ContextChange {
    /// Messages were appended, all of them or none.
    Messages {
        #[ts(as = "Vec<super::Message>")]
        messages: Vec<SharedMessage>,
    },
    /// A model's turn was committed. In a journal this is the event `turn.committed`.
    Turn {
        /// The user message, unless it is in the history already, and the assistant's.
        #[ts(as = "Vec<super::Message>")]
        messages: Vec<SharedMessage>,
        /// How far Plait's token counts differed from the provider's.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        learned: Option<CalibrationSample>,
    },
    /// Messages of the conversation that the run continues were put before all others.
    Recalled(#[ts(as = "super::conversation::Recalled")] Arc<Recalled>),
    /// The system instructions were set.
    SystemInstructions {
        /// Empty for none.
        text: String,
        /// Where they come from.
        #[serde(default, skip_serializing_if = "Origins::is_empty")]
        #[ts(optional, as = "Option<Origins>")]
        origins: Origins,
    },
    /// The provider and model were changed.
    ProviderModel { provider: String, model: String },
    /// A person replaced or removed messages, at a stop of the debugger.
    Edited { edits: Vec<EditedMessage> },
    /// The history was cleared.
    Reset,
}

/// What a turn answers.
#[derive(Clone, Debug, PartialEq)]
pub enum Question {
    /// A message that enters the history with the answer.
    New(SharedMessage),
    /// A message that the history has already.
    InHistory,
}

/// All contexts of a run. A clone is a snapshot; its cost does not depend on the length of the histories.
#[derive(Clone, Default)]
pub struct Contexts(HashMap<ContextId, Snapshot>);

impl Contexts {
    pub fn get(&self, id: &ContextId) -> Option<&Snapshot> {
        self.0.get(id)
    }

    /// All contexts, in no particular order.
    pub fn iter(&self) -> impl Iterator<Item = &Snapshot> {
        self.0.values()
    }

    /// All contexts but this one.
    #[must_use]
    pub fn without(&self, id: &ContextId) -> Self {
        Self(self.0.without(id))
    }

    /// Registers a new context. Replaces one with the same id.
    pub fn create(&mut self, record: impl Into<Snapshot>) {
        let record = record.into();
        self.0.insert(record.context_id.clone(), record);
    }

    /// Applies one change. The new revision, or `None` if there is no such context.
    pub fn apply(&mut self, id: &ContextId, change: &ContextChange) -> Option<u64> {
        let record = Arc::make_mut(self.0.get_mut(id)?);
        match change {
            ContextChange::Messages { messages } => append(record, messages),
            ContextChange::Turn { messages, learned } => {
                append(record, messages);
                if let Some(CalibrationSample { model, correction }) = learned {
                    let known = record.corrections.entry(model.clone()).or_default();
                    *known = known.plus(*correction);
                }
            }
            ContextChange::Recalled(recalled) => append(record, &recalled.messages),
            ContextChange::SystemInstructions { text, origins } => {
                record.system_origins = origins.clone();
                record.system_instructions = (!text.is_empty()).then(|| text.clone());
            }
            ContextChange::ProviderModel { provider, model } => {
                record.provider = provider.as_str().into();
                record.model = model.as_str().into();
            }
            ContextChange::Edited { edits } => {
                record.message_history = with_edits(&record.message_history, edits);
                let last = record.message_history.last();
                record.current_output = last.map(|last| last.content.text()).unwrap_or_default();
            }
            ContextChange::Reset => record.message_history = History::default(),
        }
        record.revision += 1;
        Some(record.revision)
    }
}

fn append(record: &mut ContextRecord, messages: &[SharedMessage]) {
    if let Some(last) = messages.last() {
        record.current_output = last.content.text();
    }
    record.message_history.extend(messages.iter().cloned());
}

/// The writes of one activation so far, on top of a snapshot of the contexts from its start.
#[derive(Default)]
pub struct Transaction {
    view: Contexts,
    memory: WorkflowMemory,
    writes: Writes,
    origins: Origins,
}

/// What an activation wrote.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Writes {
    /// New contexts.
    pub created: Vec<Snapshot>,
    /// Changes of contexts, in order.
    pub changes: Vec<(ContextId, ContextChange)>,
    /// Its change of the workflow's memory, if it made one.
    pub memory: Option<Arc<MemoryChange>>,
}

impl Transaction {
    /// An empty transaction on top of a snapshot.
    pub fn begin(view: Contexts) -> Arc<Mutex<Self>> {
        Self::with_memory(view, WorkflowMemory::default())
    }

    /// The same, with the workflow's memory as the activation sees it.
    pub fn with_memory(view: Contexts, memory: WorkflowMemory) -> Arc<Mutex<Self>> {
        Arc::new(Mutex::new(Self { view, memory, writes: Writes::default(), origins: Origins::NONE }))
    }

    /// The workflow's memory as the activation sees it, with its own changes.
    pub fn memory(&self) -> &WorkflowMemory {
        &self.memory
    }

    /// Changes the workflow's memory. Several changes become one.
    pub fn change_memory(&mut self, change: MemoryChange) {
        self.memory.apply(&change);
        let before = self.writes.memory.take();
        let change = match before {
            Some(before) => Arc::unwrap_or_clone(before).and(&change),
            None => change,
        };
        self.writes.memory = Some(Arc::new(change));
    }

    /// Registers a new context with the run.
    pub fn create(&mut self, record: ContextRecord) {
        let record = Arc::new(record);
        self.writes.created.push(Arc::clone(&record));
        self.view.create(record);
    }

    /// Where what the activation has brought in so far comes from.
    pub fn origins(&self) -> &Origins {
        &self.origins
    }

    /// Adds where something comes from that the activation brings in.
    pub fn add_origins(&mut self, origins: &Origins) {
        self.origins.add(origins);
    }

    pub fn take(&mut self) -> Writes {
        std::mem::take(&mut self.writes)
    }
}

/// The writer of one context, as a node holds it.
#[derive(Clone)]
pub struct ContextManager {
    id: ContextId,
    transaction: Arc<Mutex<Transaction>>,
}

impl ContextManager {
    /// A manager of the context `id`; a fault if the run has no such context.
    pub fn open(id: &ContextId, transaction: &Arc<Mutex<Transaction>>) -> Result<Self, Fault> {
        let manager = Self { id: id.clone(), transaction: Arc::clone(transaction) };
        if manager.lock().view.get(id).is_none() {
            return Err(Fault::new(codes::CONTEXT_UNKNOWN, format!("This run has no context `{id}`."))
                .hint("Wire a context edge from a `contextStart` or `newContext` node, or use an id that one of them made."));
        }
        Ok(manager)
    }

    /// The context that it writes.
    pub fn id(&self) -> &ContextId {
        &self.id
    }

    /// The context as this activation sees it: the snapshot from its start plus its own writes.
    pub fn get(&self) -> Snapshot {
        self.lock().view.get(&self.id).cloned().unwrap_or_else(|| {
            // `open` proved it exists and nothing removes contexts; an empty record keeps this total.
            Arc::new(ContextRecord::new(self.id.clone(), super::ContextType::Isolated, "", ""))
        })
    }

    /// Appends one message.
    pub fn add_message(&self, message: SharedMessage) {
        self.add_messages(vec![message]);
    }

    /// Appends messages, all or none.
    pub fn add_messages(&self, messages: Vec<SharedMessage>) {
        self.write(ContextChange::Messages { messages });
    }

    /// Adds recalled messages of a conversation to the history.
    pub fn recall(&self, recalled: Recalled) {
        self.write(ContextChange::Recalled(Arc::new(recalled)));
    }

    /// Appends a turn, its question and its answer together, and applies the calibration sample of a model. This is the only way to
    /// answer in a context, so no history has an answer without its question.
    pub fn commit_turn(&self, question: Question, answer: SharedMessage, learned: Option<CalibrationSample>) {
        let asked = match question {
            Question::New(message) => Some(message),
            Question::InHistory => None,
        };
        self.write(ContextChange::Turn { messages: asked.into_iter().chain([answer]).collect(), learned });
    }

    /// Sets the system instructions, which come from these places. An empty text removes them.
    pub fn set_system_instructions(&self, text: impl Into<String>, origins: Origins) {
        self.write(ContextChange::SystemInstructions { text: text.into(), origins });
    }

    /// Sets the provider and model of later calls.
    pub fn set_provider_model(&self, provider: impl Into<String>, model: impl Into<String>) {
        self.write(ContextChange::ProviderModel { provider: provider.into(), model: model.into() });
    }

    /// Clears the history.
    pub fn reset_history(&self) {
        self.write(ContextChange::Reset);
    }

    fn write(&self, change: ContextChange) {
        let mut transaction = self.lock();
        transaction.view.apply(&self.id, &change);
        transaction.writes.changes.push((self.id.clone(), change));
    }

    fn lock(&self) -> MutexGuard<'_, Transaction> {
        self.transaction.lock()
    }
}
