//! Reads what a flow and its sub-flows need. Reads the files of sub-flows, executes nothing.

use std::collections::BTreeMap;
use std::path::Path;

use plait_adapters::FileAccess;
use plait_core::flow::Flow;
use plait_core::hash::content_hash;
use plait_core::id::NodeId;
use plait_llm::needs::{Need, NeedCatalog, NeedCollector, NodePlace};
use plait_run::host::subflow::{ChildFlow, MAX_DEPTH};
use plait_run::node::{Behavior, Registry};
use plait_run::plan::Plan;
use serde_json::json;

use crate::flows::subflows;

/// Collects needs.
pub(crate) struct FlowNeeds<'a> {
    registry: &'a Registry,
    collector: NeedCollector<'a>,
    access: FileAccess,
    /// The files of sub-flows that were read, and whether their needs were collected.
    seen: BTreeMap<String, bool>,
    /// What each node and folder needs, with its place. Names for people are no part of it.
    stated: Vec<(String, String)>,
    /// The nodes of the outermost flow whose needs are collected, with those of the sub-flows that they call. All if `None`.
    planned: Option<&'a BTreeMap<&'a NodeId, &'a Behavior>>,
}

/// What a flow needs.
pub(crate) struct NeedsOfFlow {
    pub(crate) needs: Vec<Need>,
    /// The hash of what its nodes and those of its sub-flows say that they need.
    pub(crate) hash: String,
}

/// A flow that is searched for needs.
#[derive(Clone, Copy)]
struct VisitedFlow<'f> {
    flow: &'f Flow,
    path: Option<&'f str>,
    folder: Option<&'f str>,
    name: Option<&'f str>,
    /// The ids of the nodes that call it, from the outermost one on, each with a `/` behind it.
    place: &'f str,
    depth: usize,
    /// Whether its needs are collected.
    is_collected: bool,
    /// Whether its needs are a part of the hash, as they are once.
    is_stated: bool,
}

impl<'a> FlowNeeds<'a> {
    /// The needs of a flow, whether or not it can run.
    pub(crate) fn of_flow(
        flow: &Flow,
        path: Option<&str>,
        registry: &'a Registry,
        catalog: &'a NeedCatalog,
    ) -> NeedsOfFlow {
        Self::read(flow, path, registry, catalog, None)
    }

    /// The needs of the nodes that a plan runs. The hash is that of the whole flow.
    pub(crate) fn of_plan(
        plan: &Plan,
        flow: &Flow,
        path: Option<&str>,
        registry: &'a Registry,
        catalog: &'a NeedCatalog,
    ) -> Vec<Need> {
        let planned = plan.nodes.iter().map(|node| (&node.id, node.node.behavior())).collect();
        Self::read(flow, path, registry, catalog, Some(&planned)).needs
    }

    fn read(
        flow: &Flow,
        path: Option<&str>,
        registry: &Registry,
        catalog: &NeedCatalog,
        planned: Option<&BTreeMap<&NodeId, &Behavior>>,
    ) -> NeedsOfFlow {
        let mut reader = FlowNeeds {
            registry,
            collector: NeedCollector::new(catalog),
            access: FileAccess::of_process(None),
            seen: BTreeMap::new(),
            stated: Vec::new(),
            planned,
        };
        let folder = path.and_then(canonical_folder);
        let folder = folder.as_deref();
        reader.add_flow(VisitedFlow {
            flow,
            path,
            folder,
            name: None,
            place: "",
            depth: 0,
            is_collected: true,
            is_stated: true,
        });
        let hash = content_hash(json!(reader.stated).to_string().as_bytes());
        NeedsOfFlow { needs: with_needs_hash(reader.collector.finish(), &hash), hash }
    }

    fn add_flow(&mut self, visited: VisitedFlow<'_>) {
        for folder in visited.flow.settings.folders.iter().filter(|_| visited.is_stated) {
            let what = if folder.write { "write" } else { "read" };
            self.stated.push((visited.place.to_owned(), format!("{what} {}", folder.path)));
        }
        if visited.is_collected {
            self.collector.add_folders(visited.folder, &visited.flow.settings.folders, visited.name);
        }
        let planned = self.planned.filter(|_| visited.depth == 0);
        for (id, node) in visited.flow.executable_nodes() {
            if let Some(behavior) = planned.and_then(|planned| planned.get(id)) {
                self.add_node(visited, id, behavior);
            } else if let Some(Ok(bound)) = self.registry.bind(id, &node.node_type, &node.config) {
                let is_collected = visited.is_collected && planned.is_none();
                self.add_node(VisitedFlow { is_collected, ..visited }, id, bound.behavior());
            }
            // A node that can't be read can't run.
        }
    }

    fn add_node(&mut self, visited: VisitedFlow<'_>, id: &NodeId, behavior: &Behavior) {
        if behavior.inert {
            return;
        }
        let place = format!("{}{id}/", visited.place);
        if !behavior.needs.is_empty() {
            let title = visited.flow.nodes.get(id).and_then(|node| node.title.as_deref());
            let folders = &visited.flow.settings.folders;
            let at = NodePlace { node: id, title, folder: visited.folder, folders, flow: visited.name };
            if visited.is_collected {
                self.collector.add_node(at, &behavior.needs);
            }
            if visited.is_stated {
                self.stated.extend(behavior.needs.iter().map(|need| (place.clone(), need.summary())));
            }
        }
        let depth = visited.depth + 1;
        match &behavior.calls {
            Some(_) if depth >= MAX_DEPTH => {}
            Some(ChildFlow::Inner(flow)) => {
                let name = Some(flow.name.as_str()).filter(|name| !name.is_empty());
                let name = name.or(Some(id.as_str()));
                self.add_flow(VisitedFlow { flow, name, place: &place, depth, ..visited });
            }
            Some(ChildFlow::File(file)) => {
                self.add_file(file, VisitedFlow { place: &place, depth, ..visited });
            }
            None => {}
        }
    }

    /// Adds the flow in a file. One that can't be read fails when it is run.
    fn add_file(&mut self, file: &str, caller: VisitedFlow<'_>) {
        let Ok(subflow) = subflows::read(file, caller.path, &self.access) else { return };
        let key = subflow.path.clone().unwrap_or_else(|| subflow.name.clone());
        // One that was read where needs are not collected may be called where they are.
        let known = self.seen.get(&key).copied();
        if known == Some(true) || known.is_some() && !caller.is_collected {
            return;
        }
        self.seen.insert(key, caller.is_collected);
        let is_stated = caller.is_stated && known.is_none();
        let path = subflow.path.as_deref();
        let folder = path.and_then(canonical_folder);
        let (flow, name) = (&subflow.flow, Some(subflow.name.as_str()));
        self.add_flow(VisitedFlow { flow, path, folder: folder.as_deref(), name, is_stated, ..caller });
    }
}

/// Adds the hash of the whole flow's needs to each need.
fn with_needs_hash(needs: Vec<Need>, hash: &str) -> Vec<Need> {
    needs.into_iter().map(|need| Need { needs_hash: Some(hash.to_owned()), ..need }).collect()
}

/// The folder of a flow's file, without links.
pub(crate) fn canonical_folder(path: &str) -> Option<String> {
    let folder = Path::new(path).parent()?;
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    folder.to_str().map(str::to_owned)
}
