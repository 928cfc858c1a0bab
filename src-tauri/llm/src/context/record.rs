//! What a context is: its record, its snapshot, and the handle that travels on edges.

use std::collections::BTreeMap;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use ts_rs::TS;

use super::History;
use crate::models::Correction;
use plait_core::id::{ContextId, MessageId};
use plait_core::origin::Origins;

/// The id of the context that a flow's `contextStart` creates.
pub const MAIN: &str = "main";

/// How a context was created.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub enum ContextType {
    /// The flow's own.
    #[default]
    Main,
    /// Made by `newContext`.
    Isolated,
    /// Made for a loop's body or a sub-flow.
    Child,
}

/// The state of a context.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ContextRecord {
    /// Unique in the run.
    pub context_id: ContextId,
    pub context_type: ContextType,
    /// The provider, for example `offline`.
    pub provider: Arc<str>,
    /// The provider's name for the model.
    pub model: Arc<str>,
    /// The system instructions; sent once in every payload.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub system_instructions: Option<String>,
    /// Where they come from.
    #[serde(default, skip_serializing_if = "Origins::is_empty")]
    #[ts(optional, as = "Option<Origins>")]
    pub system_origins: Origins,
    /// Its messages, oldest first.
    #[ts(as = "Vec<super::Message>")]
    #[serde(default)]
    pub message_history: History,
    /// The id under which a provider may store this conversation.
    pub session_id: Arc<str>,
    /// The text of the latest output in this context.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[ts(optional, as = "Option<String>")]
    pub current_output: String,
    /// How many times it was changed.
    #[ts(type = "number")]
    pub revision: u64,
    /// Token calibrations from its turns, by `provider/model`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[ts(optional, as = "Option<BTreeMap<String, Correction>>")]
    pub corrections: BTreeMap<String, Correction>,
    /// The context that it was created from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub parent_context_id: Option<ContextId>,
}

impl ContextRecord {
    /// An empty context.
    pub fn new(context_id: ContextId, context_type: ContextType, provider: &str, model: &str) -> Self {
        Self {
            session_id: context_id.as_str().into(),
            context_id,
            context_type,
            provider: provider.into(),
            model: model.into(),
            system_instructions: None,
            system_origins: Origins::NONE,
            message_history: History::default(),
            current_output: String::new(),
            revision: 0,
            corrections: BTreeMap::new(),
            parent_context_id: None,
        }
    }

    #[must_use]
    pub fn with_history(self, message_history: History) -> Self {
        Self { message_history, ..self }
    }
}

/// A read-only state of a context, cheap to hold.
pub type Snapshot = Arc<ContextRecord>;

/// The value on a context edge (and, from `newContext`, on a data edge): a context and the latest output in it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct ContextHandle {
    pub context_id: ContextId,
    /// The output of the node that passes the context on, for a node that has no other input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "unknown")]
    pub current_output: Option<Value>,
    /// The message that this output is, whether or not the context has it already.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub message_id: Option<MessageId>,
}

impl ContextHandle {
    /// A handle without an output.
    pub fn new(context_id: ContextId) -> Self {
        Self { context_id, current_output: None, message_id: None }
    }

    /// The context id in a value: the value itself, or the id of a handle.
    pub fn id_in_value(value: &Value) -> Option<ContextId> {
        value.as_str().or_else(|| value.get("contextId")?.as_str()).map(Into::into)
    }

    /// A handle of the same context with this output, which is this message.
    #[must_use]
    pub fn with_output(&self, output: Value, message: Option<MessageId>) -> Self {
        Self { context_id: self.context_id.clone(), current_output: Some(output), message_id: message }
    }
}

impl From<&ContextHandle> for Value {
    fn from(handle: &ContextHandle) -> Self {
        let mut object = Map::new();
        object.insert("contextId".to_owned(), handle.context_id.as_str().into());
        if let Some(output) = &handle.current_output {
            object.insert("currentOutput".to_owned(), output.clone());
        }
        if let Some(id) = &handle.message_id {
            object.insert("messageId".to_owned(), id.as_str().into());
        }
        Self::Object(object)
    }
}
