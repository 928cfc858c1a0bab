//! Events of what an activation calls outside of its run: models, knowledge bases, the user's long-term memory, tools.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

use crate::CallAccount;
use crate::event_payload::EventRef;
use plait_core::error::{ErrorCode, Fault};
use plait_core::id::{ContextId, ReplyKey};
use plait_core::origin::Origins;
use plait_core::quota::Amount;
use plait_llm::context::ToolCall;
use plait_llm::grant::GrantPattern;
use plait_llm::long_term_memory::{MemoryRecord, Recall};
use plait_llm::prompt_record::PromptRecord;
use plait_llm::provider::ModelReply;
use plait_llm::quota::QuotaState;
use plait_llm::retriever::{KnowledgeRef, Retrieval};
use plait_llm::tool::{SamplingRef, ToolProgress};

/// What happens while an activation calls models and tools.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "type", rename_all_fields = "camelCase")]
pub enum CallEvent {
    /// A prompt is about to be sent to a model.
    #[serde(rename = "prompt.rendered")]
    PromptRendered {
        /// Number of the model call within the activation, from 0.
        step: u32,
        /// The messages, by reference, and the tokens they take.
        #[ts(as = "PromptRecord")]
        prompt: Arc<PromptRecord>,
        /// The request of a tool that it serves, if it serves one. The step is that of the tool call then.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        sampling: Option<SamplingRef>,
    },
    /// What a model call may cost at most is reserved in the quotas that hold it. Flushed before the call is sent. Without quotas
    /// there is no such event.
    #[serde(rename = "quota.reserved")]
    QuotaReserved {
        /// Number of the model call within the activation, from 0.
        step: u32,
        /// The attempt of the activation, from 1.
        attempt: u32,
        /// What is reserved.
        amount: Amount,
        /// The quotas with the reservation, from the outermost to the innermost.
        quotas: Vec<QuotaState>,
        /// The request of a tool that it serves, if it serves one. The step is that of the tool call then.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        sampling: Option<SamplingRef>,
    },
    /// What a model call did use takes the place of its reservation.
    #[serde(rename = "quota.reconciled")]
    QuotaReconciled {
        /// Number of the model call within the activation, from 0.
        step: u32,
        /// The attempt of the activation, from 1.
        attempt: u32,
        /// What was used.
        amount: Amount,
        /// There is no report: the call stays charged with what was reserved.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        #[ts(optional, as = "Option<bool>")]
        estimated: bool,
        /// The quotas afterward, from the outermost to the innermost.
        quotas: Vec<QuotaState>,
        /// The request of a tool that it serves, if it serves one. The step is that of the tool call then.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        sampling: Option<SamplingRef>,
    },
    /// A model replied. Flushed before anything follows, so that the call is never paid for twice.
    #[serde(rename = "model.replied")]
    ModelReplied {
        /// Number of the model call within the activation, from 0.
        step: u32,
        /// The whole reply.
        reply: Box<ModelReply>,
        /// Usage and cost of the call. Absent in journals of early versions.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional, as = "Option<CallAccount>")]
        account: Option<Arc<CallAccount>>,
        /// What identifies the request: an equal request of a forked run takes this reply.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        key: Option<ReplyKey>,
        /// The request of a tool that it serves, if it serves one. The step is that of the tool call then.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        sampling: Option<SamplingRef>,
        /// Where the reply comes from: its prompt and the model.
        #[serde(default, skip_serializing_if = "Origins::is_empty")]
        #[ts(optional, as = "Option<Origins>")]
        origins: Origins,
        /// The event of an earlier run that the reply is taken from. It costs nothing here.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        reused: Option<EventRef>,
        /// The event of the run that bought the reply, if the one that it is taken from did not buy it either.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        bought: Option<EventRef>,
    },
    /// A model call failed after the provider may have begun to bill it, and nobody reports what it costs.
    #[serde(rename = "model.failed")]
    ModelFailed {
        /// Number of the model call within the activation, from 0.
        step: u32,
        /// The context that it was made for.
        context_id: ContextId,
        /// The model, as `provider/model`.
        model: String,
        /// Why it failed.
        code: ErrorCode,
        /// The request of a tool that it serves, if it serves one. The step is that of the tool call then.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        sampling: Option<SamplingRef>,
    },
    /// Knowledge bases were searched. Flushed before anything follows, so that a resumed run sees the same.
    #[serde(rename = "knowledge.retrieved")]
    KnowledgeRetrieved {
        /// What was found.
        #[ts(as = "Retrieval")]
        retrieval: Arc<Retrieval>,
        /// What was searched. Empty in journals of early versions.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[ts(optional, as = "Option<Vec<KnowledgeRef>>")]
        bases: Vec<KnowledgeRef>,
        /// The event of an earlier run that it is taken from.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        reused: Option<EventRef>,
    },
    /// The user's long-term memory was searched. Flushed before anything follows, so that a resumed run sees the same.
    #[serde(rename = "memory.recalled")]
    MemoryRecalled {
        /// What was found.
        #[ts(as = "Recall")]
        recall: Arc<Recall>,
        /// The event of an earlier run that it is taken from.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        reused: Option<EventRef>,
    },
    /// Something is about to be stored in the user's long-term memory. Flushed before it is stored.
    #[serde(rename = "memory.remembered")]
    MemoryRemembered {
        /// What is stored.
        #[ts(as = "Vec<MemoryRecord>")]
        memories: Arc<Vec<MemoryRecord>>,
        /// The event of an earlier run that stored the same.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        reused: Option<EventRef>,
    },
    /// A tool is about to be called.
    #[serde(rename = "tool.called")]
    ToolCalled {
        /// Number of the model call that requested it, from 0.
        step: u32,
        /// The tool and its arguments.
        call: ToolCall,
        /// Hash of what the tool's host knows besides the arguments, such as the request of an HTTP tool, if it knows anything.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        binding: Option<String>,
        /// The places that others write to which the arguments come from, if the tool sends them somewhere or changes something.
        #[serde(default, skip_serializing_if = "Origins::is_empty")]
        #[ts(optional, as = "Option<Origins>")]
        untrusted: Origins,
        /// The rules that allow it.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[ts(optional, as = "Option<Vec<GrantPattern>>")]
        granted: Vec<GrantPattern>,
    },
    /// A tool has come further. For watchers only: never journaled.
    #[serde(rename = "tool.progressed")]
    ToolProgressed {
        /// Number of the model call that requested it, from 0.
        step: u32,
        /// The id of the tool call.
        call_id: String,
        progress: ToolProgress,
    },
    /// A tool returned. Flushed before anything follows.
    #[serde(rename = "tool.finished")]
    ToolFinished {
        /// Number of the model call that requested it, from 0.
        step: u32,
        /// The id of the tool call.
        call_id: String,
        /// The result, unless it failed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional, type = "unknown")]
        result: Option<Value>,
        /// The error, which is also reported to the model.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        error: Option<Box<Fault>>,
        /// Where the result or the error comes from, besides the arguments.
        #[serde(default, skip_serializing_if = "Origins::is_empty")]
        #[ts(optional, as = "Option<Origins>")]
        origins: Origins,
        /// The event of an earlier run that the result is taken from. The tool was not called again.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        reused: Option<EventRef>,
    },
}
