//! What a run recalls from its conversation: the newest messages within the limits, and optionally a summary of the older
//! ones.
//!
//! Reads only messages from before the run began, so the result does not depend on when it runs. Writes nothing: the
//! context's manager does.

use super::summary::{SUMMARY_TOKENS, Summarizer};
use super::{Memory, Strategy};
use crate::context::conversation::{Bounds, Recalled, Summary, SummaryRef, start_of, summary_message};
use crate::context::{ContextRecord, Conversation};
use crate::error::Fault;
use crate::models::TokenUsage;
use crate::node::NodeContext;
use crate::prompt::tokens;

/// What the context `record` recalls from `conversation`, and the tokens used for a summary.
pub(super) async fn recall(
    memory: &Memory,
    conversation: &Conversation,
    record: &ContextRecord,
    node_context: &NodeContext,
) -> Result<(Recalled, Option<TokenUsage>), Fault> {
    let bounds = Bounds { messages: memory.max_messages.into(), tokens: memory.max_tokens.into() };
    match memory.strategy {
        Strategy::Window => {
            let first = start(conversation, 0, bounds)?;
            Ok((recalled(conversation, first, None, node_context)?, None))
        }
        Strategy::Summarize => {
            let known = &conversation.at.summary;
            let previous = known.as_ref().map(|known| conversation.past.summary(known)).transpose()?;
            let covered = known.as_ref().map_or(0, |known| known.places.min(conversation.at.messages));
            // The summary counts against the limit as well.
            let room = Bounds { tokens: bounds.tokens.saturating_sub(SUMMARY_TOKENS.into()), ..bounds };
            if start(conversation, covered, room)? == covered {
                let summary = known.clone().zip(previous);
                return Ok((recalled(conversation, covered, summary, node_context)?, None));
            }
            let recent = Bounds { messages: bounds.messages.min(memory.keep_recent.into()), ..room };
            let first = start(conversation, covered, recent)?;
            let older = (covered..first).map(|place| conversation.past.message(place));
            let older = older.collect::<Result<Vec<_>, Fault>>()?;
            let summarizer = Summarizer::new(memory, record, node_context)?;
            let (text, usage) = summarizer.summarize(previous.map(|summary| summary.text), &older).await?;
            let summary = Summary { tokens: tokens::message(&record.model, &text.as_str().into()), text };
            let written = SummaryRef { places: first, run: node_context.run.run.clone() };
            Ok((recalled(conversation, first, Some((written, summary)), node_context)?, Some(usage)))
        }
    }
}

/// The first place, at or after `covered`, from which all messages fit the bounds.
fn start(conversation: &Conversation, covered: u64, bounds: Bounds) -> Result<u64, Fault> {
    let places = (covered..conversation.at.messages).rev();
    let newest_first = places.map(|place| conversation.past.message(place));
    Ok(covered + start_of(newest_first, conversation.at.messages - covered, bounds)?)
}

fn recalled(
    conversation: &Conversation,
    first: u64,
    summary: Option<(SummaryRef, Summary)>,
    node_context: &NodeContext,
) -> Result<Recalled, Fault> {
    let (summary, text) = summary.unzip();
    let text = text.map(|text| Ok(summary_message(text, node_context.activation.clone())));
    let messages = (first..conversation.at.messages).map(|place| conversation.past.message(place));
    Ok(Recalled {
        conversation: conversation.at.id.clone(),
        first,
        count: conversation.at.messages - first,
        summary,
        messages: text.into_iter().chain(messages).collect::<Result<_, Fault>>()?,
    })
}
