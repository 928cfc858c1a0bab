//! The summary of the older turns of a loop's conversation: a side query with instructions of its own, journaled like any
//! model call. What cannot be the summary is refused, and the turns are left out by the bounds alone.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::call::ModelCall;
use super::quota::CallError;
use crate::context::{ContextRecord, ContextType, MAIN, Message, Role};
use crate::error::{ErrorCode, Fault};
use crate::loop_history::{
    LoopConversation, SummarizerAgent, SummaryAttempt, SummaryPlan, TextBlock, escape_content,
    write_text_block,
};
use crate::models::{ECHO, EXACT_PERMILLE, OFFLINE, TokenUsage};
use crate::node::NodeContext;
use crate::prompt::{
    ModelConfig, Overrides, PromptPart, PromptPurpose, PromptRecord, RefusedPrompt, resolve_model_config,
    tokens,
};
use crate::provider::{ModelReply, ModelRequest, StopReason};

/// Maximum tokens of a reply if the agent sets none: a page of text. The bounds of the history may allow less.
const MAX_SUMMARY_TOKENS: u32 = 1_000;

const INSTRUCTIONS: &str = "You condense the older part of a conversation between a user and an assistant, so that it can go \
    on without it. You are given the summary so far, where there is one, and the turns that came after it. Write the summary \
    that replaces both: what the user wants, what was decided and found out, names, numbers and open questions. Leave \
    out pleasantries. Write plain sentences, much shorter than what you are given, and nothing beside the summary.";

/// Writes the summary that is due in the conversation of this activation, if one is. What the call used comes with it.
pub(crate) async fn summarize_history(node_context: &NodeContext) -> Option<(SummaryAttempt, TokenUsage)> {
    let conversation = node_context.conversation.as_deref()?;
    let plan = conversation.summary_plan()?;
    let mut usage = TokenUsage::default();
    let attempt = match write_summary(conversation, &plan, node_context, &mut usage).await {
        Ok(attempt) => attempt,
        Err(fault) => plan.failed(fault),
    };
    Some((attempt, usage))
}

async fn write_summary(
    conversation: &LoopConversation,
    plan: &SummaryPlan,
    node_context: &NodeContext,
    usage: &mut TokenUsage,
) -> Result<SummaryAttempt, Fault> {
    let record = match node_context.context_manager(&MAIN.into()) {
        Ok(main) => ContextRecord::clone(&main.get()),
        Err(_) => ContextRecord::new(MAIN.into(), ContextType::Main, OFFLINE, ECHO),
    };
    let agent = conversation.summarizer.as_deref();
    let mut model = model_config(agent, &record, plan, node_context)?;
    let provider = node_context.host.providers.get(&model.provider)?;
    let context_id = &record.context_id;
    let mut refused: Option<RefusedPrompt> = None;
    let recorded = loop {
        let call = ModelCall { node_context, model: &model, provider: &*provider, context_id };
        if let Some(recorded) = call.recorded(0) {
            break recorded;
        }
        let text = question(plan, &model, node_context).await?;
        let message =
            Message { origins: plan.origins(), ..node_context.message(0, Role::User, text, &model.model) };
        let instructions = agent.and_then(|agent| agent.instructions.as_deref()).unwrap_or(INSTRUCTIONS);
        let record =
            PromptRecord { refused: refused.clone(), ..prompt_record(&model, instructions, &message) };
        let counted = record.counted();
        let request = ModelRequest {
            system: Some(instructions.to_owned()),
            temperature: agent.and_then(|agent| agent.temperature),
            options: Value::Object(agent.map_or_else(Map::new, |agent| agent.options.clone())),
            ..call.request(vec![Arc::new(message)])
        };
        match call.send(0, record, request, &mut |_| ()).await {
            Ok(recorded) => break recorded,
            Err(CallError::Failed(fault)) => match RefusedPrompt::of(&fault, counted) {
                // Not more than once: the question now fits by all that is known.
                Some(refusal) if refused.is_none() => {
                    refusal.apply_to(&mut model);
                    refused = Some(refusal);
                }
                _ => return Err(fault),
            },
            Err(over) => return Err(over.into()),
        }
    };
    if !recorded.is_reused {
        *usage = recorded.reply.usage.unwrap_or_default();
    }
    let text = complete_text(&recorded.reply)?;
    let size = tokens::count_message("", &text.into());
    plan.accept(text, size, recorded.origins)
        .map_err(|rejected| no_summary(format!("The summary of a loop's history was not used: {rejected}.")))
}

/// The model of the agent, else that of the context `main`.
fn model_config(
    agent: Option<&SummarizerAgent>,
    record: &ContextRecord,
    plan: &SummaryPlan,
    node_context: &NodeContext,
) -> Result<ModelConfig, Fault> {
    let provider = agent.and_then(|agent| agent.provider.as_deref());
    let model = agent.and_then(|agent| agent.model.as_deref());
    let allowed = u32::try_from(plan.max_summary_tokens()).unwrap_or(u32::MAX).max(1);
    let max_tokens = agent.and_then(|agent| agent.max_tokens).unwrap_or(MAX_SUMMARY_TOKENS).min(allowed);
    let overrides = Overrides { provider, model, max_tokens: Some(max_tokens), ..Overrides::default() };
    resolve_model_config(record, overrides, node_context.model_settings())
}

/// What the model is asked: the summary so far and the turns, written so that no turn can look like another.
async fn question(
    plan: &SummaryPlan,
    model: &ModelConfig,
    node_context: &NodeContext,
) -> Result<String, Fault> {
    // About four bytes are a token. Half of the window stays free, since counts are estimates for most models.
    let room = model.window.saturating_sub(model.reserve) / 2;
    // Less for a model that counts more tokens than Plait.
    let room = room.saturating_mul(EXACT_PERMILLE) / model.caution.max(EXACT_PERMILLE);
    let max_bytes = usize::try_from(room.saturating_mul(4)).unwrap_or(usize::MAX);
    let max_turn_bytes = (max_bytes / plan.turns.len().max(1)).max(256);
    let turns = plan.turns.iter().map(|turn| {
        let text = turn.content.text();
        let end = text.floor_char_boundary(max_turn_bytes);
        let content = if end < text.len() { format!("{} […]", &text[..end]) } else { text };
        Arc::new(Message { content: content.into(), ..Message::clone(turn) })
    });
    let turns = turns.collect();
    let block = TextBlock { template: None, start: None };
    let turns = write_text_block(&turns, block, &*node_context.host.evaluator).await?;
    Ok(match &plan.previous {
        Some(previous) => {
            let summary = escape_content(&previous.content.text());
            format!("Summary so far:\n{summary}\n\nTurns after it:\n{turns}")
        }
        None => format!("Turns:\n{turns}"),
    })
}

fn prompt_record(model: &ModelConfig, instructions: &str, message: &Message) -> PromptRecord {
    let system = PromptPart::Message {
        role: Role::System,
        text: instructions.to_owned(),
        tokens: tokens::TOKENS_PER_MESSAGE + tokens::count_cached(&model.model, instructions),
        origins: crate::origin::Origins::NONE,
    };
    let turns = PromptPart::Message {
        role: Role::User,
        text: message.content.text(),
        tokens: message.tokens.into(),
        origins: message.origins.clone(),
    };
    PromptRecord {
        purpose: Some(PromptPurpose::HistorySummary),
        ..PromptRecord::new(model, vec![system, turns], 0)
    }
}

/// The text of a complete reply. A truncated summary would be read as if it were complete.
fn complete_text(reply: &ModelReply) -> Result<&str, Fault> {
    let text = reply.text.trim();
    let problem = match (&reply.stop_reason, reply.stop_reason.problem()) {
        (StopReason::MaxTokens, _) => "did not finish: it would have been too long",
        (_, Some(problem)) => problem,
        (_, None) if text.is_empty() => "replied with nothing",
        (_, None) => return Ok(text),
    };
    Err(no_summary(format!("The model for the summary of a loop's history {problem}.")))
}

fn no_summary(message: String) -> Fault {
    Fault::new(ErrorCode::HistoryNoSummary, message)
        .hint("Older turns were left out instead. Set another `summarizer_agent`, or raise `max_tokens`.")
}
