//! `grants.*`: what a flow needs, and what its person allows it. Nothing is started or requested here.

mod flow_needs;
mod service;

use plait_adapters::tools::mcp::McpPin;
use plait_core::flow::Flow;
use plait_llm::grant::{GrantPattern, GrantRule};
use plait_llm::needs::{Need, NeedState};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::ErrorReply;
use crate::command::Command;

pub(crate) use flow_needs::{FlowNeeds, canonical_folder};
pub use service::GrantService;
pub(crate) use service::{needed, stored_grants, undecided};

/// A need, and what was decided about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct NeedStatus {
    pub need: Need,
    pub state: NeedState,
    /// The rule that is about it; for one that changed, the rule about what it was before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub rule: Option<GrantRule>,
}

/// The accepted tools of an MCP server that a flow uses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ServerPin {
    pub server: String,
    pub pin: McpPin,
    /// Whether the server was seen to offer others since. Then none can be used until they are accepted.
    pub changed: bool,
}

/// What a flow may do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct FlowGrants {
    /// What it needs, in the order commands, hosts, folders, tools.
    pub needs: Vec<NeedStatus>,
    /// The rules that are about nothing that it needs now.
    pub unused: Vec<GrantRule>,
    pub pins: Vec<ServerPin>,
    /// The hash of all that it needs. A rule that names it is asked about again when the flow needs something else.
    pub needs_hash: String,
    /// Whether a rule was ever kept for it.
    pub first: bool,
    /// Whether rules can be kept for it: it has a file.
    pub has_file: bool,
}

/// `grants.show`: what a flow needs, its sub-flows included, and what is decided about it.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct ShowGrants {
    /// The flow, saved or not.
    pub flow: Flow,
    /// Its file, if it has one.
    #[serde(default)]
    #[ts(optional)]
    pub path: Option<String>,
}

impl Command for ShowGrants {
    const NAME: &'static str = "grants.show";
    type Service = GrantService;
    type Reply = FlowGrants;

    async fn run(self, service: &GrantService) -> Result<FlowGrants, ErrorReply> {
        service.show(self.flow, self.path).await
    }
}

/// `grants.set`: keeps rules for the file of a flow. They replace those about the same targets. `grant.invalid` if there are too
/// many.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct SetGrants {
    /// The file of the flow.
    pub path: String,
    pub rules: Vec<GrantRule>,
}

impl Command for SetGrants {
    const NAME: &'static str = "grants.set";
    type Service = GrantService;
    type Reply = ();

    async fn run(self, service: &GrantService) -> Result<(), ErrorReply> {
        service.set(self.path, self.rules).await
    }
}

/// `grants.revoke`: removes rules of the file of a flow. What they were about is asked again at the next run.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct RevokeGrants {
    /// The file of the flow.
    pub path: String,
    /// The targets of the rules; all of them if left out.
    #[serde(default)]
    #[ts(optional)]
    pub targets: Option<Vec<GrantPattern>>,
}

impl Command for RevokeGrants {
    const NAME: &'static str = "grants.revoke";
    type Service = GrantService;
    type Reply = ();

    async fn run(self, service: &GrantService) -> Result<(), ErrorReply> {
        service.revoke(self.path, self.targets).await
    }
}
