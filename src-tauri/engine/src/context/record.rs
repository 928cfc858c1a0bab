//! What a context is: its record, its snapshot, and the handle that travels on edges.

use std::collections::BTreeMap;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use ts_rs::TS;

use super::History;
use crate::id::{ContextId, MessageId};
use crate::models::Correction;

/// The id of the context a flow's `contextStart` makes.
pub const MAIN: &str = "main";

/// How a context came to be.
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

/// A context as it stands at one moment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ContextRecord {
    /// Unique in the run.
    pub context_id: ContextId,
    /// How it came to be.
    pub context_type: ContextType,
    /// Which provider answers, for example `offline`.
    pub provider: String,
    /// The provider's name for the model.
    pub model: String,
    /// The system instructions; sent once in every payload.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub system_instructions: Option<String>,
    /// Everything said, oldest first.
    #[ts(as = "Vec<super::Message>")]
    #[serde(default)]
    pub message_history: History,
    /// The id under which a provider may keep this conversation on its side.
    pub session_id: String,
    /// The text of the latest output in this context.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[ts(optional, as = "Option<String>")]
    pub current_output: String,
    /// How often it has changed.
    #[ts(type = "number")]
    pub revision: u64,
    /// What its turns have taught of Plait's counts, by `provider/model`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[ts(optional, as = "Option<BTreeMap<String, Correction>>")]
    pub corrections: BTreeMap<String, Correction>,
    /// The context it was made from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub parent_context_id: Option<ContextId>,
}

impl ContextRecord {
    /// An empty context.
    pub fn new(context_id: ContextId, context_type: ContextType, provider: &str, model: &str) -> Self {
        Self {
            session_id: context_id.to_string(),
            context_id,
            context_type,
            provider: provider.to_owned(),
            model: model.to_owned(),
            system_instructions: None,
            message_history: History::default(),
            current_output: String::new(),
            revision: 0,
            corrections: BTreeMap::new(),
            parent_context_id: None,
        }
    }

    /// The same context with this history.
    #[must_use]
    pub fn with_history(self, message_history: History) -> Self {
        Self { message_history, ..self }
    }
}

/// A context at one moment, read-only and cheap to hold.
pub type Snapshot = Arc<ContextRecord>;

/// What travels on a context edge (and, from `newContext`, on a data edge): which context, and what was last said in it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct ContextHandle {
    /// Which context.
    pub context_id: ContextId,
    /// What the node that hands the context on has to say in it, for a node that is given nothing else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "unknown")]
    pub current_output: Option<Value>,
    /// The message of the context that already says so, if one does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub message_id: Option<MessageId>,
}

impl ContextHandle {
    /// A handle that carries nothing but the id.
    pub fn bare(context_id: ContextId) -> Self {
        Self { context_id, current_output: None, message_id: None }
    }

    /// The context that a value names: by its id, or as a handle.
    pub fn named_by(value: &Value) -> Option<ContextId> {
        value.as_str().or_else(|| value.get("contextId")?.as_str()).map(Into::into)
    }

    /// A handle of the same context, of a node that says `output` in it; `message` where a message of the context
    /// already says so.
    #[must_use]
    pub fn saying(&self, output: Value, message: Option<MessageId>) -> Self {
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
