//! One model call: who calls which model, with which settings. How it is made is in [`stages`](super::stages).

use serde_json::Value;

use plait_core::id::ContextId;
use plait_llm::context::SharedMessage;
use plait_llm::models::ModelConfig;
use plait_llm::provider::{ModelRequest, Provider};
use plait_llm::quota::IterationCost;
use plait_llm::tool::SamplingRef;
use plait_run::node::NodeContext;

/// Which model call of an activation it is.
#[derive(Clone, Debug)]
pub(crate) struct CallPlace {
    /// The number of the model call; that of the model call that requested the tool call, if it serves a tool.
    pub(crate) step: u32,
    /// The request of a tool that it serves.
    pub(crate) sampling: Option<SamplingRef>,
}

impl From<u32> for CallPlace {
    fn from(step: u32) -> Self {
        Self { step, sampling: None }
    }
}

/// A call of a provider's model on behalf of a node and a context.
#[derive(Clone, Copy)]
pub(crate) struct ModelCall<'a> {
    pub(crate) node_context: &'a NodeContext,
    pub(crate) model: &'a ModelConfig,
    pub(crate) provider: &'a dyn Provider,
    pub(crate) context_id: &'a ContextId,
    /// What an iteration of a loop costs that begins with this call.
    pub(crate) iteration: IterationCost,
}

impl ModelCall<'_> {
    /// A request with these messages and the settings of the model, nothing else.
    pub(crate) fn request(&self, messages: Vec<SharedMessage>) -> ModelRequest {
        ModelRequest {
            activation: self.node_context.activation.clone(),
            attempt: self.node_context.attempt,
            model: self.model.model.clone(),
            system: None,
            messages,
            tools: Vec::new(),
            temperature: None,
            max_tokens: self.model.max_tokens,
            window: Some(self.model.window),
            response_schema: None,
            session: None,
            options: Value::Null,
        }
    }
}
