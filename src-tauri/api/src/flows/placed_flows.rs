//! A flow and the flows that run below it, each at the place where it runs: a flow that two nodes run is there twice.

use std::collections::VecDeque;

use plait_adapters::FileAccess;
use plait_core::diagnostic::escape;
use plait_core::flow::Flow;
use plait_core::id::NodeId;
use plait_run::host::subflow::{ChildFlow, MAX_DEPTH};
use plait_run::node::Registry;
use plait_run::plan::BoundFlow;

use super::subflows;

/// How many flows are read. A few levels of flows that each run ten others would be a million.
const MAX_PLACED_FLOWS: usize = 1_000;

/// A flow at a place of a run tree.
#[derive(Clone, Debug)]
pub struct PlacedFlow {
    /// The `subflow` nodes that lead to it, the outermost first.
    pub path: Vec<NodeId>,
    pub flow: Flow,
    /// The file that it is in, if it is in one.
    pub file: Option<String>,
    /// Where it is in that file: the JSON pointer of the config that holds it, or nothing if the file is this flow.
    pub pointer: String,
}

/// A flow and those below it, outer ones first; at most 1,000. Flows that can't be read are left out, as are those that run themselves.
pub fn placed_flows(flow: &Flow, file: Option<&str>, registry: &Registry) -> Vec<PlacedFlow> {
    let access = FileAccess::of_process(None);
    let root = PlacedFlow {
        path: Vec::new(),
        flow: flow.clone(),
        file: file.map(str::to_owned),
        pointer: String::new(),
    };
    let mut open = VecDeque::from([(root, Vec::new())]);
    let mut placed = Vec::new();
    while let Some((at, mut above)) = open.pop_front() {
        if placed.len() + open.len() < MAX_PLACED_FLOWS && at.path.len() < MAX_DEPTH {
            above.extend(at.file.clone().filter(|_| at.pointer.is_empty()));
            for (id, node) in BoundFlow::new(&at.flow, registry).enabled_nodes() {
                let path = at.path.iter().chain([id]).cloned().collect();
                let below = match &node.behavior().calls {
                    Some(ChildFlow::Inner(inner)) => PlacedFlow {
                        path,
                        flow: Flow::clone(inner),
                        file: at.file.clone(),
                        pointer: format!("{}/nodes/{}/config/flow", at.pointer, escape(id.as_str())),
                    },
                    Some(ChildFlow::File(name)) => {
                        let Ok(read) = subflows::read(name, at.file.as_deref(), &access) else { continue };
                        if read.path.as_ref().is_some_and(|file| above.contains(file)) {
                            continue;
                        }
                        PlacedFlow { path, flow: read.flow, file: read.path, pointer: String::new() }
                    }
                    None => continue,
                };
                open.push_back((below, above.clone()));
            }
        }
        placed.push(at);
    }
    placed
}
