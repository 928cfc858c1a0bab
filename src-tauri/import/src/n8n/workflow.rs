//! The shape of an n8n workflow: nodes by name, and connections from outputs to inputs, by kind.

use std::collections::HashMap;

use serde_json::Value;

use crate::point::Point;
use crate::{check_size, wrong_shape};
use plait_core::error::Fault;
use plait_formats::foreign::Format;

/// A workflow as it is in a file.
pub(super) struct Workflow<'v> {
    pub(super) name: &'v str,
    pub(super) nodes: Vec<WorkflowNode<'v>>,
    pub(super) edges: Vec<Connection>,
    /// Whether the first nodes of all branches run before the second ones. n8n's earlier order; today a branch runs to its end.
    pub(super) is_breadth_first: bool,
    /// Whether connections have the ids of nodes in place of their names.
    pub(super) has_ids: bool,
    /// Connections from or to nodes that the file doesn't have.
    pub(super) dangling: Vec<(String, String, String)>,
    /// The edges into and out of each node, in the order of the file.
    incoming: Vec<Vec<usize>>,
    outgoing: Vec<Vec<usize>>,
}

pub(super) struct WorkflowNode<'v> {
    pub(super) name: &'v str,
    /// The last part of its type, such as `httpRequest`.
    pub(super) kind: &'v str,
    pub(super) full_kind: &'v str,
    pub(super) version: f64,
    pub(super) parameters: &'v Value,
    pub(super) json: &'v Value,
    pub(super) at: Point,
    pub(super) is_disabled: bool,
}

/// A connection between nodes by their indexes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Connection {
    pub(super) source: usize,
    pub(super) output: usize,
    pub(super) target: usize,
    pub(super) input: usize,
    /// `main`, or the role of a part: `ai_languageModel`, `ai_tool` and so on.
    pub(super) kind: String,
}

impl Connection {
    pub(super) fn is_main(&self) -> bool {
        self.kind == MAIN
    }
}

pub(super) const MAIN: &str = "main";

impl<'v> Workflow<'v> {
    pub(super) fn read(value: &'v Value) -> Result<Self, Fault> {
        let nodes = value.get("nodes").and_then(Value::as_array);
        let nodes = nodes.ok_or_else(|| wrong_shape(Format::N8n, "it has no list of `nodes`"))?;
        let nodes: Vec<_> = nodes.iter().filter(|node| node.is_object()).map(WorkflowNode::read).collect();
        if nodes.is_empty() {
            return Err(wrong_shape(Format::N8n, "it has no nodes"));
        }
        let names = nodes.iter().enumerate().map(|(at, node)| (node.name, at));
        let index: HashMap<&str, usize> = names.collect();
        // n8n names nodes in connections. Collections that others made have their ids there.
        let ids = nodes.iter().enumerate().map(|(at, node)| (text(node.json, "id"), at));
        let ids: HashMap<&str, usize> = ids.filter(|(id, _)| !id.is_empty()).collect();
        let find = |name: &str| index.get(name).or_else(|| ids.get(name)).copied();
        let count = nodes.len();
        let mut workflow = Self {
            name: text(value, "name"),
            nodes,
            edges: Vec::new(),
            is_breadth_first: value.pointer("/settings/executionOrder").is_some_and(|order| order == "v0"),
            has_ids: false,
            dangling: Vec::new(),
            incoming: vec![Vec::new(); count],
            outgoing: vec![Vec::new(); count],
        };
        let connections = value.get("connections").and_then(Value::as_object);
        for (source, kinds) in connections.into_iter().flatten() {
            for (kind, outputs) in kinds.as_object().into_iter().flatten() {
                let outputs = outputs.as_array().into_iter().flatten().enumerate();
                for (output, targets) in outputs {
                    for target in targets.as_array().into_iter().flatten() {
                        let name = text(target, "node");
                        let (Some(from), Some(to)) = (find(source), find(name)) else {
                            workflow.dangling.push((source.clone(), name.to_owned(), kind.clone()));
                            continue;
                        };
                        workflow.has_ids |= !index.contains_key(source.as_str()) || !index.contains_key(name);
                        let input = target.get("index").and_then(Value::as_u64).unwrap_or(0);
                        workflow.incoming[to].push(workflow.edges.len());
                        workflow.outgoing[from].push(workflow.edges.len());
                        workflow.edges.push(Connection {
                            source: from,
                            output,
                            target: to,
                            input: usize::try_from(input).unwrap_or(0),
                            kind: kind.clone(),
                        });
                    }
                }
            }
        }
        check_size(workflow.nodes.len(), workflow.edges.len() + workflow.dangling.len())?;
        Ok(workflow)
    }

    /// The edges into a node, with their indexes.
    pub(super) fn incoming(&self, node: usize) -> impl Iterator<Item = (usize, &Connection)> {
        self.incoming[node].iter().map(|&index| (index, &self.edges[index]))
    }

    /// The edges out of a node.
    pub(super) fn outgoing(&self, node: usize) -> impl Iterator<Item = &Connection> {
        self.outgoing[node].iter().map(|&index| &self.edges[index])
    }

    /// The edges out of a node, with their indexes.
    pub(super) fn outgoing_with_index(&self, node: usize) -> impl Iterator<Item = (usize, &Connection)> {
        self.outgoing[node].iter().map(|&index| (index, &self.edges[index]))
    }

    /// The nodes that stand in a role for a node, such as its model.
    pub(super) fn parts(&self, node: usize, kind: &str) -> Vec<usize> {
        self.incoming(node).filter(|(_, edge)| edge.kind == kind).map(|(_, edge)| edge.source).collect()
    }

    /// Whether a node is a part of another, and no step of the workflow.
    pub(super) fn is_part(&self, node: usize) -> bool {
        !self.outgoing[node].is_empty() && self.outgoing(node).all(|edge| !edge.is_main())
    }

    /// The nodes in an order with each behind the nodes that lead to it, and the connections that close a cycle.
    pub(super) fn order(&self) -> (Vec<usize>, Vec<usize>) {
        let count = self.nodes.len();
        // A part, such as a model, starts nothing: from there a cycle would be cut in its middle.
        let begins = |node: &usize| self.incoming(*node).all(|(_, edge)| !edge.is_main());
        let steps = (0..count).filter(|node| begins(node) && !self.is_part(*node));
        let starts = steps.chain((0..count).filter(begins)).chain(0..count);
        let mut state = vec![Visit::New; self.nodes.len()];
        let (mut order, mut back) = (Vec::new(), Vec::new());
        for start in starts {
            if state[start] != Visit::New {
                continue;
            }
            state[start] = Visit::Open;
            let mut stack = vec![(start, 0)];
            while let Some((node, next)) = stack.pop() {
                let Some(&edge) = self.outgoing[node].get(next) else {
                    state[node] = Visit::Done;
                    order.push(node);
                    continue;
                };
                stack.push((node, next + 1));
                let target = self.edges[edge].target;
                match state[target] {
                    Visit::New => {
                        state[target] = Visit::Open;
                        stack.push((target, 0));
                    }
                    Visit::Open => back.push(edge),
                    Visit::Done => {}
                }
            }
        }
        order.reverse();
        (order, back)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Visit {
    New,
    Open,
    Done,
}

impl<'v> WorkflowNode<'v> {
    fn read(json: &'v Value) -> Self {
        let full_kind = text(json, "type");
        let position = json.get("position");
        // A list of two numbers; older exports also have an object.
        let coordinate = |at: usize, key: &str| {
            let value = position.and_then(|position| position.get(at).or_else(|| position.get(key)));
            value.and_then(Value::as_f64)
        };
        Self {
            name: text(json, "name"),
            kind: full_kind.rsplit('.').next().unwrap_or(full_kind),
            full_kind,
            version: json.get("typeVersion").and_then(Value::as_f64).unwrap_or(1.0),
            parameters: json.get("parameters").unwrap_or(&Value::Null),
            json,
            at: Point::new(coordinate(0, "x"), coordinate(1, "y")),
            is_disabled: json.get("disabled").and_then(Value::as_bool).unwrap_or(false),
        }
    }
}

fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}
