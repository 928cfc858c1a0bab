//! The record of one prompt: its parts with their tokens and origins.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

use super::{BlockCut, BlockKind, BlockSource, LoopConversationRecord, RefusedPrompt, SentTurn};
use crate::context::Role;
use crate::models::ModelConfig;
use crate::provider::{ModelRequest, Provider, SchemaForm};
use plait_core::attachment::Attachment;
use plait_core::id::{Epoch, MessageId, NodeId, PortName};
use plait_core::offline::OFFLINE;
use plait_core::origin::Origins;

/// One message of a prompt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum PromptPart {
    /// Consecutive messages of the context's history.
    History {
        first: MessageId,
        last: MessageId,
        #[ts(type = "number")]
        count: u64,
        /// Their tokens together.
        #[ts(type = "number")]
        tokens: u64,
        /// Where they come from.
        #[serde(default, skip_serializing_if = "Origins::is_empty")]
        #[ts(optional, as = "Option<Origins>")]
        origins: Origins,
    },
    /// A round of tool calls: the model's reply in an earlier step of the same activation and the tools' results. The
    /// events `model.replied` and `tool.finished` of that step contain them.
    Step {
        /// The step, from 0.
        step: u32,
        /// How many messages they are.
        #[ts(type = "number")]
        count: u64,
        /// Their tokens together.
        #[ts(type = "number")]
        tokens: u64,
        /// Where they come from.
        #[serde(default, skip_serializing_if = "Origins::is_empty")]
        #[ts(optional, as = "Option<Origins>")]
        origins: Origins,
        /// If the reply was rejected and no tool was called: what the model received as the reason.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        rejection: Option<String>,
        /// The images of the tools' results that the model received, in a message after the results.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[ts(optional, as = "Option<Vec<Attachment>>")]
        images: Vec<Attachment>,
    },
    /// A block of the user message. Blocks in a row are one message, in which a blank line stands between two blocks.
    Block {
        block: BlockKind,
        text: String,
        #[ts(type = "number")]
        tokens: u64,
        /// What its items are, in their order.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[ts(optional, as = "Option<Vec<BlockSource>>")]
        sources: Vec<BlockSource>,
        /// Where they come from.
        #[serde(default, skip_serializing_if = "Origins::is_empty")]
        #[ts(optional, as = "Option<Origins>")]
        origins: Origins,
        /// What its cap left out, if anything.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        cut: Option<BlockCut>,
    },
    /// Turns of the conversation of a loop, whose positions count from its first turn: the summary, the pinned ones, and then
    /// the newest. The events `history.appended` of the loop contain them.
    Turns {
        /// The loop.
        node: NodeId,
        /// Its iteration outside.
        epoch: Epoch,
        /// The iteration that wrote the summary, if it is sent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        summary: Option<Epoch>,
        /// The positions of the pinned turns before `first`.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[ts(optional, as = "Option<Vec<u32>>")]
        pinned: Vec<u32>,
        /// The position of the first of the newest turns. All that were said before this iteration follow, but for `own`.
        first: u32,
        /// The turn that is not among them, since it is the user message.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        own: Option<u32>,
        /// Those of them that were said in the iteration under way.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[ts(optional, as = "Option<Vec<SentTurn>>")]
        current: Vec<SentTurn>,
        /// How many messages they are.
        #[ts(type = "number")]
        count: u64,
        /// The media types of the attachments that are named in the text of their turns, since the model can't take them.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[ts(optional, as = "Option<Vec<String>>")]
        named_media_types: Vec<String>,
        /// The beginning of the user message that they are written as, for a model that takes a prompt only.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        text: Option<String>,
        /// Their tokens together.
        #[ts(type = "number")]
        tokens: u64,
        /// Where they come from.
        #[serde(default, skip_serializing_if = "Origins::is_empty")]
        #[ts(optional, as = "Option<Origins>")]
        origins: Origins,
    },
    /// What is attached to the message before it: the message to answer, if it is in no history.
    Attachments {
        attachments: Vec<Attachment>,
        /// Their tokens together.
        #[ts(type = "number")]
        tokens: u64,
        /// Where they come from.
        #[serde(default, skip_serializing_if = "Origins::is_empty")]
        #[ts(optional, as = "Option<Origins>")]
        origins: Origins,
    },
    /// A message that is in no history: the instructions or the user message.
    Message {
        role: Role,
        text: String,
        #[ts(type = "number")]
        tokens: u64,
        /// Where it comes from.
        #[serde(default, skip_serializing_if = "Origins::is_empty")]
        #[ts(optional, as = "Option<Origins>")]
        origins: Origins,
    },
}

/// What a model call is for, besides the reply of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum PromptPurpose {
    /// The summary of turns that leave the workflow's memory.
    MemorySummary,
    /// A reply that a tool requests.
    Sampling,
    /// The summary of the older turns of a loop's conversation.
    HistorySummary,
}

/// The oldest messages of the history, which were left out because they did not fit the window.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Omitted {
    pub first: MessageId,
    pub last: MessageId,
    #[ts(type = "number")]
    pub count: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct PromptRecord {
    pub provider: String,
    pub model: String,
    /// What the call is for, if not for the reply of the node.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub purpose: Option<PromptPurpose>,
    /// The messages, in order.
    pub parts: Vec<PromptPart>,
    /// The inputs of the node that the user message is made of: the event `node.ready` of the activation names the edge of
    /// each. Instructions and history come through `context`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<PortName>>")]
    pub message_inputs: Vec<PortName>,
    /// The messages that did not fit, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub omitted: Option<Omitted>,
    /// What the prompt has of the conversation of a loop, if the node is in one and takes its history.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub conversation: Option<Box<LoopConversationRecord>>,
    /// The names of the tools offered.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<String>>")]
    pub tools: Vec<String>,
    /// The tokens of the tools' schemas.
    #[ts(type = "number")]
    pub tool_tokens: u64,
    /// The estimated tokens of the whole prompt: the sum of the counts, corrected by what the provider has reported for
    /// earlier prompts.
    #[ts(type = "number")]
    pub tokens: u64,
    /// The sum of the counts before correction, if the two differ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "number")]
    pub counted: Option<u64>,
    /// The factor by which estimates were multiplied for caution when the history was trimmed, in thousandths: no tokenizer of
    /// the model is public, and little or nothing was reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "number")]
    pub caution: Option<u64>,
    /// The prompt before this one, which the provider refused as too large, so that it was trimmed once more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub refused: Option<RefusedPrompt>,
    /// The model's window.
    #[ts(type = "number")]
    pub window: u64,
    /// The part of the window that is reserved: room for the reply (`maxTokens`, or by default a quarter of the window, at most
    /// 16,384 tokens), and a margin of a 64th of the window.
    #[ts(type = "number")]
    pub reserve: u64,
    /// What the request says besides messages and tools, where it says anything.
    #[serde(default, skip_serializing_if = "RequestSettings::is_default")]
    #[ts(optional, as = "Option<RequestSettings>")]
    pub settings: RequestSettings,
}

/// What a request says besides messages and tools. With these, the request that was sent can be built again.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", default)]
pub struct RequestSettings {
    /// Sampling temperature.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub temperature: Option<f64>,
    /// Maximum tokens of the reply.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub max_tokens: Option<u32>,
    /// The JSON Schema of the reply.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "unknown")]
    pub response_schema: Option<Value>,
    /// How the request asks for a reply that follows it, if the provider says.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub schema_form: Option<SchemaForm>,
    /// Provider-specific options.
    #[serde(skip_serializing_if = "Value::is_null")]
    #[ts(optional, type = "unknown")]
    pub options: Value,
    /// Parameters of sampling that were set and not sent, because the model refuses them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<String>>")]
    pub refused_parameters: Vec<String>,
}

impl RequestSettings {
    /// Those of a request. The simulator's are left out: they hold its script, and it gets no HTTP request.
    pub fn of(name: &str, provider: &dyn Provider, request: &ModelRequest) -> Self {
        if name == OFFLINE {
            return Self::default();
        }
        let has_options = request.options.as_object().is_some_and(|options| !options.is_empty());
        Self {
            temperature: request.temperature,
            max_tokens: request.max_tokens,
            response_schema: request.response_schema.clone(),
            schema_form: provider.schema_form(request),
            options: if has_options { request.options.clone() } else { Value::Null },
            refused_parameters: Vec::new(),
        }
    }

    /// Whether it says nothing.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

impl PromptRecord {
    /// Whether the call summarizes what leaves a history or the memory.
    pub fn is_summary(&self) -> bool {
        matches!(self.purpose, Some(PromptPurpose::MemorySummary | PromptPurpose::HistorySummary))
    }

    /// The record of a prompt that consists of these parts and of tools with `tool_tokens`.
    pub fn new(config: &ModelConfig, parts: Vec<PromptPart>, tool_tokens: u64) -> Self {
        let counted = tool_tokens + parts.iter().map(PromptPart::tokens).sum::<u64>();
        let tokens = config.correction.apply(counted);
        Self {
            purpose: None,
            provider: config.provider.clone(),
            model: config.model.clone(),
            parts,
            message_inputs: Vec::new(),
            omitted: None,
            conversation: None,
            tools: Vec::new(),
            tool_tokens,
            tokens,
            counted: (tokens != counted).then_some(counted),
            caution: None,
            refused: None,
            window: config.window,
            reserve: config.reserve,
            settings: RequestSettings::default(),
        }
    }

    /// Where the prompt comes from.
    pub fn origins(&self) -> Origins {
        Origins::union(self.parts.iter().map(PromptPart::origins))
    }

    /// The sum of the counts before correction.
    pub fn counted(&self) -> u64 {
        self.counted.unwrap_or(self.tokens)
    }
}

impl PromptPart {
    /// Where the part comes from.
    pub fn origins(&self) -> &Origins {
        match self {
            Self::History { origins, .. }
            | Self::Turns { origins, .. }
            | Self::Step { origins, .. }
            | Self::Block { origins, .. }
            | Self::Attachments { origins, .. }
            | Self::Message { origins, .. } => origins,
        }
    }

    pub fn tokens(&self) -> u64 {
        match self {
            Self::History { tokens, .. }
            | Self::Turns { tokens, .. }
            | Self::Step { tokens, .. }
            | Self::Block { tokens, .. }
            | Self::Attachments { tokens, .. }
            | Self::Message { tokens, .. } => *tokens,
        }
    }
}
