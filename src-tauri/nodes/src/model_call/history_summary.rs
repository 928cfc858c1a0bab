//! The summary of the older turns of a loop's conversation: a side query with instructions of its own, journaled like any
//! model call. What cannot be the summary is refused, and the turns are left out by the bounds alone.

use serde_json::Map;

use super::summary::{SummaryCall, complete_summary, max_turn_bytes};
use crate::codes;
use plait_core::error::Fault;
use plait_core::flow::SummarizerAgent;
use plait_core::offline::{ECHO, OFFLINE};
use plait_llm::context::{
    CallOverrides, ContextRecord, ContextType, MAIN, Message, Role, SharedMessage, resolve_model_config,
};
use plait_llm::loop_history::{LoopConversation, SummaryAttempt, SummaryPlan};
use plait_llm::models::{ModelConfig, TokenUsage};
use plait_llm::prompt_record::PromptPurpose;
use plait_llm::tokens;
use plait_llm::transcript::SummaryRequest;
use plait_run::node::NodeContext;

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
        Err(fault) => {
            node_context.notice(fault.clone());
            plan.failed(fault)
        }
    };
    Some((attempt, usage))
}

async fn write_summary(
    conversation: &LoopConversation,
    plan: &SummaryPlan,
    node_context: &NodeContext,
    usage: &mut TokenUsage,
) -> Result<SummaryAttempt, Fault> {
    let agent = conversation.summarizer.as_deref();
    let has_own_model = agent.is_some_and(|agent| agent.provider.is_some() && agent.model.is_some());
    let record = match node_context.context_manager(&MAIN.into()) {
        Ok(main) => ContextRecord::clone(&main.get()),
        // Its provider and model are not used.
        Err(_) if has_own_model => ContextRecord::new(MAIN.into(), ContextType::Main, OFFLINE, ECHO),
        Err(_) => {
            let message = "No model writes the summary of a loop's history: the flow has no context `main`.";
            return Err(no_summary(message.to_owned()));
        }
    };
    let model = model_config(agent, &record, plan, node_context)?;
    let provider = node_context.host.providers.get(&model.provider)?;
    let mut call = SummaryCall {
        node_context,
        provider: &*provider,
        model,
        context_id: &record.context_id,
        step: 0,
        purpose: PromptPurpose::HistorySummary,
        instructions: agent.and_then(|agent| agent.instructions.as_deref()).unwrap_or(INSTRUCTIONS),
        temperature: agent.and_then(|agent| agent.temperature),
        options: agent.map_or_else(Map::new, |agent| agent.options.clone()),
        refused: None,
    };
    let recorded = loop {
        if let Some(recorded) = call.recorded() {
            break recorded;
        }
        let (request, model) = (request(plan, &call.model), call.model.model.clone());
        let message = |text| {
            let message = node_context.message(0, Role::User, text, &model);
            Message { origins: plan.origins(), ..message }
        };
        if let Some(recorded) = call.send(request, message).await? {
            break recorded;
        }
    };
    *usage = recorded.paid();
    let text = complete_summary(recorded.reply())
        .map_err(|problem| no_summary(format!("The model for the summary of a loop's history {problem}.")))?;
    let size = tokens::count_message("", &text.into());
    plan.accept(text, size, recorded.origins().clone())
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
    let overrides =
        CallOverrides { provider, model, max_tokens: Some(max_tokens), ..CallOverrides::default() };
    resolve_model_config(record, overrides, node_context.model_settings())
}

/// What the model is asked: the summary so far and the turns, cut so that they fit its window.
fn request(plan: &SummaryPlan, model: &ModelConfig) -> SummaryRequest {
    let text = |message: &SharedMessage| message.content.labeled_text();
    let (previous, texts) = (plan.previous.as_ref().map(text), plan.turns.iter().map(text));
    let texts: Vec<String> = texts.collect();
    let labels = plan.turns.iter().map(|turn| turn.role.speaker());
    let turns = labels.zip(texts.iter().map(String::as_str));
    SummaryRequest::new(previous.as_deref(), turns, max_turn_bytes(model, plan.turns.len()))
}

fn no_summary(message: String) -> Fault {
    Fault::new(codes::HISTORY_NO_SUMMARY, message)
        .hint("Older turns were left out instead. Set another `summarizer_agent`, or raise `max_tokens`.")
}
