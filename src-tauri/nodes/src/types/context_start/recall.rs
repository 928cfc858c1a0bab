//! What a run recalls from its conversation: the newest messages within the limits, and optionally a summary of the older
//! ones.
//!
//! Reads only messages from before the run began, so the result does not depend on when it runs. Writes nothing: the
//! context's manager does.

use super::summary::{SUMMARY_TOKENS, Summarizer};
use super::{Memory, Strategy};
use plait_core::error::Fault;
use plait_core::origin::Origins;
use plait_llm::context::conversation::{
    RecallLimits, Recalled, Summary, SummaryRef, find_recall_start, summary_message,
};
use plait_llm::context::{ContextRecord, Conversation, SharedMessage};
use plait_llm::models::TokenUsage;
use plait_llm::tokens;
use plait_run::node::NodeContext;

/// What the context `record` recalls from `conversation`, and the tokens used for a summary.
pub(super) async fn recall(
    memory: &Memory,
    conversation: &Conversation,
    record: &ContextRecord,
    node_context: &NodeContext,
) -> Result<(Recalled, Option<TokenUsage>), Fault> {
    let limits = RecallLimits { messages: memory.max_messages.into(), tokens: memory.max_tokens.into() };
    match memory.strategy {
        Strategy::Window => {
            let first = find_start(conversation, 0, limits)?;
            Ok((build_recalled(conversation, first, None, node_context)?, None))
        }
        Strategy::Summarize => {
            let known = &conversation.at.summary;
            let previous = known.as_ref().map(|known| conversation.past.summary(known)).transpose()?;
            let covered = known.as_ref().map_or(0, |known| known.places.min(conversation.at.messages));
            // The summary counts against the limit as well.
            let room = RecallLimits { tokens: limits.tokens.saturating_sub(SUMMARY_TOKENS.into()), ..limits };
            if find_start(conversation, covered, room)? == covered {
                let summary = known.clone().zip(previous);
                return Ok((build_recalled(conversation, covered, summary, node_context)?, None));
            }
            let recent = RecallLimits { messages: limits.messages.min(memory.keep_recent.into()), ..room };
            let first = find_start(conversation, covered, recent)?;
            let older = (covered..first).map(|position| conversation.past.message(position));
            let older = older.collect::<Result<Vec<_>, Fault>>()?;
            let mut usage = TokenUsage::default();
            let summary = write_summary(memory, previous.as_ref(), &older, record, node_context, &mut usage);
            match summary.await {
                Ok(summary) => {
                    let written = SummaryRef { places: first, run: node_context.run.info.run.clone() };
                    let summary = Some((written, summary));
                    Ok((build_recalled(conversation, first, summary, node_context)?, Some(usage)))
                }
                // The conversation goes on with the summary so far, and the newest messages that fit beside it.
                Err(error) => {
                    node_context.notice(error.clone());
                    let first = find_start(conversation, covered, room)?;
                    let recalled =
                        build_recalled(conversation, first, known.clone().zip(previous), node_context)?;
                    Ok((Recalled { error: Some(error), ..recalled }, Some(usage)))
                }
            }
        }
    }
}

/// The summary of `previous` and the messages after it.
async fn write_summary(
    memory: &Memory,
    previous: Option<&Summary>,
    older: &[SharedMessage],
    record: &ContextRecord,
    node_context: &NodeContext,
    usage: &mut TokenUsage,
) -> Result<Summary, Fault> {
    let mut origins = Origins::union(older.iter().map(|message| &message.origins));
    origins.add(previous.map_or(&Origins::NONE, |summary| &summary.origins));
    let summarizer = Summarizer::new(memory, record, node_context)?;
    let previous = previous.map(|summary| summary.text.clone());
    let text = summarizer.summarize(previous, older, usage).await?;
    let tokens = tokens::count_message(&record.model, &text.as_str().into());
    Ok(Summary { text, tokens, origins })
}

/// The first position, at or after `covered`, from which all messages fit the limits.
fn find_start(conversation: &Conversation, covered: u64, limits: RecallLimits) -> Result<u64, Fault> {
    let positions = (covered..conversation.at.messages).rev();
    let newest_first = positions.map(|position| conversation.past.message(position));
    Ok(covered + find_recall_start(newest_first, conversation.at.messages - covered, limits)?)
}

fn build_recalled(
    conversation: &Conversation,
    first: u64,
    summary: Option<(SummaryRef, Summary)>,
    node_context: &NodeContext,
) -> Result<Recalled, Fault> {
    let (summary, text) = summary.unzip();
    let text = text.map(|text| Ok(summary_message(text, node_context.activation.clone())));
    let messages = (first..conversation.at.messages).map(|position| conversation.past.message(position));
    Ok(Recalled {
        conversation: conversation.at.id.clone(),
        first,
        count: conversation.at.messages - first,
        summary,
        error: None,
        messages: text.into_iter().chain(messages).collect::<Result<_, Fault>>()?,
    })
}
