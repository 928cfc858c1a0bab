//! What one tool call uses.

use serde_json::Value;

use crate::grant::{GrantPattern, GrantTarget, folder_target, host_of_url};
use crate::http_tool::HTTP_SOURCE;
use crate::tool::{ServerAddress, ToolEffect, ToolHost, ToolSpec};
use plait_core::flow::FolderAccess;

/// One use of a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallAccess {
    pub target: GrantTarget,
    /// Whether it changes something there.
    pub write: bool,
}

/// The targets of a tool call: the tool itself, and the host or the folders. `folder` is the folder of the flow's file,
/// and `folders` are the declared ones. The needs of an MCP server are not part of it; see [`server_access`].
pub fn targets_of_call(
    tool: &ToolSpec,
    arguments: &Value,
    folder: Option<&str>,
    folders: &[FolderAccess],
) -> Vec<CallAccess> {
    let write = tool.effect == ToolEffect::Write;
    if let Some(server) = tool.mcp_server() {
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
            // The tool itself refuses paths outside of the declared folders.
            let target = folder.and_then(|folder| declared_target(folder, folders, text("path"), write));
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

/// The folder of a file, if a folder around it is declared for this.
fn declared_target(folder: &str, folders: &[FolderAccess], file: &str, write: bool) -> Option<GrantTarget> {
    let parent = file.rsplit_once('/').map_or("", |(parent, _)| parent);
    let target = folder_target(folder, parent)?;
    let mut declared = declared_folders(folder, folders).into_iter();
    let is_declared =
        declared.any(|(one, is_writable)| (is_writable || !write) && GrantPattern::of(&one).covers(&target));
    is_declared.then_some(target)
}

/// The folders that a flow declares, and whether for writing; that of its file, to read, if it declares none.
pub(super) fn declared_folders(folder: &str, folders: &[FolderAccess]) -> Vec<(GrantTarget, bool)> {
    if folders.is_empty() {
        return folder_target(folder, "").map(|target| (target, false)).into_iter().collect();
    }
    let declared = folders.iter();
    declared.filter_map(|one| Some((folder_target(folder, one.path.trim())?, one.write))).collect()
}

/// What it takes to reach an MCP server of the person. `None` if there is none of this name: then nothing is reached.
pub fn server_access(host: &dyn ToolHost, server: &str) -> Option<CallAccess> {
    let known = host.servers().remove(server)?;
    Some(address_access(server, &known.address))
}

pub(super) fn address_access(server: &str, address: &ServerAddress) -> CallAccess {
    match address {
        ServerAddress::Command(_) => {
            CallAccess { target: GrantTarget::Command(server.to_owned()), write: false }
        }
        // A call is a POST.
        ServerAddress::Url(url) => CallAccess { target: host_of_url(url), write: true },
    }
}
