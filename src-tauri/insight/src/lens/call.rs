//! One model call: its prompt, what was left out of it, and its reply.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::messages::{SentMessage, rebuild};
use super::shares::{PromptShare, shares};
use super::{CallPlace, Lens};
use plait_core::attachment::Attachment;
use plait_core::error::Fault;
use plait_core::id::{Epoch, NodeId};
use plait_journal::EventRef;
use plait_journal::view::ModelCallView;
use plait_llm::context::ToolCall;
use plait_llm::models::TokenUsage;
use plait_llm::prompt_record::{
    BlockCut, BlockKind, OmissionReason, PromptPart, PromptPurpose, PromptRecord, RequestSettings,
};
use plait_llm::provider::StopReason;
use plait_llm::tool::SamplingRef;

/// What stands out about a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum PromptBadge {
    /// The turns of a conversational loop are part of the prompt.
    ConversationInjected,
    /// Messages of the history did not fit.
    HistoryTrimmed,
    /// A block was cut at its cap.
    BlockCut,
    /// The call writes a summary of the workflow's memory.
    MemorySummary,
    /// The call writes a summary of a loop's conversation.
    HistorySummary,
    /// The call serves a tool.
    Sampling,
    /// The reply was taken from an earlier run.
    Reused,
    /// The model has not replied: the call failed, was interrupted, or is still going on.
    NoReply,
}

/// Something that a prompt does not have.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum LeftOut {
    /// The oldest messages of the history, which did not fit the window beside the reserve.
    History {
        #[ts(type = "number")]
        count: u64,
        /// Their tokens, if the journal still has them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional, type = "number")]
        tokens: Option<u64>,
        /// The messages, if the journal still has them.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[ts(optional, as = "Option<Vec<SentMessage>>")]
        messages: Vec<SentMessage>,
    },
    /// Turns of a loop's conversation.
    Turns {
        reason: OmissionReason,
        #[ts(type = "number")]
        count: u64,
    },
    /// What the cap of a block left out.
    Block { block: BlockKind, cut: BlockCut },
}

/// What the model replied.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ReplyView {
    pub text: String,
    /// The images and files of the reply.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<Attachment>>")]
    pub attachments: Vec<Attachment>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub reasoning: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<ToolCall>>")]
    pub tool_calls: Vec<ToolCall>,
    pub stop_reason: StopReason,
}

/// One model call of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct LensCall {
    pub node: NodeId,
    pub epoch: Epoch,
    /// Which of the activation's calls, from 0.
    #[ts(type = "number")]
    pub call: usize,
    /// Where its prompt is in the journal.
    #[ts(type = "number")]
    pub seq: u64,
    /// What it is for, if not for the reply of the node.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub purpose: Option<PromptPurpose>,
    /// The request of a tool that it serves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub sampling: Option<SamplingRef>,
    pub provider: String,
    pub model: String,
    pub badges: Vec<PromptBadge>,
    /// The messages as sent, in order.
    pub messages: Vec<SentMessage>,
    /// The names of the tools offered.
    pub tools: Vec<String>,
    #[serde(default, skip_serializing_if = "RequestSettings::is_default")]
    #[ts(optional, as = "Option<RequestSettings>")]
    pub settings: RequestSettings,
    /// How the prompt divides the window.
    pub shares: Vec<PromptShare>,
    /// The estimated tokens of the whole prompt.
    #[ts(type = "number")]
    pub tokens: u64,
    #[ts(type = "number")]
    pub window: u64,
    #[ts(type = "number")]
    pub reserve: u64,
    /// What was left out, and why.
    pub left_out: Vec<LeftOut>,
    /// What its activation did less well than asked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<Fault>>")]
    pub notices: Vec<Fault>,
    /// In milliseconds since the Unix epoch.
    #[ts(type = "number")]
    pub started_at: u64,
    /// In milliseconds since the Unix epoch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "number")]
    pub ended_at: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub reply: Option<ReplyView>,
    /// The usage of the call. It costs nothing if it is reused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub usage: Option<TokenUsage>,
    /// Whether the usage is Plait's own count.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<bool>")]
    pub estimated: bool,
    /// In billionths of a US dollar; absent if the price is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "number")]
    pub cost_nano_usd: Option<u64>,
    /// The event of an earlier run that the reply is taken from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub reused: Option<EventRef>,
}

impl Lens {
    pub(super) fn call_at(&self, place: &CallPlace) -> Option<LensCall> {
        let (epoch, call) = self.model_call(place)?;
        let prompt = call.prompt.as_ref()?;
        let messages: Vec<SentMessage> =
            rebuild(prompt, (&place.activation, place.index), epoch, &self.histories)
                .into_iter()
                .map(|message| message.shown)
                .collect();
        let account = call.account.as_ref();
        Some(LensCall {
            node: place.activation.node.clone(),
            epoch: place.activation.epoch.clone(),
            call: place.index,
            seq: place.seq,
            purpose: prompt.purpose,
            sampling: call.sampling.clone(),
            provider: prompt.provider.clone(),
            model: prompt.model.clone(),
            badges: badges(prompt, call),
            shares: shares(prompt, &messages),
            messages,
            tools: prompt.tools.clone(),
            settings: prompt.settings.clone(),
            tokens: prompt.tokens,
            window: prompt.window,
            reserve: prompt.reserve,
            left_out: self.left_out(prompt, place),
            notices: epoch.notices.clone(),
            started_at: call.started_at,
            ended_at: call.ended_at,
            reply: call.reply.as_ref().map(|reply| ReplyView {
                text: reply.text.clone(),
                attachments: reply.attachments.clone(),
                reasoning: reply.reasoning.clone(),
                tool_calls: reply.tool_calls.clone(),
                stop_reason: reply.stop_reason.clone(),
            }),
            usage: call.reply.as_ref().and_then(|reply| reply.usage),
            estimated: account.is_some_and(|account| account.estimated),
            cost_nano_usd: account.and_then(|account| account.cost_nano_usd),
            reused: call.reused.clone(),
        })
    }

    fn left_out(&self, prompt: &PromptRecord, place: &CallPlace) -> Vec<LeftOut> {
        let mut left_out = Vec::new();
        if let Some(omitted) = &prompt.omitted {
            let range = (&omitted.first, &omitted.last);
            let messages = self.histories.range(range, omitted.count, &place.activation.epoch);
            let tokens = messages
                .as_ref()
                .map(|messages| messages.iter().map(|message| u64::from(message.tokens)).sum());
            let messages = messages.iter().flatten().map(SentMessage::of_history).collect();
            left_out.push(LeftOut::History { count: omitted.count, tokens, messages });
        }
        let conversation = prompt.conversation.iter().flat_map(|conversation| &conversation.left_out);
        // The turn that is the message itself is sent.
        let conversation = conversation.filter(|turns| turns.reason != OmissionReason::OwnMessage);
        left_out
            .extend(conversation.map(|turns| LeftOut::Turns { reason: turns.reason, count: turns.count }));
        left_out.extend(prompt.parts.iter().filter_map(|part| match part {
            PromptPart::Block { block, cut: Some(cut), .. } => {
                Some(LeftOut::Block { block: *block, cut: cut.clone() })
            }
            _ => None,
        }));
        left_out
    }
}

fn badges(prompt: &PromptRecord, call: &ModelCallView) -> Vec<PromptBadge> {
    let is_cut = |part: &PromptPart| matches!(part, PromptPart::Block { cut: Some(_), .. });
    let all = [
        (PromptBadge::ConversationInjected, has_loop_turns(prompt)),
        (PromptBadge::HistoryTrimmed, prompt.omitted.is_some()),
        (PromptBadge::BlockCut, prompt.parts.iter().any(is_cut)),
        (PromptBadge::MemorySummary, prompt.purpose == Some(PromptPurpose::MemorySummary)),
        (PromptBadge::HistorySummary, prompt.purpose == Some(PromptPurpose::HistorySummary)),
        (PromptBadge::Sampling, prompt.purpose == Some(PromptPurpose::Sampling)),
        (PromptBadge::Reused, call.reused.is_some()),
        (PromptBadge::NoReply, call.reply.is_none()),
    ];
    all.into_iter().filter(|(_, applies)| *applies).map(|(badge, _)| badge).collect()
}

/// Whether the prompt has turns of a conversational loop.
fn has_loop_turns(prompt: &PromptRecord) -> bool {
    prompt.conversation.as_ref().is_some_and(|conversation| conversation.sent > 0)
}
