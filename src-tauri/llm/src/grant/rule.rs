//! One rule, and the list of rules on a command line.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::pattern::GrantPattern;
use super::{GrantDecision, GrantTarget};

/// Maximum rules of a flow.
pub const MAX_RULES: usize = 1_000;
/// What follows a target on a command line, if arguments of untrusted origin are allowed.
const UNTRUSTED_SUFFIX: &str = "+untrusted";

/// What a person decided about a target.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct GrantRule {
    /// What it is about, as `KIND=TARGET`.
    pub target: GrantPattern,
    pub decision: GrantDecision,
    /// Whether it allows changes: requests other than GET and HEAD to a host, writing in a folder.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<bool>")]
    pub write: bool,
    /// Whether it allows arguments of untrusted origin without asking, such as a text from a web page in a request.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<bool>")]
    pub untrusted: bool,
    /// What the target was when the person decided, such as the command line of an MCP server. If it is another now, the
    /// person is asked again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub seen: Option<String>,
    /// The hash of all needs of the flow at the time of the decision. A different hash asks the person again. Absent for a rule that
    /// holds for one run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub needs_hash: Option<String>,
}

impl GrantRule {
    /// A rule about all uses of a target.
    pub fn new(target: GrantPattern, decision: GrantDecision) -> Self {
        Self { target, decision, write: true, untrusted: false, seen: None, needs_hash: None }
    }

    pub fn allow(target: GrantPattern) -> Self {
        Self::new(target, GrantDecision::Allow)
    }

    /// The same for uses that change nothing.
    #[must_use]
    pub fn read_only(self) -> Self {
        Self { write: false, ..self }
    }

    /// Whether the rule is about this use of a target. An allowance to read says nothing about changes; to ask and to deny
    /// always include them.
    pub(super) fn applies(&self, target: &GrantTarget, write: bool) -> bool {
        let is_about_use = match self.target.kind() {
            super::GrantKind::Host | super::GrantKind::Folder => {
                self.write || !write || self.decision != GrantDecision::Allow
            }
            super::GrantKind::Command | super::GrantKind::Tool => true,
        };
        is_about_use && self.target.covers(target)
    }
}

/// Reads rules like `host=api.example.com,tool=files/*+untrusted`. An item without a kind has the kind of the one
/// before. `resolve` turns the path of a folder into an absolute one. The rules are about all uses. An error names the
/// problem.
pub fn parse_list(
    text: &str,
    decision: GrantDecision,
    resolve: impl Fn(&str) -> String,
) -> Result<Vec<GrantRule>, String> {
    let mut rules = Vec::new();
    let mut kind = "";
    for item in text.split(',') {
        let item = item.trim();
        let (item, untrusted) = match item.strip_suffix(UNTRUSTED_SUFFIX) {
            Some(_) if decision != GrantDecision::Allow => {
                return Err(format!("`{item}`: only what is allowed can take untrusted arguments"));
            }
            Some(item) => (item, true),
            None => (item, false),
        };
        let target = match item.split_once('=') {
            Some((own, target)) => {
                kind = own.trim();
                target.trim()
            }
            None if kind.is_empty() => {
                return Err(format!(
                    "`{item}`: expected host=NAME, folder=PATH, command=SERVER or tool=NAME"
                ));
            }
            None => item,
        };
        let target = match kind {
            "folder" if target != "*" && !target.is_empty() => resolve(target),
            _ => target.to_owned(),
        };
        let target: GrantPattern = format!("{kind}={target}").parse()?;
        rules.push(GrantRule { untrusted, ..GrantRule::new(target, decision) });
    }
    if rules.len() > MAX_RULES {
        return Err(format!("at most {MAX_RULES} rules can be given"));
    }
    Ok(rules)
}
