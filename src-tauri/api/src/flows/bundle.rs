//! A flow with the sub-flows of its files inside of it: what is published, so that a later change of a file does not reach it.

use std::path::{Path, PathBuf};

use plait_adapters::FileAccess;
use plait_core::flow::Flow;
use plait_core::id::NodeId;
use plait_llm::needs::NodeNeed;
use plait_run::host::subflow::{ChildFlow, MAX_DEPTH};
use plait_run::node::Registry;
use plait_run::plan::BoundFlow;

use super::subflows::{self, Subflow};
use crate::ErrorReply;
use crate::codes;

/// How many flows a bundle has. A few levels of flows that each run ten others would be a million.
const MAX_BUNDLED_FLOWS: usize = 1_000;

/// Puts the flows of the files that a flow names inside of its nodes, and those of their files. A flow that is named twice is there twice.
/// Errors as of reading a sub-flow; `subflow.recursion`, `subflow.too_deep`, `subflow.invalid` for more than 1,000 of them, and
/// `subflow.other_folder` for one that would find other files from there.
pub fn bundle_flow(mut flow: Flow, path: Option<&str>, registry: &Registry) -> Result<Flow, ErrorReply> {
    let access = FileAccess::of_process(None);
    let folder = path.and_then(|path| Path::new(path).canonicalize().ok()?.parent().map(Path::to_owned));
    let mut bundle = Bundle { registry, access, folder, count: 0 };
    let mut above = path.map(|path| (path.to_owned(), subflows::file_name(path))).into_iter().collect();
    bundle.add(&mut flow, path, &mut above, 0)?;
    Ok(flow)
}

struct Bundle<'r> {
    registry: &'r Registry,
    access: FileAccess,
    /// The folder of the outermost flow, from which all of them find their files then.
    folder: Option<PathBuf>,
    count: usize,
}

impl Bundle<'_> {
    /// `above` has the files and the names of the flows that lead to `flow`, itself included.
    fn add(
        &mut self,
        flow: &mut Flow,
        path: Option<&str>,
        above: &mut Vec<(String, String)>,
        depth: usize,
    ) -> Result<(), ErrorReply> {
        let children: Vec<(NodeId, ChildFlow)> = BoundFlow::new(flow, self.registry)
            .enabled_nodes()
            .filter_map(|(id, node)| Some((id.clone(), node.behavior().calls.clone()?)))
            .collect();
        for (id, child) in children {
            if depth + 1 >= MAX_DEPTH {
                let names = above.iter().map(|(_, name)| name.as_str());
                return Err(subflows::too_deep(names.chain([id.as_str()])));
            }
            self.count += 1;
            if self.count > MAX_BUNDLED_FLOWS {
                let message = format!("The flow runs more than {MAX_BUNDLED_FLOWS} sub-flows.");
                return Err(ErrorReply::new(codes::SUBFLOW_INVALID, message)
                    .hint("Let it run fewer, for example with one sub-flow in a loop."));
            }
            let inner = match child {
                ChildFlow::Inner(inner) => {
                    let mut inner = Flow::clone(&inner);
                    self.add(&mut inner, path, above, depth + 1)?;
                    inner
                }
                ChildFlow::File(file) => self.read(&file, path, above, depth + 1)?,
            };
            let value = serde_json::to_value(&inner).map_err(|error| {
                ErrorReply::new(
                    codes::SUBFLOW_INVALID,
                    format!("The sub-flow of `{id}` cannot be written: {error}."),
                )
            })?;
            if let Some(node) = flow.nodes.get_mut(&id) {
                node.config.remove("file");
                node.config.insert("flow".to_owned(), value);
            }
        }
        Ok(())
    }

    fn read(
        &mut self,
        file: &str,
        parent: Option<&str>,
        above: &mut Vec<(String, String)>,
        depth: usize,
    ) -> Result<Flow, ErrorReply> {
        let Subflow { mut flow, path, name } = subflows::read(file, parent, &self.access)?;
        let key = path.clone().unwrap_or_else(|| name.clone());
        let is_above = above.iter().any(|(other, _)| *other == key);
        above.push((key, name));
        if is_above {
            let names: Vec<String> = above.iter().map(|(_, name)| name.clone()).collect();
            return Err(subflows::recursion(&names));
        }
        if flow.name.is_empty() {
            file.clone_into(&mut flow.name);
        }
        self.check_folder(&flow, path.as_deref(), file)?;
        self.add(&mut flow, path.as_deref(), above, depth)?;
        above.pop();
        Ok(flow)
    }

    /// Inside of the outermost flow, relative names of files and folders begin at its folder.
    fn check_folder(&self, flow: &Flow, path: Option<&str>, file: &str) -> Result<(), ErrorReply> {
        let folder = path.and_then(|path| Path::new(path).parent());
        if folder == self.folder.as_deref() {
            return Ok(());
        }
        let finds_files = |need: &NodeNeed| {
            matches!(need, NodeNeed::Tools(_) | NodeNeed::ReadingTools | NodeNeed::Documents(_))
        };
        let bound = BoundFlow::new(flow, self.registry);
        let uses_files = bound.enabled_nodes().any(|(_, node)| node.behavior().needs.iter().any(finds_files));
        if flow.settings.folders.is_empty() && !uses_files {
            return Ok(());
        }
        let message =
            format!("`{file}` is in another folder than the flow that is published, and uses files there.");
        Err(ErrorReply::new(codes::SUBFLOW_OTHER_FOLDER, message)
            .hint("Move it into the folder of the flow, with the files that it uses."))
    }
}

#[cfg(test)]
mod tests;
