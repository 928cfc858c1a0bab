//! Keeps rules by the file of the flow, in the data directory. They are no part of the flow, so a copy of it has none.

use std::path::Path;
use std::sync::Arc;

use plait_adapters::McpServers;
use plait_core::error::Fault;
use plait_core::flow::Flow;
use plait_llm::grant::{GrantPattern, GrantRule, Grants, MAX_RULES};
use plait_llm::needs::{Need, NeedCatalog, NeedState};
use plait_llm::tool::ToolHost;
use plait_run::node::Registry;
use plait_store::Store;
use serde_json::json;

use super::flow_needs::{FlowNeeds, NeedsOfFlow};
use super::{FlowGrants, NeedStatus, ServerPin};
use crate::ErrorReply;
use crate::blocking::run_blocking;
use crate::codes;

/// What people allow their flows.
pub struct GrantService {
    store: Store,
    registry: Arc<Registry>,
    tools: Arc<dyn ToolHost>,
    mcp: McpServers,
}

impl GrantService {
    pub(crate) fn new(
        store: Store,
        registry: Arc<Registry>,
        tools: Arc<dyn ToolHost>,
        mcp: McpServers,
    ) -> Self {
        Self { store, registry, tools, mcp }
    }

    pub(super) async fn show(&self, flow: Flow, path: Option<String>) -> Result<FlowGrants, ErrorReply> {
        let (store, registry, tools) =
            (self.store.clone(), Arc::clone(&self.registry), Arc::clone(&self.tools));
        let mcp = self.mcp.clone();
        run_blocking(move || {
            let catalog = NeedCatalog::of(&*tools);
            let NeedsOfFlow { needs, hash: needs_hash } =
                FlowNeeds::of_flow(&flow, path.as_deref(), &registry, &catalog);
            let grants =
                path.as_deref().map(|path| stored_grants(&store, path)).transpose()?.unwrap_or_default();
            let needs: Vec<NeedStatus> = needs.into_iter().map(|need| status(need, &grants)).collect();
            let is_used = |rule: &&GrantRule| needs.iter().any(|one| one.rule.as_ref() == Some(*rule));
            let unused = grants.rules().iter().filter(|rule| !is_used(rule)).cloned().collect();
            let pins = pins(&flow, &registry, &mcp);
            Ok(FlowGrants {
                needs,
                unused,
                pins,
                needs_hash,
                first: grants.rules().is_empty(),
                has_file: path.is_some(),
            })
        })
        .await
    }

    pub(super) async fn set(&self, path: String, rules: Vec<GrantRule>) -> Result<(), ErrorReply> {
        let store = self.store.clone();
        run_blocking(move || {
            change(&store, &path, |kept| kept.with(rules))?;
            Ok(())
        })
        .await
    }

    pub(super) async fn revoke(
        &self,
        path: String,
        targets: Option<Vec<GrantPattern>>,
    ) -> Result<(), ErrorReply> {
        let store = self.store.clone();
        run_blocking(move || {
            change(&store, &path, |kept| {
                let is_revoked =
                    |rule: &&GrantRule| targets.as_ref().is_none_or(|targets| targets.contains(&rule.target));
                Grants::new(kept.rules().iter().filter(|rule| !is_revoked(rule)).cloned())
            })?;
            Ok(())
        })
        .await
    }
}

/// The rules that are kept for the file of a flow.
pub(crate) fn stored_grants(store: &Store, path: &str) -> Result<Grants, Fault> {
    Ok(store.grants()?.remove(&canonical(path)).unwrap_or_default())
}

fn change(store: &Store, path: &str, change: impl FnOnce(&Grants) -> Grants) -> Result<(), Fault> {
    store.change_grants(&canonical(path), |kept| {
        let changed = change(kept);
        if changed.rules().len() > MAX_RULES {
            let message = format!("A flow has at most {MAX_RULES} rules.");
            return Err(Fault::new(codes::GRANT_INVALID, message).hint("Revoke those that nothing needs."));
        }
        Ok(changed)
    })
}

/// A file by its path without links, so that it has the same rules by all of its names.
fn canonical(path: &str) -> String {
    let real = Path::new(path).canonicalize().ok().and_then(|real| real.to_str().map(str::to_owned));
    real.unwrap_or_else(|| path.to_owned())
}

fn status(need: Need, grants: &Grants) -> NeedStatus {
    let (state, target) = (need.state(grants), need.target.to_target());
    let rule =
        grants.decide(&target, need.write).rule.or_else(|| grants.decide(&target, false).rule).cloned();
    NeedStatus { need, state, rule }
}

/// The needs that nobody has decided about.
pub(crate) fn undecided(needs: Vec<Need>, grants: &Grants) -> Vec<NeedStatus> {
    let all = needs.into_iter().map(|need| status(need, grants));
    all.filter(|one| one.state != NeedState::Decided).collect()
}

/// The error for a flow that needs these.
pub(crate) fn needed(needs: &[NeedStatus]) -> ErrorReply {
    let targets: Vec<_> = needs.iter().map(|one| one.need.target.to_string()).collect();
    let message = format!("This flow needs what nobody has decided about yet: {}.", targets.join(", "));
    let fault = Fault::new(codes::GRANT_NEEDED, message)
        .hint(format!("To allow all of it: --allow {}", shell_word(&targets.join(","))))
        .details(json!({ "needs": needs }));
    fault.into()
}

/// A word as shells read it.
fn shell_word(text: &str) -> String {
    let is_plain = |char: char| char.is_alphanumeric() || "=,./:_-+@%".contains(char);
    if text.chars().all(is_plain) { text.to_owned() } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

/// The accepted tools of the MCP servers that the nodes of a flow name.
fn pins(flow: &Flow, registry: &Registry, mcp: &McpServers) -> Vec<ServerPin> {
    let nodes =
        flow.nodes.iter().filter_map(|(id, node)| registry.bind(id, &node.node_type, &node.config)?.ok());
    let mut names: Vec<String> = nodes.flat_map(|node| node.behavior().server_names()).collect();
    names.sort_unstable();
    names.dedup();
    let pin = |server: String| {
        let (pin, changed) = mcp.pin(&server)?;
        Some(ServerPin { server, pin, changed })
    };
    names.into_iter().filter_map(pin).collect()
}
