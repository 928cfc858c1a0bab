//! What nodes work on. n8n runs a node once for each list of items that comes along one of its edges, and most nodes once for each item.

use std::collections::{HashMap, HashSet};

use serde_json::{Value, json};

use super::super::builder::Output;
use super::loops::{batch_size, loop_outputs};
use super::workflow::Connection;
use super::{Reader, Shape};

/// Nodes that run once for each of their items, and are no programs that go through them.
const FOR_EACH_ITEM: [&str; 2] = ["httpRequest", "openAi"];
/// Nodes that work on all items at once.
const FOR_ALL_ITEMS: [&str; 6] = ["code", "function", "aggregate", "limit", "itemLists", "splitInBatches"];

/// More edges into a node are not looked at in pairs.
const MAX_PAIRED: usize = 16;

impl Reader<'_> {
    /// What a node works on: the value on its only edge, or the items of all.
    pub(super) fn input(&mut self, at: usize, sources: &[&Connection]) -> Option<Shape> {
        let node = &self.workflow.nodes[at];
        let mut edges: Vec<&Connection> = Vec::new();
        let mut shapes: Vec<Shape> = Vec::new();
        for edge in sources {
            if let Some(shape) = self.shapes[edge.source].get(edge.output).cloned().flatten()
                && !shapes.iter().any(|known| known.output == shape.output)
            {
                shapes.push(shape);
                edges.push(edge);
            }
        }
        // A `merge` tells its inputs apart.
        if shapes.len() < 2 || node.kind == "merge" {
            return shapes.into_iter().next();
        }
        let pairs = || {
            let edges = &edges;
            (0..edges.len())
                .flat_map(move |one| (one + 1..edges.len()).map(move |other| (edges[one], edges[other])))
        };
        let is_of_one_run = |one: &Connection, other: &Connection| {
            !self.ways[one.source].is_disjoint(&self.ways[other.source])
        };
        let is_from_one = !pairs().any(|(one, other)| is_of_one_run(one, other));
        let runs_for_each_edge = FOR_ALL_ITEMS.contains(&node.kind)
            && (edges.len() > MAX_PAIRED
                || pairs().any(|(one, other)| is_of_one_run(one, other) && !self.is_either(one, other)));
        if runs_for_each_edge {
            let lost = "In n8n it runs once for each of its edges. Here it runs once, with the items of all.";
            self.builder.lose(node.name, lost);
        }
        let first = shapes[0].clone();
        let is_alike = shapes.iter().all(|shape| shape.fields == first.fields && shape.base == first.base);
        if !(is_from_one && is_alike) {
            shapes = shapes.iter().map(|shape| Shape::object(self.as_object(at, shape))).collect();
        }
        let join = self.builder.add(node.name, "Any of", "join", json!({}), node.at.beside(-0.5, 1.0));
        for shape in &shapes {
            self.builder.connect(&shape.output, &join, "values");
        }
        if is_from_one {
            return Some(shapes[0].with_output(Output::new(&join, "first")));
        }
        // Several edges may bring items in the same run.
        let query = "[.[] | if type == \"array\" then .[] else . end] | if length == 1 then .[0] else . end";
        let list = Shape::object(Output::new(&join, "list"));
        Some(Shape::object(self.query(at, "items of all", query, &list)))
    }

    /// Whether two edges are on ways that exclude each other, as far as one item is concerned.
    pub(super) fn is_either(&self, one: &Connection, other: &Connection) -> bool {
        let (one, other) = (self.outputs_before(one), self.outputs_before(other));
        one.iter().any(|(branch, outputs)| other.get(branch).is_some_and(|other| outputs.is_disjoint(other)))
    }

    /// The outputs of each node with branches that lead to an edge.
    fn outputs_before(&self, edge: &Connection) -> HashMap<usize, HashSet<usize>> {
        let mut outputs: HashMap<usize, HashSet<usize>> = HashMap::new();
        let mut seen = vec![false; self.workflow.nodes.len()];
        let mut open = vec![edge];
        while let Some(edge) = open.pop() {
            if self.branches(edge.source) {
                outputs.entry(edge.source).or_default().insert(edge.output);
            }
            if !std::mem::replace(&mut seen[edge.source], true) {
                open.extend(
                    self.workflow.incoming(edge.source).map(|(_, edge)| edge).filter(|edge| edge.is_main()),
                );
            }
        }
        outputs
    }

    /// The only item of a node that runs once for each. Several stop the run: it has to be put into a loop. None ends the branch.
    pub(super) fn one_item(&mut self, at: usize, input: Option<Shape>) -> Option<Shape> {
        let node = &self.workflow.nodes[at];
        let is_for_each = FOR_EACH_ITEM.contains(&node.kind) || node.full_kind.contains("langchain");
        let input = input?;
        if !is_for_each || !self.may_be_several(at) {
            return Some(input);
        }
        let query = if node.json.get("executeOnce") == Some(&Value::Bool(true)) {
            "if type == \"array\" then .[0] // empty else . end"
        } else {
            "if type != \"array\" then . elif length == 0 then empty \
             else error(\"In n8n, this node runs once for each of its \\(length) items. Put it into a loop\") end"
        };
        let items = Shape::object(self.as_object(at, &input));
        Some(Shape::object(self.query(at, "item", query, &items)))
    }

    /// Whether several items, or none, may reach a node.
    fn may_be_several(&self, at: usize) -> bool {
        let mut seen = vec![false; self.workflow.nodes.len()];
        let mut open = vec![at];
        while let Some(at) = open.pop() {
            let edges: Vec<&Connection> =
                self.workflow.incoming(at).map(|(_, edge)| edge).filter(|edge| edge.is_main()).collect();
            if edges.len() > 1 {
                return true;
            }
            for edge in edges {
                let node = &self.workflow.nodes[edge.source];
                let is_item = |shape: &Shape| !shape.main_field().is_empty() && shape.output.port != "first";
                let shape = self.shapes[edge.source].get(edge.output).and_then(Option::as_ref);
                if shape.is_some_and(is_item) {
                    continue;
                }
                match node.kind {
                    "set" | "if" | "filter" | "switch" | "noOp" | "wait" | "functionItem"
                    | "respondToWebhook" => {
                        if !std::mem::replace(&mut seen[edge.source], true) {
                            open.push(edge.source);
                        }
                    }
                    "aggregate" | "form" | "webhook" | "start" | "openAi" => {}
                    "splitInBatches"
                        if edge.output == loop_outputs(node).1 && batch_size(node) == Some(1.0) => {}
                    kind if kind.ends_with("Trigger") || node.full_kind.contains("langchain") => {}
                    _ => return true,
                }
            }
        }
        false
    }
}
