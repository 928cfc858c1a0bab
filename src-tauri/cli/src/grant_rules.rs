//! The options `--allow`, `--ask` and `--deny`, and how needs are printed.

use std::path::Path;

use clap::Args;
use plait_api::engine::error::ErrorCode;
use plait_api::engine::grant::{GrantDecision, GrantKind, GrantRule, parse_list};
use plait_api::engine::needs::{Need, NeedState, NeedUse};
use plait_api::grants::NeedStatus;
use plait_api::{AllowedHost, ErrorReply};
use serde::Deserialize as _;

use crate::exit::CliError;

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
    /// The rules. Folders are relative to that of the flow. `grant.invalid`.
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
        ErrorReply::new(ErrorCode::GrantInvalid, message)
            .hint("Write, for example, --allow host=api.example.com,folder=notes,command=files,tool=files/*")
    })
}

/// The hosts that rules allow by name: the person who typed them means this server, wherever it is.
pub(crate) fn named_hosts(rules: &[GrantRule]) -> Vec<AllowedHost> {
    let named = rules.iter().filter(|rule| {
        let target = &rule.target;
        rule.decision == GrantDecision::Allow && target.kind() == GrantKind::Host && target.is_exact()
    });
    named.filter_map(|rule| rule.target.name().parse().ok()).collect()
}

/// The error of a flow that needs what nobody has decided about, with a line for each need. Other errors stay as they are.
pub(crate) fn list_needs(error: ErrorReply) -> CliError {
    if error.code != ErrorCode::GrantNeeded {
        return error.into();
    }
    let Ok(needs) = Vec::<NeedStatus>::deserialize(&error.details["needs"]) else { return error.into() };
    let lines: Vec<_> = needs.iter().map(|one| format!("\n  {}", describe(one))).collect();
    let message = format!("This flow needs what nobody has decided about yet:{}", lines.concat());
    ErrorReply { message, ..error }.into()
}

/// A need in one line: `host=api.example.com (new): GET, POST in Parcels, Receipt`.
fn describe(status: &NeedStatus) -> String {
    let state = match status.state {
        NeedState::New => " (new)",
        NeedState::Changed => " (changed)",
        NeedState::Decided => "",
    };
    format!("{}{state}: {}", status.need.target, reasons(&status.need))
}

/// Who needs it and what for.
pub(crate) fn reasons(need: &Need) -> String {
    let name = |one: &NeedUse| {
        let node = one.title.clone().or_else(|| one.node.as_ref().map(ToString::to_string));
        let node = node.unwrap_or_else(|| "the flow's settings".to_owned());
        one.flow.as_ref().map_or_else(|| node.clone(), |flow| format!("{flow} › {node}"))
    };
    let mut whats: Vec<&str> = need.uses.iter().map(|one| one.what.as_str()).collect();
    let mut nodes: Vec<String> = need.uses.iter().map(name).collect();
    nodes.sort();
    nodes.dedup();
    whats.sort_unstable();
    whats.dedup();
    let seen = need.seen.as_ref().map(|seen| format!(" `{seen}`")).unwrap_or_default();
    format!("{}{seen} in {}", whats.join(", "), nodes.join(", "))
}
