//! One of the quotas that hold a call, and whose it is.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use plait_core::error::ErrorCode;
use plait_core::id::{Activation, ConversationId, Epoch, NodeId, RunId};
use plait_core::quota::{Amount, Quota, Share};

use crate::codes;

/// Whose quota it is, in all of a process.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Holder {
    /// A day, by its number.
    Day(i64),
    Conversation(ConversationId),
    /// A run with all runs below it.
    Run(RunId),
    /// A node, in all of its activations.
    Node(RunId, NodeId),
    /// One activation of a loop, with its body.
    Loop(RunId, Activation),
    /// An iteration of a loop.
    Iteration(RunId, Activation),
    /// A branch of those that meet in an activation, by the number of its input.
    Branch(RunId, Activation, usize),
}

/// What a quota is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum QuotaScope {
    Day,
    Conversation,
    Run,
    Loop,
    Iteration,
    Branch,
    Node,
}

impl QuotaScope {
    /// Whether it is a part of a run. The others end all of the run tree when they are exceeded.
    pub fn is_in_run(self) -> bool {
        matches!(self, Self::Loop | Self::Iteration | Self::Branch | Self::Node)
    }

    /// The code of the fault that says that the quota is exceeded.
    pub fn code(self) -> ErrorCode {
        if self.is_in_run() { codes::QUOTA_NODE_EXCEEDED } else { codes::QUOTA_EXCEEDED }
    }
}

/// How much of a quota is used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct QuotaState {
    pub scope: QuotaScope,
    /// The run, for a quota of a run or in one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub run: Option<RunId>,
    /// The node or the loop.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub node: Option<NodeId>,
    /// The epoch of the loop, or of the iteration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub epoch: Option<Epoch>,
    /// What it allows, with what the person has allowed on top.
    pub limit: Share,
    /// What calls have used of it.
    pub spent: Amount,
    /// What is reserved for calls that are under way, and for the rest of iterations.
    pub reserved: Amount,
}

/// One of the quotas that hold a call.
#[derive(Clone, Debug)]
pub enum QuotaLink {
    Quota {
        holder: Holder,
        quota: Arc<Quota>,
        /// How often the person has allowed as much again.
        extended: u64,
    },
    /// An iteration of a loop, or a branch of parallel steps: it reserves for all of its calls.
    Hold {
        holder: Holder,
        /// The loop: what an iteration needs is known from the one before it.
        of: Option<Holder>,
        /// Whether the person has allowed it more than its part.
        lifted: bool,
    },
}

impl QuotaLink {
    pub fn holder(&self) -> &Holder {
        match self {
            Self::Quota { holder, .. } | Self::Hold { holder, .. } => holder,
        }
    }

    /// The quota, unless it is a hold.
    pub fn quota(&self) -> Option<&Arc<Quota>> {
        match self {
            Self::Quota { quota, .. } => Some(quota),
            Self::Hold { .. } => None,
        }
    }
}

impl Holder {
    pub fn scope(&self) -> QuotaScope {
        match self {
            Self::Day(_) => QuotaScope::Day,
            Self::Conversation(_) => QuotaScope::Conversation,
            Self::Run(_) => QuotaScope::Run,
            Self::Node(..) => QuotaScope::Node,
            Self::Loop(..) => QuotaScope::Loop,
            Self::Iteration(..) => QuotaScope::Iteration,
            Self::Branch(..) => QuotaScope::Branch,
        }
    }

    /// The run that it ends with, if it ends with one.
    pub fn run(&self) -> Option<&RunId> {
        match self {
            Self::Day(_) | Self::Conversation(_) => None,
            Self::Run(run)
            | Self::Node(run, _)
            | Self::Loop(run, _)
            | Self::Iteration(run, _)
            | Self::Branch(run, ..) => Some(run),
        }
    }

    /// The node or the loop, and the epoch of the loop or the iteration.
    pub fn place(&self) -> (Option<&NodeId>, Option<&Epoch>) {
        match self {
            Self::Day(_) | Self::Conversation(_) | Self::Run(_) => (None, None),
            Self::Node(_, node) => (Some(node), None),
            Self::Loop(_, at) | Self::Iteration(_, at) | Self::Branch(_, at, _) => {
                (Some(&at.node), Some(&at.epoch))
            }
        }
    }

    /// A name that is stable when the run is resumed, for questions about it.
    pub fn key(&self) -> String {
        match self {
            Self::Day(_) => "day".to_owned(),
            Self::Conversation(_) => "conversation".to_owned(),
            Self::Run(run) => format!("run {run}"),
            Self::Node(run, node) => format!("node {run} {node}"),
            Self::Loop(run, at) => format!("loop {run} {at}"),
            Self::Iteration(run, at) => format!("iteration {run} {at}"),
            Self::Branch(run, at, input) => format!("branch {run} {at} {input}"),
        }
    }
}
