//! Calling a model: what `chat`, `classify` and `extract` have in common.
//!
//! A [`Turn`] sends a user message, lets the model call tools, can reject a reply and ask again. It journals each prompt and
//! each reply with its usage and price, and reuses replies that were journaled before a crash. The node decides whether and
//! when anything enters a conversation: [`Turn::begin`], [`Turn::commit`].
//!
//! Every call, also those for summaries and for tools, is a [`ModelCall`] that walks through the same [`stages`]: prepared,
//! reserved, sent, recorded. In a turn, the tools of a recorded reply are called, and the next call is prepared.

mod attachments;
mod call;
mod call_in_text;
mod finish_tool;
mod history_summary;
mod interruption;
mod knowledge;
mod loop_turns;
mod memory_access;
mod quota;
mod reply_schema;
mod sampling_parameters;
mod side_query;
mod stages;
mod summary;
mod tool_calls;
mod turn;
mod turn_of_pin;
mod user_message;
mod workflow_context;

use serde_json::{Map, Value};

use plait_core::id::MessageId;
use plait_llm::context::{Content, Message, Role};
use plait_llm::tool::ToolSpec;
use plait_run::node::NodeContext;

pub(crate) use attachments::{attach, attached};
pub(crate) use call::ModelCall;
pub(crate) use finish_tool::FINISH;
pub(crate) use history_summary::summarize_history;
pub(crate) use interruption::Interruption;
pub(crate) use knowledge::{retrieve, retrieve_if_any};
pub(crate) use loop_turns::loop_turns;
pub(crate) use memory_access::{Incoming, MemoryAccess, NodeMemory};
pub(crate) use reply_schema::{ReplySchema, json_candidates};
pub(crate) use side_query::{SideQuery, SideQueryOptions, side_query_card, side_query_inputs};
pub(crate) use summary::complete_summary;
pub(crate) use tool_calls::{
    SamplingModel, SamplingUsage, allow_server, call_tool, call_tool_with_model, collect_tools,
};
pub(crate) use turn::{Turn, check_reply};
pub(crate) use turn_of_pin::{commit_turn_of_pin, no_turn_of_pin, remember_turn_of_pin};
pub(crate) use user_message::UserMessage;
pub(crate) use workflow_context::check_offer;

/// The settings of a turn's model calls.
#[derive(Clone, Copy)]
pub(crate) struct CallOptions<'a> {
    /// Sampling temperature.
    pub(crate) temperature: Option<f64>,
    /// JSON Schema of the reply.
    pub(crate) response_schema: Option<&'a Value>,
    /// How often the model may call tools before it must answer.
    pub(crate) max_tool_rounds: u32,
    /// Provider-specific options.
    pub(crate) options: &'a Map<String, Value>,
}

/// The source of tools that the engine answers.
const ENGINE_SOURCE: &str = "engine";

/// The tools that the engine answers.
pub(crate) fn engine_tools() -> Vec<ToolSpec> {
    workflow_context::tools().into_iter().chain([finish_tool::finish_tool()]).collect()
}

/// Whether the engine answers calls of this tool.
pub(crate) fn is_engine_tool(tool: &ToolSpec) -> bool {
    tool.source == ENGINE_SOURCE
}

/// The id of the final reply of an activation, whether or not it enters a history.
pub(crate) fn reply_id(node_context: &NodeContext) -> MessageId {
    node_context.message_id(REPLY_INDEX)
}

/// The final reply of an activation as a message.
pub(crate) fn reply_message(node_context: &NodeContext, content: impl Into<Content>, model: &str) -> Message {
    node_context.message(REPLY_INDEX, Role::Assistant, content, model)
}

/// The index of the user message among the messages of an activation.
const USER_MESSAGE_INDEX: usize = 0;
/// The index of the final reply.
const REPLY_INDEX: usize = 1;
/// The index of the first message of a step between the two.
const FIRST_STEP_INDEX: usize = 2;
