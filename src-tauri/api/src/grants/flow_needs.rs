//! Reads what a flow and its sub-flows need. Reads the files of sub-flows, executes nothing.

use std::collections::BTreeSet;
use std::path::Path;

use plait_adapters::FileAccess;
use plait_core::flow::Flow;
use plait_core::hash::content_hash;
use plait_core::id::NodeId;
use plait_run::host::subflow::{ChildFlow, MAX_DEPTH};
use plait_run::needs::{Need, NeedCatalog, NeedCollector, NodePlace};
use plait_run::node::{Behavior, Registry};
use plait_run::plan::Plan;

use crate::flows::subflows;

/// Collects needs.
pub(crate) struct FlowNeeds<'a> {
    registry: &'a Registry,
    collector: NeedCollector<'a>,
    access: FileAccess,
    /// The files of sub-flows that were read.
    seen: BTreeSet<String>,
    /// What the nodes say that they need, in a line each.
    lines: Vec<String>,
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
    depth: usize,
}

impl<'a> FlowNeeds<'a> {
    /// The needs of a flow, whether or not it can run.
    pub(crate) fn of_flow(
        flow: &Flow,
        path: Option<&str>,
        registry: &'a Registry,
        catalog: &'a NeedCatalog,
    ) -> NeedsOfFlow {
        let mut reader = Self::new(registry, catalog);
        let folder = path.and_then(canonical_folder);
        reader.add_flow(VisitedFlow { flow, path, folder: folder.as_deref(), name: None, depth: 0 });
        reader.finish()
    }

    /// The needs of the nodes that a plan runs. The hash is that of the whole flow.
    pub(crate) fn of_plan(
        plan: &Plan,
        flow: &Flow,
        path: Option<&str>,
        registry: &'a Registry,
        catalog: &'a NeedCatalog,
    ) -> Vec<Need> {
        let NeedsOfFlow { hash, .. } = Self::of_flow(flow, path, registry, catalog);
        let mut reader = Self::new(registry, catalog);
        let folder = path.and_then(canonical_folder);
        let visited = VisitedFlow { flow, path, folder: folder.as_deref(), name: None, depth: 0 };
        reader.collector.add_folders(visited.folder, &flow.settings.folders, None);
        for node in &plan.nodes {
            reader.add_node(visited, &node.id, node.node.behavior());
        }
        stamped(reader.collector.finish(), &hash)
    }

    fn new(registry: &'a Registry, catalog: &'a NeedCatalog) -> Self {
        let (collector, access) = (NeedCollector::new(catalog), FileAccess::of_process(None));
        Self { registry, collector, access, seen: BTreeSet::new(), lines: Vec::new() }
    }

    fn finish(self) -> NeedsOfFlow {
        let hash = content_hash(self.lines.join("\n").as_bytes());
        NeedsOfFlow { needs: stamped(self.collector.finish(), &hash), hash }
    }

    fn add_flow(&mut self, visited: VisitedFlow<'_>) {
        let name = visited.name.unwrap_or_default();
        for folder in &visited.flow.settings.folders {
            let what = if folder.write { "write" } else { "read" };
            self.lines.push(format!("{name}/ {what} {}", folder.path));
        }
        self.collector.add_folders(visited.folder, &visited.flow.settings.folders, visited.name);
        for (id, node) in visited.flow.enabled_nodes() {
            // A node that can't be read can't run.
            if let Some(Ok(bound)) = self.registry.bind(id, &node.node_type, &node.config) {
                self.add_node(visited, id, bound.behavior());
            }
        }
    }

    fn add_node(&mut self, visited: VisitedFlow<'_>, id: &NodeId, behavior: &Behavior) {
        if behavior.inert {
            return;
        }
        if !behavior.needs.is_empty() {
            let title = visited.flow.nodes.get(id).and_then(|node| node.title.as_deref());
            let folders = &visited.flow.settings.folders;
            let place = NodePlace { node: id, title, folder: visited.folder, folders, flow: visited.name };
            self.collector.add_node(place, &behavior.needs);
            let name = visited.name.unwrap_or_default();
            self.lines.extend(behavior.needs.iter().map(|need| format!("{name}/{id} {}", need.summary())));
        }
        let depth = visited.depth + 1;
        match &behavior.calls {
            Some(_) if depth >= MAX_DEPTH => {}
            Some(ChildFlow::Inner(flow)) => {
                let name = Some(flow.name.as_str()).filter(|name| !name.is_empty());
                self.add_flow(VisitedFlow { flow, name: name.or(Some(id.as_str())), depth, ..visited });
            }
            Some(ChildFlow::File(file)) => self.add_file(file, visited.path, depth),
            None => {}
        }
    }

    /// Adds the flow in a file. One that can't be read fails when it is run.
    fn add_file(&mut self, file: &str, parent: Option<&str>, depth: usize) {
        let Ok(subflow) = subflows::read(file, parent, &self.access) else { return };
        let key = subflow.path.clone().unwrap_or_else(|| subflow.name.clone());
        if !self.seen.insert(key) {
            return;
        }
        let path = subflow.path.as_deref();
        let folder = path.and_then(canonical_folder);
        let (flow, name) = (&subflow.flow, Some(subflow.name.as_str()));
        self.add_flow(VisitedFlow { flow, path, folder: folder.as_deref(), name, depth });
    }
}

/// Needs that say of which whole they are a part.
fn stamped(needs: Vec<Need>, hash: &str) -> Vec<Need> {
    needs.into_iter().map(|need| Need { needs_hash: Some(hash.to_owned()), ..need }).collect()
}

/// The folder of a flow's file, without links.
pub(crate) fn canonical_folder(path: &str) -> Option<String> {
    let folder = Path::new(path).parent()?;
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    folder.to_str().map(str::to_owned)
}
