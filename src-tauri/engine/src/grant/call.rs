//! What one tool call uses, and whether the grants let it.

use std::sync::Arc;

use serde_json::Value;
use url::Url;

use super::pattern::{GrantPattern, normalize_folder};
use super::{GrantDecision, GrantTarget, Grants, Verdict};
use crate::error::{ErrorCode, Fault};
use crate::flow::FolderAccess;
use crate::http_tool::{HTTP_SOURCE, HttpMethod};
use crate::tool::{ToolEffect, ToolSpec};

/// The part of a tool's source that all MCP servers have in common.
const MCP_PREFIX: &str = "mcp:";

/// One use of a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallAccess {
    pub target: GrantTarget,
    /// Whether it changes something there.
    pub write: bool,
}

/// What a call of a tool uses: the tool itself, and the host or the folders. `folder` is that of the flow's file, and `folders`
/// are those that the flow declares. How an MCP server is reached is not part of it: only its host knows.
pub fn targets_of_call(
    tool: &ToolSpec,
    arguments: &Value,
    folder: Option<&str>,
    folders: &[FolderAccess],
) -> Vec<CallAccess> {
    let write = tool.effect == ToolEffect::Write;
    if let Some(server) = tool.source.strip_prefix(MCP_PREFIX) {
        // The name that the server gives it: the flow may have put a prefix before it.
        let name = tool.binding.get("tool").and_then(Value::as_str).unwrap_or(&tool.name);
        return vec![CallAccess { target: GrantTarget::server_tool(server, name), write }];
    }
    let mut accesses = vec![CallAccess { target: GrantTarget::tool(&tool.name), write }];
    let text = |name: &str| arguments.get(name).and_then(Value::as_str).unwrap_or_default();
    match (tool.source.as_str(), tool.name.as_str()) {
        (HTTP_SOURCE, _) => {
            // The person is asked about the host, so there is no question about the tool of its own.
            accesses[0].write = false;
            let url = tool.binding.get("url").and_then(Value::as_str).unwrap_or_default();
            accesses.push(CallAccess { target: host_of_url(url), write });
        }
        (_, "fetch_url") => accesses.push(CallAccess { target: host_of_url(text("url")), write }),
        (_, "read_file" | "write_file") => {
            let file = text("path");
            let parent = file.rsplit_once('/').map_or("", |(parent, _)| parent);
            // Without a folder, or with a path that leads out of the root, the tool fails by itself.
            let target = folder.and_then(|folder| folder_target(folder, parent));
            accesses.extend(target.map(|target| CallAccess { target, write }));
        }
        (_, "search_files") => {
            let targets = folder.into_iter().flat_map(|folder| declared_folders(folder, folders));
            accesses.extend(targets.map(|(target, _)| CallAccess { target, write }));
        }
        _ => {}
    }
    accesses
}

/// The folders that a flow declares, and whether for writing; that of its file, to read, if it declares none.
pub(super) fn declared_folders(folder: &str, folders: &[FolderAccess]) -> Vec<(GrantTarget, bool)> {
    if folders.is_empty() {
        return folder_target(folder, "").map(|target| (target, false)).into_iter().collect();
    }
    let declared = folders.iter();
    declared.filter_map(|one| Some((folder_target(folder, one.path.trim())?, one.write))).collect()
}

/// A folder whose path is relative to `base`.
pub fn folder_target(base: &str, path: &str) -> Option<GrantTarget> {
    normalize_folder(&format!("{base}/{path}")).map(GrantTarget::Folder)
}

/// The host of a URL, whose path and query may have placeholders. A text that is no URL has a host that nobody knows.
pub fn host_of_url(url: &str) -> GrantTarget {
    // The parser takes a placeholder in the place of the host for a name.
    let parsed =
        Url::parse(url.trim()).ok().filter(|url| url.host_str().is_some_and(|host| !host.contains('{')));
    parsed.and_then(|url| host_of(&url)).unwrap_or(GrantTarget::Host(None))
}

/// The host and the port of a URL.
pub fn host_of(url: &Url) -> Option<GrantTarget> {
    Some(GrantTarget::host(url.host_str()?, url.port_or_known_default()?))
}

/// Whether a request of this method changes something.
pub fn is_write(method: HttpMethod) -> bool {
    !method.is_safe()
}

/// The grants that one call is made with. Without any there are no limits: outside of runs, and in runs that were recorded
/// before there were grants.
#[derive(Clone, Debug, Default)]
pub struct CallGrants {
    grants: Option<Arc<Grants>>,
    /// Whether the person was asked about this call and approved it.
    approved: bool,
}

impl CallGrants {
    /// Of a run.
    pub fn new(grants: Option<Arc<Grants>>) -> Self {
        Self { grants, approved: false }
    }

    /// After the person approved the call.
    #[must_use]
    pub fn approved(self, approved: bool) -> Self {
        Self { approved, ..self }
    }

    /// What the grants say about a use.
    pub fn verdict(&self, target: &GrantTarget, write: bool) -> Verdict<'_> {
        match &self.grants {
            Some(grants) => grants.decide(target, write),
            None => Verdict { decision: GrantDecision::Allow, rule: None },
        }
    }

    /// Whether a use is allowed now. Faults `grant.denied`, `grant.missing`, `grant.asks`.
    pub fn check(&self, target: &GrantTarget, write: bool) -> Result<(), Fault> {
        let verdict = self.verdict(target, write);
        match verdict.decision {
            GrantDecision::Allow => Ok(()),
            GrantDecision::Ask if self.approved => Ok(()),
            _ => Err(refuse(target, write, verdict)),
        }
    }

    /// See [`Grants::opens_local_host`].
    pub fn opens_local_host(&self, target: &GrantTarget, write: bool) -> bool {
        match (&self.grants, target) {
            (Some(grants), GrantTarget::Host(Some((name, port)))) => {
                grants.opens_local_host(name, *port, write)
            }
            _ => false,
        }
    }
}

/// Why a use is refused.
pub fn refuse(target: &GrantTarget, write: bool, verdict: Verdict<'_>) -> Fault {
    let pattern = GrantPattern::of(target);
    let what = match (target, write) {
        (GrantTarget::Command(name), _) => format!("start the MCP server `{name}`"),
        (GrantTarget::Host(None), _) => "send requests to hosts that are not known before".to_owned(),
        (GrantTarget::Host(_), false) => format!("send requests to `{}`", pattern.name()),
        (GrantTarget::Host(_), true) => {
            format!("send requests that change something to `{}`", pattern.name())
        }
        (GrantTarget::Folder(folder), false) => format!("read files in `{folder}`"),
        (GrantTarget::Folder(folder), true) => format!("write files in `{folder}`"),
        (GrantTarget::Tool { .. }, _) => format!("call the tool `{}`", pattern.name()),
    };
    match (verdict.decision, verdict.rule) {
        (GrantDecision::Deny, Some(rule)) => Fault::new(
            ErrorCode::GrantDenied,
            format!("This flow may not {what}: the rule `{}` denies it.", rule.target),
        )
        .hint(
            "Change the rule under *What this flow may do* or with `plait grants`, then run the flow again.",
        ),
        (GrantDecision::Ask, _) => {
            let message = format!("This flow may not {what} without asking, and nobody was asked.");
            Fault::new(ErrorCode::GrantAsks, message)
                .hint("Call the tool with this target itself; the person is asked then.")
        }
        _ => {
            let message = format!("This flow may not {what}: nobody allowed it.");
            Fault::new(ErrorCode::GrantMissing, message).hint(format!(
                "Allow it under *What this flow may do* or with `--allow {pattern}`, then run the flow again."
            ))
        }
    }
}
