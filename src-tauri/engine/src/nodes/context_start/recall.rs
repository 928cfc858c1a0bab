//! What a run remembers of its conversation: the newest messages within the bounds, and, where wanted, a summary in
//! place of the older ones.
//!
//! Looks only at what was said before the run began, so that it comes to the same whenever it is done. Refuses to write
//! anything: the context's manager does.

use super::summary::{SUMMARY_TOKENS, Summarizer};
use super::{Memory, Strategy};
use crate::context::conversation::{Bounds, Recalled, Summary, SummaryRef, start_of, summary_message};
use crate::context::{ContextRecord, Conversation};
use crate::error::Fault;
use crate::models::TokenUsage;
use crate::node::NodeContext;
use crate::prompt::tokens;

/// What is remembered of `conversation` in the context `record`, and what summing up took.
pub(super) async fn recall(
    memory: &Memory,
    conversation: &Conversation,
    record: &ContextRecord,
    cx: &NodeContext,
) -> Result<(Recalled, Option<TokenUsage>), Fault> {
    let bounds = Bounds { messages: memory.max_messages.into(), tokens: memory.max_tokens.into() };
    match memory.strategy {
        Strategy::Window => {
            let first = start(conversation, 0, bounds)?;
            Ok((recalled(conversation, first, None, cx)?, None))
        }
        Strategy::Summarize => {
            let known = &conversation.at.summary;
            let told = known.as_ref().map(|known| conversation.past.summary(known)).transpose()?;
            let covered = known.as_ref().map_or(0, |known| known.places.min(conversation.at.messages));
            // The summary stands within the bound as well.
            let room = Bounds { tokens: bounds.tokens.saturating_sub(SUMMARY_TOKENS.into()), ..bounds };
            if start(conversation, covered, room)? == covered {
                let summary = known.clone().zip(told);
                return Ok((recalled(conversation, covered, summary, cx)?, None));
            }
            let recent = Bounds { messages: bounds.messages.min(memory.keep_recent.into()), ..room };
            let first = start(conversation, covered, recent)?;
            let older = (covered..first).map(|place| conversation.past.message(place));
            let older = older.collect::<Result<Vec<_>, Fault>>()?;
            let summarizer = Summarizer::new(memory, record, cx)?;
            let (text, usage) = summarizer.sum_up(told.map(|told| told.text), &older).await?;
            let summary = Summary { tokens: tokens::message(&record.model, &text.as_str().into()), text };
            let written = SummaryRef { places: first, run: cx.run.run.clone() };
            Ok((recalled(conversation, first, Some((written, summary)), cx)?, Some(usage)))
        }
    }
}

/// From which place on the messages from `covered` on are within the bounds.
fn start(conversation: &Conversation, covered: u64, bounds: Bounds) -> Result<u64, Fault> {
    let places = (covered..conversation.at.messages).rev();
    let newest_first = places.map(|place| conversation.past.message(place));
    Ok(covered + start_of(newest_first, conversation.at.messages - covered, bounds)?)
}

fn recalled(
    conversation: &Conversation,
    first: u64,
    summary: Option<(SummaryRef, Summary)>,
    cx: &NodeContext,
) -> Result<Recalled, Fault> {
    let (summary, text) = summary.unzip();
    let text = text.map(|text| Ok(summary_message(text, cx.activation.clone())));
    let messages = (first..conversation.at.messages).map(|place| conversation.past.message(place));
    Ok(Recalled {
        conversation: conversation.at.id.clone(),
        first,
        count: conversation.at.messages - first,
        summary,
        messages: text.into_iter().chain(messages).collect::<Result<_, Fault>>()?,
    })
}
