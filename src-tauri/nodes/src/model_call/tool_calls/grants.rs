//! Checks grants where a tool call, an MCP server or a search in a folder begins. A denied target fails; a target with
//! the rule `ask` becomes a question.

use super::questions::{approval_of, ask_about_target};
use crate::model_call::Interruption;
use plait_core::error::Fault;
use plait_llm::grant::{CallGrants, GrantDecision, GrantKind, GrantPattern, GrantTarget, refuse};
use plait_llm::http_tool::HTTP_SOURCE;
use plait_llm::needs::{CallAccess, server_access, targets_of_call};
use plait_llm::retriever::{Knowledge, KnowledgeRef};
use plait_llm::tool::{ToolEffect, ToolSpec};
use plait_run::node::NodeContext;

/// What the grants say about a tool call that may be made.
#[derive(Debug, Default)]
pub(super) struct Judgment {
    /// The targets that the person wants to be asked about.
    pub(super) asks: Vec<GrantPattern>,
    /// The rules that allow it.
    pub(super) granted: Vec<GrantPattern>,
    /// Whether a rule about one of its targets allows arguments of untrusted origin.
    pub(super) allows_untrusted: bool,
}

/// What the grants say about a tool call. Faults `grant.denied`, `grant.missing`.
pub(super) fn judge_call(
    node_context: &NodeContext,
    tool: &ToolSpec,
    arguments: &serde_json::Value,
) -> Result<Judgment, Fault> {
    let run = &node_context.run.info;
    let mut accesses = targets_of_call(tool, arguments, run.folder.as_deref(), &node_context.run.folders);
    if let Some(server) = tool.mcp_server() {
        accesses.extend(server_access(&*node_context.host.tools, server));
    }
    let grants = CallGrants::new(run.grants.clone());
    let is_folder = |access: &CallAccess| access.target.kind() == GrantKind::Folder;
    let decision = |access: &CallAccess| grants.ruling(&access.target, access.write).decision;
    // A search in several folders leaves out denied ones.
    let some_folder_is_open =
        accesses.iter().any(|one| is_folder(one) && decision(one) != GrantDecision::Deny);
    let mut judgment = Judgment::default();
    for access in &accesses {
        let ruling = grants.ruling(&access.target, access.write);
        match ruling.decision {
            GrantDecision::Allow => {
                judgment.granted.extend(ruling.rule.map(|rule| rule.target.clone()));
                // Reading from a host that the person named: what the URL says may go there.
                let reads_by_name = !access.write
                    && access.target.kind() == GrantKind::Host
                    && tool.effect == ToolEffect::Send
                    && ruling.is_by_name();
                // A request goes to its host; its tool may have any name.
                let is_name_alone = tool.source == HTTP_SOURCE && access.target.kind() == GrantKind::Tool;
                judgment.allows_untrusted |= !is_name_alone && (ruling.allows_untrusted() || reads_by_name);
            }
            GrantDecision::Ask => judgment.asks.push(GrantPattern::of(&access.target)),
            GrantDecision::Deny if is_folder(access) && some_folder_is_open => {}
            GrantDecision::Deny => return Err(refuse(&access.target, access.write, ruling)),
        }
    }
    Ok(judgment)
}

/// Whether an MCP server may be reached. Faults `grant.denied`, `grant.missing`, `tool.rejected`; an interruption if the person
/// has to be asked first.
pub(crate) fn allow_server(node_context: &NodeContext, server: &str) -> Result<(), Interruption> {
    match server_access(&*node_context.host.tools, server) {
        Some(access) => allow(node_context, &access),
        // There is none, which the host says better.
        None => Ok(()),
    }
}

/// The same for the folders that a node searches.
pub(in crate::model_call) fn allow_documents(
    node_context: &NodeContext,
    knowledge: &Knowledge,
) -> Result<(), Interruption> {
    let Some(base) = &node_context.run.info.folder else { return Ok(()) };
    for one in knowledge.refs() {
        let KnowledgeRef::Folder(path) = one else { continue };
        let Some(target) = plait_llm::grant::folder_target(base, &path) else { continue };
        allow(node_context, &CallAccess { target, write: false })?;
    }
    Ok(())
}

fn allow(node_context: &NodeContext, access: &CallAccess) -> Result<(), Interruption> {
    let CallAccess { target, write } = access;
    let grants = CallGrants::new(node_context.run.info.grants.clone());
    let ruling = grants.ruling(target, *write);
    match ruling.decision {
        GrantDecision::Allow => Ok(()),
        GrantDecision::Deny => Err(refuse(target, *write, ruling).into()),
        GrantDecision::Ask => {
            let pattern = GrantPattern::of(target);
            match approval_of(node_context, &pattern)? {
                Some(outcome) => Ok(outcome?),
                None => Err(ask_about_target(&pattern, &describe(target))),
            }
        }
    }
}

fn describe(target: &GrantTarget) -> String {
    match target {
        GrantTarget::Command(server) => format!("start the MCP server **{server}**"),
        GrantTarget::Folder(folder) => format!("search the files in `{folder}`"),
        target => format!("use `{}`", GrantPattern::of(target)),
    }
}
