//! What a run is asked to do.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use plait_adapters::Redaction;
use plait_core::flow::Flow;
use plait_core::id::{ConversationId, NodeId, PortName, RunId};
use plait_core::origin::Origins;
use plait_core::user::UserName;
use plait_journal::world_policy::WorldPolicy;
use plait_journal::{Breakpoint, EventRef, FreshFrom, InputOverrides, RecordingRef, ReplySource};
use plait_llm::grant::{GrantRule, Grants};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

use crate::ErrorReply;
use crate::flows::{RunnableFlow, secrets};

/// A run to start. Child runs are started from the same request.
#[derive(Debug, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct RunRequest {
    /// The flow, saved or not.
    pub flow: Flow,
    /// Its file, if it has one. Tools may read files of the folder it is in, and no others.
    #[serde(default)]
    #[ts(optional)]
    pub path: Option<String>,
    /// Who the run belongs to; the current user when left out. `user.unknown`.
    #[serde(default)]
    #[ts(optional)]
    pub user: Option<UserName>,
    /// The text input of the run.
    #[serde(default)]
    #[ts(optional)]
    pub input: Option<String>,
    /// Values for input ports, by node and port.
    #[serde(default)]
    #[ts(as = "Option<BTreeMap<NodeId, BTreeMap<PortName, Value>>>", optional)]
    pub overrides: InputOverrides,
    /// The node to run to, if not the whole flow.
    #[serde(default)]
    #[ts(optional)]
    pub to: Option<NodeId>,
    /// The trigger to begin at, if not the default one. `run.unknown_trigger`.
    #[serde(default)]
    #[ts(optional)]
    pub trigger: Option<NodeId>,
    /// Whether pinned nodes are executed, also in the flows that this one runs.
    #[serde(default)]
    #[ts(optional, as = "Option<bool>")]
    pub ignore_pins: bool,
    /// The conversation to continue. `conversation.unknown` when it does not exist, `conversation.no_context` when the flow
    /// has no context `main`, `conversation.other_user` when it belongs to another user.
    #[serde(default)]
    #[ts(optional)]
    pub conversation: Option<ConversationId>,
    /// What was said before, of a conversation that is kept elsewhere: the run begins a new conversation with it and continues that.
    /// `conversation.has_history` beside `conversation`, `conversation.no_context` as above.
    #[serde(default)]
    #[ts(optional)]
    pub said_before: Option<Vec<SaidMessage>>,
    /// What the person decided for this run only. These rules replace those about the same targets that are kept for the flow's
    /// file. `grant.needed` when the flow needs more than is decided.
    #[serde(default)]
    #[ts(optional, as = "Option<Vec<GrantRule>>")]
    pub grants: Vec<GrantRule>,
    /// Where it looks for replies that were bought before. A run buys its replies unless a person chose otherwise.
    #[serde(default)]
    #[ts(optional, as = "Option<ReplySource>")]
    pub replies: ReplySource,
    /// Where the run stops. `debug.unknown_node`, `debug.bad_breakpoint`.
    #[serde(default)]
    #[ts(optional, as = "Option<Vec<Breakpoint>>")]
    pub breakpoints: Vec<Breakpoint>,
    /// The plan of the flow, if this process has made it. It is no part of what is asked: without it, the flow is planned.
    #[serde(skip)]
    #[ts(skip)]
    pub runnable: Option<Box<RunnableFlow>>,
}

/// A message that was said before a run, elsewhere.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SaidMessage {
    pub role: Speaker,
    pub text: String,
}

/// Who said a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum Speaker {
    User,
    Assistant,
}

/// What a new run is made of.
pub(super) enum NewRun {
    /// A flow with inputs.
    Of {
        request: Box<RunRequest>,
        /// Who the run belongs to.
        user: UserName,
        /// Where its inputs come from.
        origins: Origins,
        /// What a child run may use: the same as its parent. `None` for a run that no other run starts.
        inherited: Option<InheritedGrants>,
    },
    /// What an earlier run ran, with all that it bought, called and asked.
    ForkOf {
        earlier: RunId,
        edits: Box<ForkEdits>,
        /// The inputs that the parent gives now, for a child run.
        inputs: Option<ChildInputs>,
    },
}

/// What a fork does otherwise than the run that it is forked from.
#[derive(Default)]
pub(super) struct ForkEdits {
    pub(super) flow: Option<EditedFlow>,
    /// How many events of that run count, if not all.
    pub(super) at: Option<u64>,
    /// The first event of a child run that does not count, if the cut is there.
    pub(super) cut_in: Option<EventRef>,
    /// What is done again although that run has it.
    pub(super) fresh: Option<FreshFrom>,
    /// The node that it runs to, if not the same.
    pub(super) to: Option<NodeId>,
    /// What it asks the world for.
    pub(super) world: WorldPolicy,
    /// The file that the earlier run is read from, if it is not in the store.
    pub(super) recording: Option<RecordingRef>,
    /// The inputs of a root, if not the same.
    pub(super) root_inputs: Option<RootInputs>,
    /// Where it stops.
    pub(super) breakpoints: Vec<Breakpoint>,
    /// Where it looks for replies that were bought before.
    pub(super) replies: ReplySource,
}

/// The inputs that a person gives to a fork.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct RootInputs {
    /// The text input of the run.
    #[serde(default)]
    #[ts(optional)]
    pub input: Option<String>,
    /// Values for input ports, by node and port.
    #[serde(default)]
    #[ts(as = "Option<BTreeMap<NodeId, BTreeMap<PortName, Value>>>", optional)]
    pub overrides: InputOverrides,
}

impl ForkEdits {
    /// Another flow, if one is given, and where in it the fork begins.
    pub(super) fn of_flow(flow: Option<EditedFlow>, fresh: Option<&FreshFrom>) -> Box<Self> {
        Box::new(Self { flow, fresh: fresh.cloned(), ..Self::default() })
    }
}

/// The flow that a fork runs in place of the recorded one.
pub(super) struct EditedFlow {
    pub(super) flow: Flow,
    /// Its file, if it has one.
    pub(super) path: Option<String>,
    /// What the person decided beside what the earlier run was allowed.
    pub(super) grants: Vec<GrantRule>,
}

/// What the parent of a run may use; see [`RunInfo::grants`](plait_run::host::RunInfo::grants).
pub(super) type InheritedGrants = Option<Arc<Grants>>;

/// What a parent gives to a child run.
pub(super) struct ChildInputs {
    pub(super) input: Option<String>,
    pub(super) overrides: InputOverrides,
    /// Where they come from.
    pub(super) origins: Origins,
    pub(super) grants: InheritedGrants,
}

impl NewRun {
    /// Removes secrets: what a run stores, shows and sends is the same. The flow of an earlier run holds none.
    /// `flow.holds_secret` if nothing is left that is a flow.
    pub(super) fn redact(&mut self, redaction: &Redaction) -> Result<(), ErrorReply> {
        let (input, overrides) = match self {
            Self::Of { request, .. } => {
                if secrets::redact(&mut request.flow, redaction)? {
                    request.runnable = None;
                }
                for message in request.said_before.iter_mut().flatten() {
                    if let Cow::Owned(redacted) = redaction.text(&message.text) {
                        message.text = redacted;
                    }
                }
                (&mut request.input, &mut request.overrides)
            }
            Self::ForkOf { edits, inputs, .. } => {
                if let Some(edit) = &mut edits.flow {
                    secrets::redact(&mut edit.flow, redaction)?;
                }
                match (inputs, &mut edits.root_inputs) {
                    (Some(ChildInputs { input, overrides, .. }), _)
                    | (None, Some(RootInputs { input, overrides })) => (input, overrides),
                    (None, None) => return Ok(()),
                }
            }
        };
        if let Some(input) = input
            && let Cow::Owned(redacted) = redaction.text(input)
        {
            *input = redacted;
        }
        for value in overrides.values_mut().flat_map(BTreeMap::values_mut) {
            let mut redacted = Value::clone(value);
            if redaction.value(&mut redacted) {
                *value = Arc::new(redacted);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
