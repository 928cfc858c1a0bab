//! Grants: what a person allows a flow to use. Pure: a decision depends on the rules and the target, and on nothing else.
//!
//! A rule says `allow`, `ask` or `deny` about a command, a host, a folder or a tool. The more exact rule wins; of rules about
//! the same target `deny` wins over `ask`, and `ask` over `allow`. The order of the rules means nothing. What no rule names is
//! denied; a tool that no rule names may be called if it changes nothing, else the person is asked.
//!
//! Rules are never part of a flow. [`needs`](crate::needs) computes what a flow would have to be granted.

mod check;
mod pattern;
mod rule;

use serde::{Deserialize, Serialize};
use ts_rs::TS;

pub use check::{CallGrants, folder_target, host_of_url, host_target, refuse};
pub use pattern::{Exactness, GrantPattern, canonical_host, normalize_folder};
pub use rule::{GrantRule, MAX_RULES, parse_list};

/// What a rule is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum GrantKind {
    /// A process: an MCP server that speaks over standard input and output, by its name.
    Command,
    /// A host that requests go to.
    Host,
    /// A folder with everything in it.
    Folder,
    Tool,
}

impl GrantKind {
    /// Its name in rules.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Command => "command",
            Self::Host => "host",
            Self::Folder => "folder",
            Self::Tool => "tool",
        }
    }
}

/// What a person decided. The later one is the stricter one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum GrantDecision {
    /// It is used without asking.
    Allow,
    /// The person is asked each time.
    Ask,
    /// It is not used.
    Deny,
}

/// What a flow wants to use: one thing, without wildcards.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GrantTarget {
    /// The command of an MCP server, by the name of the server.
    Command(String),
    /// A host in lower case and its port. `None` for a host that is not known before the run.
    Host(Option<(String, u16)>),
    /// A folder: absolute, without `.` and `..`, with `/` between its parts.
    Folder(String),
    /// A tool of Plait or of a flow, or of an MCP server.
    Tool {
        server: Option<String>,
        /// `None` for all tools of the server.
        tool: Option<String>,
    },
}

impl GrantTarget {
    /// The host of a URL, in any spelling, with the port that it names or implies.
    pub fn host(name: &str, port: u16) -> Self {
        Self::Host(Some((canonical_host(name), port)))
    }

    /// A tool of Plait or of a flow.
    pub fn tool(name: &str) -> Self {
        Self::Tool { server: None, tool: Some(name.to_owned()) }
    }

    /// A tool of an MCP server, by the name that the server gives it.
    pub fn server_tool(server: &str, tool: &str) -> Self {
        Self::Tool { server: Some(server.to_owned()), tool: Some(tool.to_owned()) }
    }

    pub fn kind(&self) -> GrantKind {
        match self {
            Self::Command(_) => GrantKind::Command,
            Self::Host(_) => GrantKind::Host,
            Self::Folder(_) => GrantKind::Folder,
            Self::Tool { .. } => GrantKind::Tool,
        }
    }
}

/// What the rules say about a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ruling<'a> {
    pub decision: GrantDecision,
    /// The rule that decides. `None` if no rule is about the target.
    pub rule: Option<&'a GrantRule>,
}

impl Ruling<'_> {
    /// Whether the person allows arguments of untrusted origin for this target.
    pub fn allows_untrusted(&self) -> bool {
        self.decision == GrantDecision::Allow && self.rule.is_some_and(|rule| rule.untrusted)
    }

    /// Whether the rule that decides names the target itself, without a wildcard.
    pub fn is_by_name(&self) -> bool {
        self.rule.is_some_and(|rule| rule.target.is_exact())
    }
}

/// The rules in force for a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(transparent)]
pub struct Grants(Vec<GrantRule>);

impl Grants {
    /// Of these rules, in any order.
    pub fn new(rules: impl IntoIterator<Item = GrantRule>) -> Self {
        Self(rules.into_iter().collect())
    }

    pub fn rules(&self) -> &[GrantRule] {
        &self.0
    }

    /// With newer rules. They replace all rules about the same target.
    #[must_use]
    pub fn with(&self, newer: impl IntoIterator<Item = GrantRule>) -> Self {
        let newer: Vec<_> = newer.into_iter().collect();
        let older = self.0.iter().filter(|rule| newer.iter().all(|other| other.target != rule.target));
        Self(older.chain(&newer).cloned().collect())
    }

    /// Decides about a target. `write`: whether the use changes something there.
    pub fn decide(&self, target: &GrantTarget, write: bool) -> Ruling<'_> {
        let matching = self.0.iter().filter(|rule| rule.applies(target, write));
        // Of equally exact rules the stricter one. Of equal allowances the one that says less about arguments.
        let rule = matching.max_by_key(|rule| (rule.target.exactness(), rule.decision, !rule.untrusted));
        let decision = rule.map_or_else(|| default_decision(target, write), |rule| rule.decision);
        Ruling { decision, rule }
    }

    /// Whether requests to this host may reach an address that is not public: a rule allows it by name, and the name
    /// itself is not public. Other names need a setting of the person, since the owner of the name decides what it
    /// resolves to.
    pub fn opens_local_host(&self, name: &str, port: u16, write: bool) -> bool {
        let ruling = self.decide(&GrantTarget::host(name, port), write);
        let name = canonical_host(name);
        ruling.decision == GrantDecision::Allow && ruling.is_by_name() && pattern::is_local_name(&name)
    }
}

/// What holds without a rule.
fn default_decision(target: &GrantTarget, write: bool) -> GrantDecision {
    match target {
        GrantTarget::Tool { .. } if write => GrantDecision::Ask,
        GrantTarget::Tool { .. } => GrantDecision::Allow,
        _ => GrantDecision::Deny,
    }
}

#[cfg(test)]
mod tests;
