//! The options `--allow`, `--ask` and `--deny`.

use std::path::Path;

use clap::Args;
use plait_api::{AllowedHost, ErrorReply};
use plait_llm::grant::{GrantDecision, GrantKind, GrantRule, parse_list};

use crate::codes;

/// What a person decides for one run.
#[derive(Debug, Default, Args)]
pub(crate) struct GrantArgs {
    /// Allow what the flow needs, for this run: hosts, folders, commands of MCP servers and tools, separated by commas.
    /// Repeatable. A host that is allowed by name may also have a private or local address. `+untrusted` behind a target
    /// allows arguments from web pages and the like without asking.
    #[arg(long, value_name = "KIND=TARGET,…")]
    allow: Vec<String>,
    /// Ask before each use, for this run. Repeatable.
    #[arg(long, value_name = "KIND=TARGET,…")]
    ask: Vec<String>,
    /// Deny what the flow needs, for this run. Nodes that use it fail. Repeatable.
    #[arg(long, value_name = "KIND=TARGET,…")]
    deny: Vec<String>,
}

impl GrantArgs {
    /// The rules. Folders are relative to the flow's folder. `grant.invalid`.
    pub(crate) fn rules(&self, flow: Option<&Path>) -> Result<Vec<GrantRule>, ErrorReply> {
        let lists = [
            (GrantDecision::Allow, &self.allow),
            (GrantDecision::Ask, &self.ask),
            (GrantDecision::Deny, &self.deny),
        ];
        let mut rules = Vec::new();
        for (decision, list) in lists {
            for text in list {
                rules.extend(parse(text, decision, flow)?);
            }
        }
        Ok(rules)
    }
}

/// Rules like `host=api.example.com,tool=files/*`. `grant.invalid`.
pub(crate) fn parse(
    text: &str,
    decision: GrantDecision,
    flow: Option<&Path>,
) -> Result<Vec<GrantRule>, ErrorReply> {
    let base = flow.and_then(Path::parent).map(Path::to_owned);
    let base = base.or_else(|| std::env::current_dir().ok()).unwrap_or_default();
    let resolve = |path: &str| base.join(path).display().to_string();
    parse_list(text, decision, resolve).map_err(|problem| {
        let message = format!("`{text}` can't be read: {problem}.");
        ErrorReply::new(codes::GRANT_INVALID, message)
            .hint("Write, for example, --allow host=api.example.com,folder=notes,command=files,tool=files/*")
    })
}

/// The hosts that rules allow by name: the person means this server, at any address.
pub(crate) fn named_hosts(rules: &[GrantRule]) -> Vec<AllowedHost> {
    let named = rules.iter().filter(|rule| {
        let target = &rule.target;
        rule.decision == GrantDecision::Allow && target.kind() == GrantKind::Host && target.is_exact()
    });
    named.filter_map(|rule| rule.target.name().parse().ok()).collect()
}
