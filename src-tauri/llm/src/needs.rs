//! What a flow needs, computed from its nodes: commands, hosts, folders, and tools that change something. Nothing is started
//! or requested for that.

mod call_targets;
mod collector;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::grant::{GrantDecision, GrantKind, GrantPattern, GrantRule, GrantTarget, Grants, host_of_url};
use crate::http_tool::HttpMethod;
use crate::tool::{KnownServer, ToolHost, ToolSpec};
use plait_core::id::NodeId;

pub use call_targets::{CallAccess, server_access, targets_of_call};
pub use collector::{NeedCollector, NodePlace};

/// What a node needs with its config, as far as the node knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NodeNeed {
    /// Requests to the host of a URL. Without one, the host is not known before the run.
    Request { url: Option<String>, method: HttpMethod, tool: Option<String> },
    /// An MCP server of the person, and the tools of it that are offered; all of them without names.
    Server { name: String, tools: Vec<String> },
    /// Plait's own tools of these names, which a model or the node calls.
    Tools(Vec<String>),
    /// All of Plait's own tools that change nothing.
    ReadingTools,
    /// A tool with arguments from the config: a request to this URL, if it is `fetch_url`.
    Fetch { url: String },
    /// A folder with documents, relative to the flow's file.
    Documents(String),
}

impl NodeNeed {
    /// A one-line summary without data of the machine: an input of the hash of all needs.
    pub fn summary(&self) -> String {
        match self {
            Self::Request { url, method, tool } => {
                let host = url.as_deref().map_or(GrantTarget::Host(None), host_of_url);
                let tool = tool.as_deref().unwrap_or_default();
                format!("{} {} {tool}", method.as_str(), GrantPattern::of(&host))
            }
            Self::Server { name, tools } => format!("server {name} {}", tools.join(" ")),
            Self::Tools(names) => format!("tools {}", names.join(" ")),
            Self::ReadingTools => "reading tools".to_owned(),
            Self::Fetch { url } => format!("fetch {}", GrantPattern::of(&host_of_url(url))),
            Self::Documents(folder) => format!("documents {folder}"),
        }
    }

    /// What a node needs that searches a folder with documents, if it names one. The knowledge bases are the person's own.
    pub fn of_documents(folder: &str) -> Vec<Self> {
        let folder = Some(folder.trim()).filter(|folder| !folder.is_empty());
        folder.map(|folder| Self::Documents(folder.to_owned())).into_iter().collect()
    }
}

/// The facts about the person's machine that need no start of anything.
#[derive(Clone, Debug, Default)]
pub struct NeedCatalog {
    /// Plait's own tools.
    pub tools: Vec<ToolSpec>,
    /// The MCP servers.
    pub servers: BTreeMap<String, KnownServer>,
}

impl NeedCatalog {
    /// What a tool host knows.
    pub fn of(host: &dyn ToolHost) -> Self {
        Self { tools: host.list(), servers: host.servers() }
    }
}

/// Something that a flow needs a person to allow.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Need {
    /// What it is, as a rule names it.
    pub target: GrantPattern,
    pub kind: GrantKind,
    /// Whether something is changed there.
    pub write: bool,
    /// What stands behind the name, such as the command line of an MCP server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub seen: Option<String>,
    /// The hash of all that the flow needs, as its nodes say it. It does not change with what is known of a server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub needs_hash: Option<String>,
    /// Who needs it and what for; the first 50.
    pub uses: Vec<NeedUse>,
}

/// Why something is needed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct NeedUse {
    /// The node. `None` for what the flow's settings declare.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub node: Option<NodeId>,
    /// What people call the node.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub title: Option<String>,
    /// The name of the sub-flow that it is in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub flow: Option<String>,
    /// What for: `GET`, `read`, or the name of a tool.
    pub what: String,
}

/// Whether a person has decided about a need.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum NeedState {
    /// A rule is about it.
    Decided,
    /// A rule is about less than it, or about what it was before.
    Changed,
    /// No rule is about it.
    New,
}

impl Need {
    /// Whether these rules decide about it.
    pub fn state(&self, grants: &Grants) -> NeedState {
        let target = self.target.to_target();
        match grants.decide(&target, self.write).rule {
            Some(rule) if rule.decision == GrantDecision::Deny => NeedState::Decided,
            Some(rule) if self.is_as_seen(rule) => NeedState::Decided,
            Some(_) => NeedState::Changed,
            None if grants.decide(&target, false).rule.is_some() => NeedState::Changed,
            None => NeedState::New,
        }
    }

    /// Whether the need is unchanged since the rule was made.
    fn is_as_seen(&self, rule: &GrantRule) -> bool {
        let is_same = |seen: &Option<String>, now: &Option<String>| seen.is_none() || seen == now;
        is_same(&rule.seen, &self.seen) && is_same(&rule.needs_hash, &self.needs_hash)
    }

    /// The rule by which a person decides about exactly this need.
    pub fn to_rule(&self, decision: GrantDecision) -> GrantRule {
        let rule = GrantRule::new(self.target.clone(), decision);
        GrantRule { write: self.write, seen: self.seen.clone(), needs_hash: self.needs_hash.clone(), ..rule }
    }
}

#[cfg(test)]
mod tests;
