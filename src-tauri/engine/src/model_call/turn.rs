//! A turn: the model is asked, calls tools as long as it likes (within bounds), and answers; an answer that won't do is
//! objected to. What it leaves in the conversation is [`super::writing`]'s.

mod ask;
mod commit;

use std::collections::HashSet;
use std::sync::Arc;

use super::{FIRST_STEP, Manner, Question, tool_calls};
use crate::context::{ContextManager, ContextRecord, Message, Role, SharedMessage, ToolCall};
use crate::error::{ErrorCode, Fault};
use crate::models::CalibrationSample;
use crate::models::TokenUsage;
use crate::node::{NodeContext, NodeOutput};
use crate::prompt::{ModelConfig, tokens};
use crate::provider::{ModelReply, Provider, StopReason};
use crate::tool::ToolSpec;

/// A turn under way.
pub(crate) struct Turn<'a> {
    pub(super) manner: Manner<'a>,
    pub(super) cx: &'a NodeContext,
    pub(super) context: &'a ContextRecord,
    /// Its correction grows with what the calls of this turn teach.
    pub(super) model: ModelConfig,
    pub(super) question: &'a Question,
    pub(super) tools: &'a [ToolSpec],
    pub(super) provider: &'a dyn Provider,
    /// For each call so far whose reply was not the answer: the model's message and what it was told.
    pub(super) steps: Vec<Vec<SharedMessage>>,
    /// What the call under way has streamed.
    pub(super) partial: String,
    /// What the turn has used up so far.
    pub(super) spent: Spent,
    /// The conversation that question and answer are to enter, if they are.
    pub(super) conversation: Option<&'a ContextManager>,
    /// How many messages the steps have made.
    messages: usize,
    /// The ids of its tool calls.
    ids: HashSet<String>,
}

/// What a turn has used up.
#[derive(Default)]
pub(crate) struct Spent {
    /// What all its calls used.
    pub(crate) usage: TokenUsage,
    /// What they teach of counts.
    pub(crate) learned: Option<CalibrationSample>,
    pub(crate) model_calls: u32,
    pub(crate) tool_calls: usize,
}

impl Spent {
    /// Says so in what a node gives back.
    pub(crate) fn told(&self, mut output: NodeOutput, model: &ModelConfig) -> NodeOutput {
        output.token_usage = Some(self.usage);
        output.extra.insert("modelCalls".to_owned(), self.model_calls.into());
        output.extra.insert("toolCalls".to_owned(), self.tool_calls.into());
        output.extra.insert("provider".to_owned(), model.provider.clone().into());
        output.extra.insert("model".to_owned(), model.model.clone().into());
        output
    }
}

impl<'a> Turn<'a> {
    pub(crate) fn new(
        manner: Manner<'a>,
        cx: &'a NodeContext,
        context: &'a ContextRecord,
        model: &ModelConfig,
        question: &'a Question,
        tools: &'a [ToolSpec],
        provider: &'a dyn Provider,
    ) -> Self {
        Self {
            manner,
            cx,
            context,
            model: model.clone(),
            question,
            tools,
            provider,
            steps: Vec::new(),
            partial: String::new(),
            spent: Spent::default(),
            conversation: None,
            messages: 0,
            ids: HashSet::new(),
        }
    }

    /// What it has used up.
    pub(crate) fn spent(&self) -> &Spent {
        &self.spent
    }

    /// Goes on until the model says something without calling tools.
    pub(crate) async fn answer(&mut self) -> Result<ModelReply, Fault> {
        let most = self.manner.max_tool_rounds;
        for round in 0..=most {
            let step = self.spent.model_calls;
            let reply = self.ask(step).await?;
            if reply.tool_calls.is_empty() {
                return Ok(reply);
            }
            if round < most {
                let calls = tool_calls::with_ids(&reply.tool_calls, step, &mut self.ids);
                self.spent.tool_calls = self.ids.len();
                self.round(step, reply, calls).await?;
            }
        }
        let (told, hint) = if self.tools.is_empty() {
            ("The model calls tools, and there are none.".to_owned(), "Ask again, or ask another model.")
        } else {
            let told = format!("The model still calls tools after {most} rounds of it.");
            (told, "Raise `maxToolRounds`, or tell the model in its instructions when to answer.")
        };
        Err(Fault::new(ErrorCode::ChatTooManyToolRounds, told).hint(hint))
    }

    /// Tells the model why its reply won't do; the next answer is to be better.
    pub(crate) fn object(&mut self, reply: ModelReply, why: String) {
        let said = self.next_message(Role::Assistant, reply.text);
        let told = self.next_message(Role::User, why);
        self.steps.push(vec![Arc::new(said), Arc::new(told)]);
    }

    /// One round: the model's message, then each result.
    async fn round(&mut self, step: u32, reply: ModelReply, calls: Vec<ToolCall>) -> Result<(), Fault> {
        let message = self.next_message(Role::Assistant, reply.text);
        let mut tokens = message.tokens.saturating_add(tokens::calls(&self.model.model, &calls));
        // What a provider wants back with a message is its reasoning, and only then is that sent.
        if let (Some(reasoning), Some(_)) = (&reply.reasoning, &reply.provider_state) {
            tokens = tokens.saturating_add(tokens::text(&self.model.model, reasoning));
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

    /// A message of a step, numbered on.
    pub(super) fn next_message(&mut self, role: Role, text: String) -> Message {
        let index = FIRST_STEP + self.messages;
        self.messages += 1;
        self.cx.message(index, role, text, &self.model.model)
    }
}

/// Whether a reply is an answer at all.
pub(crate) fn is_answer(reply: &ModelReply) -> Result<(), Fault> {
    if reply.stop_reason == StopReason::ContentFilter {
        return Err(Fault::new(ErrorCode::ChatContentFiltered, "The provider withheld the reply.")
            .hint("Rephrase the message or the instructions."));
    }
    if reply.text.trim().is_empty() {
        let cut = reply.stop_reason == StopReason::MaxTokens;
        let hint = if cut {
            "Raise `maxTokens`: all of it went into reasoning."
        } else {
            "Ask again, or ask another model."
        };
        return Err(Fault::new(ErrorCode::ChatEmptyReply, "The model answered nothing.").hint(hint));
    }
    Ok(())
}
