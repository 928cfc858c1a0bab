//! Collects the needs of a flow and its sub-flows, each once, with who needs it.

use std::collections::BTreeMap;

use super::call_targets::{address_access, declared_folders};
use super::{Need, NeedCatalog, NeedUse, NodeNeed};
use crate::grant::{GrantPattern, GrantTarget, folder_target, host_of_url};
use crate::tool::{ServerAddress, ToolEffect};
use plait_core::flow::FolderAccess;
use plait_core::id::NodeId;

/// Maximum uses that a need lists. More of them say nothing new.
const MAX_USES: usize = 50;

/// Where a node is, for the reasons of its needs.
#[derive(Clone, Copy, Debug)]
pub struct NodePlace<'a> {
    pub node: &'a NodeId,
    pub title: Option<&'a str>,
    /// The folder of the flow's file.
    pub folder: Option<&'a str>,
    /// The folders that the flow declares.
    pub folders: &'a [FolderAccess],
    /// The name of the sub-flow that it is in.
    pub flow: Option<&'a str>,
}

/// Collects the needs of a flow and its sub-flows.
pub struct NeedCollector<'a> {
    catalog: &'a NeedCatalog,
    needs: BTreeMap<GrantPattern, Need>,
}

impl<'a> NeedCollector<'a> {
    /// Nothing so far.
    pub fn new(catalog: &'a NeedCatalog) -> Self {
        Self { catalog, needs: BTreeMap::new() }
    }

    /// The needs, commands first.
    pub fn finish(self) -> Vec<Need> {
        self.needs.into_values().collect()
    }

    /// Adds the folders that a flow declares, whether or not a tool uses them.
    pub fn add_folders(&mut self, folder: Option<&str>, folders: &[FolderAccess], flow: Option<&str>) {
        let Some(folder) = folder.filter(|_| !folders.is_empty()) else { return };
        for (target, write) in declared_folders(folder, folders) {
            let what = if write { "write" } else { "read" };
            let flow = flow.map(str::to_owned);
            self.add(&target, write, None, NeedUse { node: None, title: None, flow, what: what.to_owned() });
        }
    }

    pub fn add_node(&mut self, place: NodePlace<'_>, needs: &[NodeNeed]) {
        let catalog = self.catalog;
        for need in needs {
            match need {
                NodeNeed::Request { url, method, tool } => {
                    let target = url.as_deref().map_or(GrantTarget::Host(None), host_of_url);
                    let what = match tool {
                        Some(tool) => format!("{} ({tool})", method.as_str()),
                        None => method.as_str().to_owned(),
                    };
                    self.add_at(place, &target, !method.is_safe(), what);
                }
                NodeNeed::Server { name, tools } => self.add_server(place, name, tools),
                NodeNeed::Tools(names) => {
                    for name in names {
                        let effect =
                            catalog.tools.iter().find(|tool| tool.name == *name).map(|tool| tool.effect);
                        self.add_tool(place, name, effect.unwrap_or_default());
                    }
                }
                NodeNeed::ReadingTools => {
                    let reading = catalog.tools.iter().filter(|tool| tool.effect != ToolEffect::Write);
                    for tool in reading {
                        self.add_tool(place, &tool.name, ToolEffect::Read);
                    }
                }
                NodeNeed::Fetch { url } => {
                    self.add_at(place, &host_of_url(url), false, "fetch_url".to_owned());
                }
                NodeNeed::Documents(path) => {
                    let target = place.folder.and_then(|folder| folder_target(folder, path.trim()));
                    if let Some(target) = target {
                        self.add_at(place, &target, false, "knowledge".to_owned());
                    }
                }
            }
        }
    }

    /// One of Plait's own tools.
    fn add_tool(&mut self, place: NodePlace<'_>, name: &str, effect: ToolEffect) {
        let writes = effect == ToolEffect::Write;
        if writes {
            self.add_at(place, &GrantTarget::tool(name), true, name.to_owned());
        }
        match name {
            "fetch_url" => self.add_at(place, &GrantTarget::Host(None), false, name.to_owned()),
            "read_file" | "search_files" | "write_file" => {
                let folders = place.folder.map(|folder| declared_folders(folder, place.folders));
                for (target, is_writable) in folders.into_iter().flatten() {
                    if is_writable || !writes {
                        self.add_at(place, &target, writes, name.to_owned());
                    }
                }
            }
            _ => {}
        }
    }

    fn add_server(&mut self, place: NodePlace<'_>, name: &str, wanted: &[String]) {
        // One that the person does not have is not started, either.
        let Some(known) = self.catalog.servers.get(name) else { return };
        let access = address_access(name, &known.address);
        let command = match &known.address {
            ServerAddress::Command(command) => Some(command.clone()),
            ServerAddress::Url(_) => None,
        };
        self.add(&access.target, access.write, command, place.to_use(format!("MCP server {name}")));
        match &known.tools {
            // What it offers is not known before it is started.
            None if wanted.is_empty() => {
                let target = GrantTarget::Tool { server: Some(name.to_owned()), tool: None };
                self.add_at(place, &target, true, "all tools, accepted as first seen".to_owned());
            }
            None => {
                for tool in wanted {
                    let what = format!("{tool}, accepted as first seen");
                    self.add_at(place, &GrantTarget::server_tool(name, tool), true, what);
                }
            }
            Some(tools) => {
                let offered = tools.iter().filter(|(tool, _)| wanted.is_empty() || wanted.contains(tool));
                for (_, tool) in offered.filter(|(_, tool)| tool.effect == ToolEffect::Write) {
                    let target = GrantTarget::server_tool(name, &tool.name);
                    self.add_at(place, &target, true, tool.name.clone());
                }
            }
        }
    }

    fn add_at(&mut self, place: NodePlace<'_>, target: &GrantTarget, write: bool, what: String) {
        self.add(target, write, None, place.to_use(what));
    }

    fn add(&mut self, target: &GrantTarget, write: bool, seen: Option<String>, by: NeedUse) {
        let pattern = GrantPattern::of(target);
        let need = self.needs.entry(pattern.clone()).or_insert_with(|| Need {
            target: pattern,
            kind: target.kind(),
            write: false,
            seen: None,
            needs_hash: None,
            uses: Vec::new(),
        });
        need.write |= write;
        need.seen = seen.or(need.seen.take());
        if need.uses.len() < MAX_USES && !need.uses.contains(&by) {
            need.uses.push(by);
        }
    }
}

impl NodePlace<'_> {
    fn to_use(self, what: String) -> NeedUse {
        NeedUse {
            node: Some(self.node.clone()),
            title: self.title.map(str::to_owned),
            flow: self.flow.map(str::to_owned),
            what,
        }
    }
}
