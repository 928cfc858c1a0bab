//! A turn: the model is called, may call tools for a bounded number of rounds, and answers. A reply can be rejected, and
//! the model asked again.

mod ask;
mod commit;
mod memory_summary;
mod remember;

use std::sync::Arc;

use serde_json::json;

use super::attachments::is_supported;
use super::call_in_text::find_call_in_text;
use super::stages::Recorded;
use super::tool_calls::{CallText, ToolCaller};
use super::{
    CallOptions, FINISH, FIRST_STEP_INDEX, Interruption, MemoryAccess, SamplingModel, SamplingUsage,
    UserMessage, is_engine_tool,
};
use crate::codes;
use crate::prompt::{BlockInputs, LoopTurns};
use plait_core::attachment::{Attachment, MAX_ATTACHMENTS};
use plait_core::error::Fault;
use plait_core::origin::Origins;
use plait_journal::FINISHES_LOOP;
use plait_llm::context::{Content, ContextManager, ContextRecord, Message, Role, SharedMessage, ToolCall};
use plait_llm::models::{CalibrationSample, ModelConfig, TokenUsage};
use plait_llm::prompt_record::TOOL_IMAGES;
use plait_llm::provider::{ModelReply, Provider, StopReason};
use plait_llm::tokens;
use plait_llm::tool::ToolSpec;
use plait_run::node::{NodeContext, NodeOutput};

/// How much of a reply that was withheld a fault repeats.
const MAX_EXCERPT_CHARS: usize = 500;

/// A turn in progress.
pub(crate) struct Turn<'a> {
    pub(super) options: CallOptions<'a>,
    pub(super) node_context: &'a NodeContext,
    pub(super) context: &'a ContextRecord,
    /// Its correction is updated after each call of this turn.
    pub(super) model: ModelConfig,
    pub(super) user_message: &'a UserMessage,
    pub(super) tools: &'a [ToolSpec],
    /// What stands around the user message.
    pub(super) blocks: BlockInputs<'a>,
    /// The conversation of the loop around the node.
    pub(super) turns: Option<&'a LoopTurns<'a>>,
    pub(super) provider: &'a dyn Provider,
    /// The provider of the cheaper model that the turn goes on with, because the call would exceed a quota.
    fallback: Option<Arc<dyn Provider>>,
    /// The quotas that have made it do so, by their places in the chain.
    fallback_quotas: Vec<usize>,
    /// For each reply so far that was not the answer: the model's message, then the tool results or the rejection.
    pub(super) steps: Vec<Vec<SharedMessage>>,
    /// What the current call has streamed so far.
    pub(super) partial: String,
    /// What the turn has used so far.
    pub(super) usage: TurnUsage,
    /// The conversation that a commit writes to, if any.
    pub(super) conversation: Option<&'a ContextManager>,
    /// What the latest prompt was counted to.
    pub(super) sent_tokens: u64,
    /// How many messages the steps consist of.
    step_messages: usize,
    tool_caller: ToolCaller<'a>,
}

/// What a turn has used.
#[derive(Default)]
pub(crate) struct TurnUsage {
    /// Tokens of all its calls.
    pub(crate) tokens: TokenUsage,
    /// How far token counts were off.
    pub(crate) calibration: Option<CalibrationSample>,
    pub(crate) model_calls: u32,
    /// How many of them took the reply of an earlier run. They used no tokens.
    pub(crate) reused_calls: u32,
    pub(crate) tool_calls: usize,
    /// Whether the model has called the tool that ends the loop around the node.
    pub(crate) finishes_loop: bool,
    /// What the replies used that its tools requested.
    pub(crate) sampling: SamplingUsage,
}

impl TurnUsage {
    /// Counts a call of the turn.
    fn add(&mut self, recorded: &Recorded) {
        self.model_calls += 1;
        self.reused_calls += u32::from(recorded.is_reused());
        self.tokens += recorded.paid();
    }

    /// Adds it to a node's output.
    fn add_to(&self, mut output: NodeOutput, model: &ModelConfig) -> NodeOutput {
        let model_calls = self.model_calls + self.sampling.model_calls;
        let reused_calls = self.reused_calls + self.sampling.reused_calls;
        let mut tokens = self.tokens;
        tokens += self.sampling.tokens;
        output.token_usage = Some(tokens);
        output.cached = reused_calls > 0 && reused_calls == model_calls;
        output.extra.insert("modelCalls".to_owned(), model_calls.into());
        output.extra.insert("toolCalls".to_owned(), self.tool_calls.into());
        if self.finishes_loop {
            output.extra.insert(FINISHES_LOOP.to_owned(), true.into());
        }
        output.extra.insert("provider".to_owned(), model.provider.clone().into());
        output.extra.insert("model".to_owned(), model.model.clone().into());
        output
    }
}

impl<'a> Turn<'a> {
    pub(crate) fn new(
        options: CallOptions<'a>,
        node_context: &'a NodeContext,
        context: &'a ContextRecord,
        model: &ModelConfig,
        user_message: &'a UserMessage,
        tools: &'a [ToolSpec],
        provider: &'a dyn Provider,
    ) -> Self {
        let sampling = SamplingModel { config: model.clone(), context_id: context.context_id.clone() };
        Self {
            options,
            node_context,
            context,
            model: model.clone(),
            user_message,
            tools,
            blocks: BlockInputs::default(),
            turns: None,
            provider,
            fallback: None,
            fallback_quotas: Vec::new(),
            steps: Vec::new(),
            partial: String::new(),
            usage: TurnUsage::default(),
            conversation: None,
            sent_tokens: 0,
            step_messages: 0,
            tool_caller: ToolCaller::new(node_context, tools, Some(sampling)),
        }
    }

    /// Puts blocks around the user message.
    #[must_use]
    pub(crate) fn with_blocks(self, blocks: BlockInputs<'a>) -> Self {
        Self { blocks, ..self }
    }

    /// Sends the conversation of a loop before the user message.
    #[must_use]
    pub(crate) fn with_turns(self, turns: Option<&'a LoopTurns<'a>>) -> Self {
        Self { turns, ..self }
    }

    /// Lets its tools know the workflow's memory.
    #[must_use]
    pub(crate) fn with_memory(mut self, memory: Option<&'a MemoryAccess<'a>>) -> Self {
        if let Some(memory) = memory {
            self.tool_caller.set_memory(memory, &self.model.model);
        }
        self
    }

    /// Adds what it has used to a node's output.
    pub(crate) fn add_usage_to(&self, output: NodeOutput) -> NodeOutput {
        self.usage.add_to(output, &self.model)
    }

    /// Calls the model until it replies without calling tools.
    pub(crate) async fn run(&mut self) -> Result<ModelReply, Interruption> {
        let max_rounds = self.options.max_tool_rounds;
        for round in 0..=max_rounds {
            let step = self.usage.model_calls;
            let recorded = self.ask(step).await?;
            let reply = recorded.reply();
            self.check_whole(reply)?;
            if reply.tool_calls.is_empty() {
                let is_structured = self.options.response_schema.is_some();
                if let Some(notice) = find_call_in_text(&reply.text, self.tools, is_structured) {
                    self.node_context.notice(notice);
                }
                return Ok(recorded.into_reply());
            }
            if self.tools.is_empty() {
                return Err(no_tools(reply).into());
            }
            if round < max_rounds {
                let calls = self.tool_caller.assign_ids(&reply.tool_calls, step);
                self.usage.tool_calls = self.tool_caller.count();
                self.run_tools(step, recorded, calls).await?;
            }
        }
        let message = format!("The model still called tools after {max_rounds} rounds.");
        Err(Fault::new(codes::CHAT_TOO_MANY_TOOL_ROUNDS, message)
            .hint("Raise `maxToolRounds`, or say in the instructions when the model should answer.")
            .into())
    }

    /// Refuses a reply that is not whole, unless it is a text that only lacks its end.
    fn check_whole(&self, reply: &ModelReply) -> Result<(), Fault> {
        if let Some(mut fault) = reply.stop_reason.fault() {
            let text = reply.text.trim();
            if reply.stop_reason == StopReason::ContentFilter && !text.is_empty() {
                let excerpt: String = text.chars().take(MAX_EXCERPT_CHARS).collect();
                fault.message = format!("{} It says: {excerpt}", fault.message);
            }
            return Err(fault);
        }
        let is_structured = self.options.response_schema.is_some();
        if !reply.stop_reason.is_truncated() || (reply.tool_calls.is_empty() && !is_structured) {
            return Ok(());
        }
        let limit = match (&reply.stop_reason, self.model.max_tokens) {
            (StopReason::MaxTokens, Some(limit)) => format!("its limit of {limit} tokens"),
            (StopReason::MaxTokens, None) => "its provider's limit of tokens".to_owned(),
            _ => "the end of the model's window".to_owned(),
        };
        let message = match reply.tool_calls.last() {
            Some(call) => format!(
                "The reply reached {limit} while it called tools, so the call of `{}` may be cut off. No tool was called.",
                call.name
            ),
            None => format!("The reply reached {limit}, so its JSON is cut off."),
        };
        let hint = match reply.stop_reason {
            StopReason::MaxTokens => "Raise `maxTokens`, or ask for less in one reply.",
            _ => "Shorten the conversation or the message, or use a model with a larger window.",
        };
        let details = json!({ "reply": reply.text, "toolCalls": reply.tool_calls });
        Err(Fault::new(codes::CHAT_TRUNCATED, message).hint(hint).details(details))
    }

    /// Rejects a reply: the next call tells the model why.
    pub(crate) fn reject_reply(&mut self, reply: ModelReply, reason: String) {
        let reply = self.next_message(Role::Assistant, reply.text);
        let rejection = self.next_message(Role::User, reason);
        self.steps.push(vec![Arc::new(reply), Arc::new(rejection)]);
    }

    /// One round of tool calls: the model's message, then each result.
    async fn run_tools(
        &mut self,
        step: u32,
        recorded: Recorded,
        calls: Vec<ToolCall>,
    ) -> Result<(), Interruption> {
        let is_reused = recorded.is_reused();
        let reply = recorded.into_reply();
        let content = Content::with_attachments(reply.text, reply.attachments);
        let message = self.next_message(Role::Assistant, content);
        let mut tokens = message.tokens.saturating_add(tokens::count_tool_calls(&self.model.model, &calls));
        // Reasoning is only sent back to providers that attach state to their messages or want its text.
        let provider = self.fallback.as_deref().unwrap_or(self.provider);
        let is_returned = reply.provider_state.is_some() || provider.returns_reasoning();
        if let Some(reasoning) = reply.reasoning.as_ref().filter(|_| is_returned) {
            tokens = tokens.saturating_add(tokens::count_u32(&self.model.model, reasoning));
        }
        let message = Message {
            reasoning: reply.reasoning,
            tool_calls: calls.clone(),
            provider_state: reply.provider_state,
            tokens,
            ..message
        };
        let mut round = vec![Arc::new(message)];
        let texts = self.tool_caller.run(step, &calls, is_reused).await?;
        self.usage.finishes_loop |=
            self.node_context.is_in_loop() && calls.iter().any(|call| self.is_finish(call));
        self.usage.sampling = self.tool_caller.sampling_usage();
        let mut images = Vec::new();
        let mut image_origins = Origins::NONE;
        for (call, CallText { text, is_error, images: own, origins }) in calls.into_iter().zip(texts) {
            if !own.is_empty() {
                image_origins.add(&origins);
                images.extend(own);
            }
            let result = self.next_message(Role::Tool, text);
            round.push(Arc::new(Message { tool_call_id: Some(call.id), is_error, origins, ..result }));
        }
        let sent = self.sendable(images).await;
        if !sent.is_empty() {
            // Most protocols take images from users alone.
            let content = Content::with_attachments(TOOL_IMAGES.to_owned(), sent);
            let message = self.next_message(Role::User, content);
            round.push(Arc::new(Message { origins: image_origins, ..message }));
        }
        self.steps.push(round);
        Ok(())
    }

    /// The images of tools that the model takes and whose bytes are stored: a result may only look like a reference.
    async fn sendable(&self, images: Vec<Attachment>) -> Vec<Attachment> {
        let provider = self.fallback.as_deref().unwrap_or(self.provider);
        let mut sendable = Vec::new();
        for image in images.into_iter().take(MAX_ATTACHMENTS) {
            if is_supported(&image, &self.model, provider)
                && self.node_context.host.attachments.get(&image.hash).await.is_ok()
            {
                sendable.push(image);
            }
        }
        sendable
    }

    /// Whether it is a call of the tool that ends the loop around the node, as the engine offers it.
    fn is_finish(&self, call: &ToolCall) -> bool {
        call.name == FINISH && self.tools.iter().any(|tool| tool.name == FINISH && is_engine_tool(tool))
    }

    pub(super) fn next_message(&mut self, role: Role, content: impl Into<Content>) -> Message {
        let index = FIRST_STEP_INDEX + self.step_messages;
        self.step_messages += 1;
        self.node_context.message(index, role, content, &self.model.model)
    }
}

fn no_tools(reply: &ModelReply) -> Fault {
    let names: Vec<_> = reply.tool_calls.iter().map(|call| format!("`{}`", call.name)).collect();
    let message = format!("The model called {}, but no tools were offered to it.", names.join(", "));
    Fault::new(codes::CHAT_NO_TOOLS, message)
        .hint("Connect the tool to the node, say in the instructions to answer without tools, or use another model.")
}

/// Refuses an empty reply.
pub(crate) fn check_reply(reply: &ModelReply) -> Result<(), Fault> {
    if reply.text.trim().is_empty() && reply.attachments.is_empty() {
        let hint = match reply.stop_reason {
            StopReason::MaxTokens => "Raise `maxTokens`: reasoning used all of it.",
            StopReason::WindowFull => {
                "The model's window was full: shorten the conversation, or use a model with a larger window."
            }
            _ => "Run it again, or use another model.",
        };
        return Err(Fault::new(codes::CHAT_EMPTY_REPLY, "The model's reply is empty.").hint(hint));
    }
    Ok(())
}
