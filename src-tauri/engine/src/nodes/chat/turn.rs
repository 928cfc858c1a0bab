//! A turn: the model is asked, calls tools as long as it likes (within bounds), and answers. Changes no context.

use std::collections::HashSet;
use std::sync::Arc;

use serde_json::{Value, json};

use super::{Config, FIRST_STEP, tool_calls};
use crate::context::{ContextRecord, Message, Role, SharedMessage, ToolCall};
use crate::error::Fault;
use crate::id::{Epoch, NodeId};
use crate::node::{Cx, violations};
use crate::prompt::{ModelConfig, tokens};
use crate::provider::{ModelReply, Provider, StopReason};
use crate::run::TokenUsage;
use crate::tool::ToolSpec;

/// A turn under way.
pub(super) struct Turn<'a> {
    pub(super) config: &'a Config,
    pub(super) cx: &'a Cx,
    pub(super) context: &'a ContextRecord,
    pub(super) model: &'a ModelConfig,
    pub(super) question: &'a SharedMessage,
    pub(super) tools: &'a [ToolSpec],
    pub(super) provider: &'a dyn Provider,
    /// For each round of tool calls: the model's message and the results.
    pub(super) steps: Vec<Vec<SharedMessage>>,
    /// What the call under way has streamed.
    pub(super) partial: String,
    /// How many messages the rounds have made.
    messages: usize,
}

/// A turn that has come to an answer.
pub(super) struct Done {
    /// The answer.
    pub(super) reply: ModelReply,
    /// The answer read by its schema, where there is one.
    pub(super) structured: Option<Value>,
    /// What all calls of the turn used.
    pub(super) usage: TokenUsage,
    pub(super) model_calls: u32,
    pub(super) tool_calls: usize,
}

impl<'a> Turn<'a> {
    pub(super) fn new(
        config: &'a Config,
        cx: &'a Cx,
        context: &'a ContextRecord,
        model: &'a ModelConfig,
        question: &'a SharedMessage,
        tools: &'a [ToolSpec],
        provider: &'a dyn Provider,
    ) -> Self {
        let (steps, partial) = (Vec::new(), String::new());
        Self { config, cx, context, model, question, tools, provider, steps, partial, messages: 0 }
    }

    /// What had been streamed when the turn was given up.
    pub(super) fn into_partial(self) -> String {
        self.partial
    }

    /// Goes on until the model answers.
    pub(super) async fn run(&mut self) -> Result<Done, Fault> {
        let mut usage = TokenUsage::default();
        let mut ids = HashSet::new();
        for step in 0..=self.config.max_tool_rounds {
            let reply = self.ask(step).await?;
            usage += reply.usage.unwrap_or_default();
            if reply.tool_calls.is_empty() {
                let structured = self.read(&reply)?;
                return Ok(Done { reply, structured, usage, model_calls: step + 1, tool_calls: ids.len() });
            }
            if step < self.config.max_tool_rounds {
                let calls = tool_calls::with_ids(&reply.tool_calls, step, &mut ids);
                self.round(step, reply, calls).await?;
            }
        }
        let most = self.config.max_tool_rounds;
        Err(Fault::new(
            "chat.too_many_tool_rounds",
            format!("The model still calls tools after {most} rounds of it."),
        )
        .hint("Raise `maxToolRounds`, or tell the model in its instructions when to answer."))
    }

    /// One round: the model's message, then each result.
    async fn round(&mut self, step: u32, reply: ModelReply, calls: Vec<ToolCall>) -> Result<(), Fault> {
        let message = self.next_message(Role::Assistant, reply.text);
        let mut tokens = message.tokens.saturating_add(tokens::calls(&self.model.model, &calls));
        if let Some(reasoning) = reply.reasoning.as_ref().filter(|_| reply.provider_state.is_some()) {
            // It goes back with what the provider kept of it.
            tokens = tokens.saturating_add(tokens::message(&self.model.model, reasoning));
        }
        let asked = Message {
            reasoning: reply.reasoning,
            tool_calls: calls.clone(),
            provider_state: reply.provider_state,
            tokens,
            ..message
        };
        let mut round = vec![Arc::new(asked)];
        for call in calls {
            round.push(Arc::new(self.call_tool(step, call).await?));
        }
        self.steps.push(round);
        Ok(())
    }

    /// A message of a round, numbered on.
    pub(super) fn next_message(&mut self, role: Role, text: String) -> Message {
        let index = FIRST_STEP + self.messages;
        self.messages += 1;
        self.cx.message(index, role, text, &self.model.model)
    }

    pub(super) fn place(&self) -> (NodeId, Epoch) {
        (self.cx.activation.node.clone(), self.cx.activation.epoch.clone())
    }

    /// Whether the reply is an answer at all; read by its schema where there is one.
    fn read(&self, reply: &ModelReply) -> Result<Option<Value>, Fault> {
        if reply.stop_reason == StopReason::ContentFilter {
            return Err(Fault::new("chat.content_filtered", "The provider withheld the reply.")
                .hint("Rephrase the message or the instructions."));
        }
        if reply.text.trim().is_empty() {
            let cut = reply.stop_reason == StopReason::MaxTokens;
            let hint = if cut {
                "Raise `maxTokens`: all of it went into reasoning."
            } else {
                "Ask again, or ask another model."
            };
            return Err(Fault::new("chat.empty_reply", "The model answered nothing.").hint(hint));
        }
        self.config.response_schema.as_ref().map(|schema| structured(schema, reply)).transpose()
    }
}

fn structured(schema: &Value, reply: &ModelReply) -> Result<Value, Fault> {
    let wrong = |why: String| {
        let cut = reply.stop_reason == StopReason::MaxTokens;
        let hint = if cut {
            "The reply was cut short: raise `maxTokens`."
        } else {
            "Describe the shape in the prompt too, or ask another model."
        };
        Fault::new("chat.not_structured", format!("The reply does not follow `responseSchema`: {why}."))
            .hint(hint)
            .details(json!({ "reply": reply.text }))
    };
    let value: Value = serde_json::from_str(unfenced(&reply.text))
        .map_err(|error| wrong(format!("it is not JSON: {error}")))?;
    let violations = violations(schema, &value).map_err(|message| Fault::new("chat.schema", message))?;
    if violations.is_empty() { Ok(value) } else { Err(wrong(violations.join("; "))) }
}

/// Without the code fence that models like to put around JSON.
fn unfenced(text: &str) -> &str {
    let text = text.trim();
    let inner = text.strip_prefix("```").and_then(|rest| rest.strip_suffix("```"));
    inner.map_or(text, |inner| inner.strip_prefix("json").unwrap_or(inner).trim())
}
