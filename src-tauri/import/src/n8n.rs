//! Reads workflows of n8n.
//!
//! n8n passes lists of items along its edges and runs each node for every item; expressions name fields of the items. Plait
//! passes single values, so a reader keeps for each output of a node which value stands for which field ([`Shape`]).

mod branches;
mod code;
mod conditions;
mod errors;
mod expressions;
mod inputs;
mod lists;
mod loops;
mod merge;
mod models;
mod nodes;
mod programs;
mod queries;
mod requests;
mod set;
mod starts;
mod tools;
mod turns;
mod workflow;

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::budget::Budget;
use super::builder::{FlowBuilder, MAX_ITERATIONS, Output};
use super::gate::run_after;
use super::settings::Settings;
use super::template::TemplateText;
use super::{MAX_NESTING_DEPTH, too_many_nodes};
use expressions::{Part, Reference};
use plait_core::error::Fault;
use plait_core::id::NodeId;
use plait_formats::foreign::{Format, ImportedOutput};
use programs::{Items, Program};
use starts::Ways;
use workflow::{Connection, MAIN, Workflow, WorkflowNode};

/// Reads a workflow, or a list with a workflow as its first element.
pub(super) fn read(document: &Value, name: &str, budget: &Budget) -> Result<FlowBuilder, Fault> {
    let more = document.as_array().map_or(0, |list| list.len().saturating_sub(1));
    let document = document.as_array().and_then(|list| list.first()).unwrap_or(document);
    let (mut builder, _) = read_nested(document, name, 0, budget)?;
    if more > 0 {
        builder.note(format!("The file has {more} more workflows, which were not imported."));
    }
    Ok(builder)
}

/// Reads a workflow. Of one that another calls, also the output with its result.
fn read_nested(
    document: &Value,
    name: &str,
    depth: usize,
    budget: &Budget,
) -> Result<(FlowBuilder, Option<NodeId>), Fault> {
    let workflow = Workflow::read(document)?;
    if !budget.take_nodes(workflow.nodes.len()) {
        return Err(too_many_nodes());
    }
    let name = if workflow.name.trim().is_empty() { name } else { workflow.name };
    let mut builder = FlowBuilder::new(Format::N8n, name, budget);
    for node in &workflow.nodes {
        if !builder.register(node.name, node.name, node.full_kind) {
            builder.note(format!("Two nodes are called `{}`; only one of them has edges.", node.name));
        }
    }
    if workflow.has_ids {
        builder.note(
            "Its connections have the ids of nodes, where n8n reads names. They are read as they are meant.",
        );
    }
    if document.get("pinData").and_then(Value::as_object).is_some_and(|data| !data.is_empty()) {
        builder.note("Pinned data was left out.");
    }
    let mut reader = Reader {
        builder,
        workflow: &workflow,
        shapes: vec![Vec::new(); workflow.nodes.len()],
        is_conditional: vec![false; workflow.nodes.len()],
        by_name: workflow.nodes.iter().enumerate().map(|(at, node)| (node.name, at)).collect(),
        loop_of: loops::loops_of(&workflow),
        is_repeated: Vec::new(),
        inputs: vec![None; workflow.nodes.len()],
        effects: vec![None; workflow.nodes.len()],
        ways: Ways::of(&workflow),
        conversations: Vec::new(),
        primary: None,
        depth,
    };
    reader.run();
    let result = if depth > 0 { reader.add_result() } else { None };
    Ok((reader.builder, result))
}

/// The value on an output: where it is, and which fields of n8n's JSON it stands for.
#[derive(Clone, Debug)]
struct Shape {
    output: Output,
    /// Where in the value it begins.
    base: Vec<String>,
    /// The fields that it is the value of, by any of these paths. An empty path is the whole JSON.
    fields: Vec<Vec<String>>,
}

impl Shape {
    /// A value that is the whole JSON of an item.
    fn object(output: Output) -> Self {
        Self { output, base: Vec::new(), fields: vec![Vec::new()] }
    }

    /// The value of a field, by any of these paths. Dots separate their steps.
    fn field(output: Output, paths: &[&str]) -> Self {
        let split = |path: &&str| path.split('.').map(str::to_owned).collect();
        Self { output, base: Vec::new(), fields: paths.iter().map(split).collect() }
    }

    fn with_output(&self, output: Output) -> Self {
        Self { output, ..self.clone() }
    }

    /// Where the field is that a path of n8n leads to.
    fn find(&self, path: &[String]) -> Option<Vec<String>> {
        let rest = self.fields.iter().find_map(|field| {
            if field.len() > path.len() {
                // A part of the way to the value: the value is all there is.
                return field.starts_with(path).then_some(&[][..]);
            }
            path.strip_prefix(field.as_slice())
        })?;
        Some(self.base.iter().chain(rest).cloned().collect())
    }

    fn place(&self, output: usize) -> ImportedOutput {
        let Output { node, port } = self.output.clone();
        ImportedOutput {
            name: output.to_string(),
            subflows: Vec::new(),
            node,
            port,
            path: self.base.clone(),
            field: self.main_field().to_vec(),
        }
    }

    /// Whether it is the message of n8n's chat, which sends it with what is to be done.
    fn is_chat_message(&self) -> bool {
        self.main_field() == ["chatInput"]
    }

    /// The path of the field that the value stands for; empty if it is the whole JSON.
    fn main_field(&self) -> &[String] {
        self.fields.first().map_or(&[], Vec::as_slice)
    }
}

/// What is known of each output of a node; none of one without a value.
type Shapes = Vec<Option<Shape>>;

struct Reader<'w> {
    builder: FlowBuilder,
    workflow: &'w Workflow<'w>,
    /// The shapes of the outputs of each node, as far as it has been read.
    shapes: Vec<Shapes>,
    /// Whether a node may be skipped.
    is_conditional: Vec<bool>,
    by_name: HashMap<&'w str, usize>,
    /// The loop that each node is in the body of.
    loop_of: Vec<Option<usize>>,
    /// Whether each node is in a cycle that is no loop.
    is_repeated: Vec<bool>,
    /// What each node works on.
    inputs: Shapes,
    /// What does the work of each node.
    effects: Vec<Option<NodeId>>,
    /// The triggers that lead to each node.
    ways: Vec<Ways>,
    /// The triggers that lead to each node which recalls earlier runs.
    conversations: Vec<Ways>,
    /// The node that the current one became, where that is not the one with its first output.
    primary: Option<NodeId>,
    depth: usize,
}

impl<'w> Reader<'w> {
    fn run(&mut self) {
        let (order, back) = self.workflow.order();
        let back: HashSet<usize> = back.into_iter().collect();
        self.is_repeated = self.repeated(&back);
        for node in order {
            if self.builder.budget().is_exceeded() {
                return;
            }
            if !self.workflow.is_part(node) {
                self.node(node, &back);
            }
        }
        self.close_loops();
        self.remaining_parts();
        self.report_edges(&back);
        self.take_turns(&back);
        self.mark_triggers();
        for (at, shapes) in self.shapes.iter().enumerate() {
            if let Some(node) = self.builder.source(self.workflow.nodes[at].name) {
                let shapes = shapes.iter().enumerate();
                node.outputs = shapes.filter_map(|(at, shape)| Some(shape.as_ref()?.place(at))).collect();
            }
        }
    }

    /// Adds a node to the builder.
    fn node(&mut self, at: usize, back: &HashSet<usize>) {
        let node = &self.workflow.nodes[at];
        let parent = self.loop_of[at].and_then(|start| self.loop_node(start));
        if let Some(parent) = &parent {
            self.builder.enter(parent);
        }
        let sources = self.main_sources(at, back);
        self.is_conditional[at] =
            sources.iter().any(|edge| self.is_conditional[edge.source] || self.branches(edge.source));
        let input = self.input(at, &sources);
        let before = self.builder.len();
        let input = self.one_item(at, input);
        self.inputs[at].clone_from(&input);
        let settings = Settings::new(node.parameters);
        // Remarks of people, which n8n does not read.
        settings.ignore("/notes");
        self.primary = None;
        self.shapes[at] = self.translate(at, &settings, input.as_ref());
        let first = self.shapes[at].iter().flatten().next().map(|shape| shape.output.node.clone());
        let primary = self.primary.take().or(first);
        if let Some(primary) = primary.as_ref().filter(|id| self.builder.is_placeholder(id)) {
            for edge in &sources {
                if let Some(shape) = self.shapes[edge.source].get(edge.output).cloned().flatten() {
                    self.builder.connect(&shape.output, primary, "in");
                }
            }
        } else if let (Some(primary), Some(input)) = (&primary, &input)
            // A `merge` waits for all of its inputs itself.
            && node.kind != "merge"
            && self.builder.len() > before
        {
            let branch = std::slice::from_ref(&input.output);
            if self.is_conditional[at] || !self.builder.all_lead_to(branch, primary) {
                run_after(&mut self.builder, primary, branch);
            }
        }
        self.finish_node(node, &settings, primary.as_ref());
        if let Some(primary) = &primary {
            self.continue_after_errors(at, primary);
        }
        self.effects[at] = primary;
        if node.is_disabled {
            self.disable(at, input.as_ref());
        }
        if parent.is_some() {
            self.builder.leave();
        }
    }

    /// Disables what a node became. Values pass by it, as they do in n8n: to the first of its outputs.
    fn disable(&mut self, at: usize, input: Option<&Shape>) {
        let name = self.workflow.nodes[at].name;
        self.builder.disable_made(name);
        let output = self.shapes[at].iter().flatten().next().map(|shape| shape.output.clone());
        let passed = input.map(|input| match output {
            Some(output) if self.builder.passes_by(name, &output, &input.output) => input.with_output(output),
            _ => input.clone(),
        });
        self.shapes[at] = vec![passed];
    }

    fn finish_node(&mut self, node: &WorkflowNode<'_>, settings: &Settings<'_>, primary: Option<&NodeId>) {
        let is_placeholder = primary.is_some_and(|primary| self.builder.is_placeholder(primary));
        if !is_placeholder && let Some(unread) = settings.unread() {
            self.builder.lose(node.name, unread);
        }
        let outer = Settings::new(node.json);
        outer.ignore_all(&[
            "/parameters",
            "/id",
            "/name",
            "/type",
            "/typeVersion",
            "/position",
            "/credentials",
            "/notesInFlow",
            "/webhookId",
            "/disabled",
            "/alwaysOutputData",
            "/continueOnFail",
            "/executeOnce",
            "/onError",
            "/color",
        ]);
        if outer.flag("/retryOnFail")
            && let Some(primary) = primary
        {
            let attempts = outer.count("/maxTries", 1..=100).unwrap_or(3);
            self.builder.set_retry(primary, attempts);
            outer.ignore("/waitBetweenTries");
        }
        if !is_placeholder && let Some(unread) = outer.unread() {
            self.builder.lose(node.name, unread);
        }
    }

    /// The connections that lead into a node, except connections that close a cycle.
    fn main_sources(&self, at: usize, back: &HashSet<usize>) -> Vec<&'w Connection> {
        let edges = self.workflow.incoming(at);
        let leading = edges.filter(|(index, edge)| edge.is_main() && !back.contains(index));
        leading.map(|(_, edge)| edge).collect()
    }

    fn branches(&self, at: usize) -> bool {
        let node = &self.workflow.nodes[at];
        matches!(node.kind, "if" | "switch" | "filter" | "textClassifier" | "sentimentAnalysis")
    }

    /// Where a reference leads.
    fn resolve(
        &self,
        at: usize,
        reference: &Reference,
        input: Option<&Shape>,
    ) -> Option<(Output, Vec<String>)> {
        let shape = match &reference.node {
            None => input?.clone(),
            Some(name) => self.shape_for(at, name)?,
        };
        Some((shape.output.clone(), shape.find(&reference.path)?))
    }

    /// A parameter as a template. A value that is there as a whole stands in it by its name. Everything else is evaluated by a
    /// program; what no program can evaluate becomes a placeholder, so that no model gets its source.
    fn template(&mut self, at: usize, parameter: &str, input: Option<&Shape>) -> TemplateText {
        let mut template = TemplateText::default();
        for part in expressions::parse(parameter) {
            match part {
                Part::Text(text) => template.push_text(&text),
                Part::Expression(source) => {
                    let reference = expressions::reference(&source).filter(|found| !found.path.is_empty());
                    let place = reference.as_ref().and_then(|reference| self.resolve(at, reference, input));
                    match (reference, place) {
                        (Some(reference), Some((output, path))) if path.is_empty() => {
                            let name = reference.path.last().map_or("value", String::as_str);
                            template.push_value(name, &output, &[]);
                        }
                        _ => return self.evaluated(at, parameter, input),
                    }
                }
            }
        }
        template
    }

    /// A parameter that a program evaluates.
    fn evaluated(&mut self, at: usize, parameter: &str, input: Option<&Shape>) -> TemplateText {
        let node = &self.workflow.nodes[at];
        let is_once =
            node.json.get("executeOnce") == Some(&Value::Bool(true)) || node.kind == "respondToWebhook";
        let written = programs::javascript(&parameter.into()).and_then(|value| {
            let body = format!("  return [{value}].map((value) => (value === undefined || value === null ? \"\" : value))[0];");
            let items = if is_once { Items::First } else { Items::Only };
            let program = Program { about: parameter.strip_prefix('=').unwrap_or(parameter), body: &body, tail: "", items, parts: &[], inputs: &[] };
            let title = format!("{}: expression", node.name);
            self.program(at, &title, &program, input, node.at.beside(-0.5, 1.0))
        });
        let output = match written {
            Ok(id) => Output::new(&id, "result"),
            Err(reason) => {
                let title = format!("{}: expression", node.name);
                let place = node.at.beside(-0.5, 1.0);
                let original = Value::from(parameter);
                let id = self.builder.add_placeholder(node.name, &title, &reason, &original, place);
                if let Some(input) = input {
                    self.builder.connect(&input.output, &id, "in");
                }
                Output::new(&id, "out")
            }
        };
        TemplateText::of("text", &output, &[])
    }

    /// The template of a required parameter; without it, of what the node works on.
    fn template_or_input(
        &mut self,
        at: usize,
        parameter: Option<&str>,
        input: Option<&Shape>,
    ) -> Option<TemplateText> {
        match parameter {
            Some(parameter) => Some(self.template(at, parameter, input)),
            None => input.map(|shape| TemplateText::of("input", &shape.output, &shape.base)),
        }
    }

    /// A template as a value: the output it consists of, or that of a `text` node.
    fn text_output(&mut self, at: usize, title: &str, template: &TemplateText) -> Output {
        let node = &self.workflow.nodes[at];
        self.builder.text_output(node.name, title, template, node.at)
    }

    /// A placeholder for a node, with everything that leads into it.
    fn placeholder(&mut self, at: usize, reason: &str) -> Shapes {
        let node = &self.workflow.nodes[at];
        let id = self.builder.add_placeholder(node.name, node.name, reason, node.json, node.at);
        self.connect_parts(at, &id);
        let outputs = self.workflow.outgoing(at).filter(|edge| edge.is_main());
        let count = outputs.map(|edge| edge.output + 1).max().unwrap_or(1).min(64);
        let name = |output: usize| if count == 1 { "out".to_owned() } else { format!("out{}", output + 1) };
        (0..count).map(|output| Some(Shape::object(Output::new(&id, &name(output))))).collect()
    }

    fn report_edges(&mut self, back: &HashSet<usize>) {
        for (index, edge) in self.workflow.edges.iter().enumerate() {
            let (source, target) =
                (self.workflow.nodes[edge.source].name, self.workflow.nodes[edge.target].name);
            let label = if edge.is_main() { "" } else { &edge.kind };
            let kept = if self.loop_of[edge.source] == Some(edge.target) {
                Ok(())
            } else if back.contains(&index) {
                self.close_cycle(edge)
            } else if self.builder.are_connected(source, target) {
                Ok(())
            } else if self.workflow.nodes[edge.source].is_disabled && self.inputs[edge.source].is_none() {
                // A trigger that is disabled begins nothing, so nothing is missed.
                Ok(())
            } else {
                Err("No value passes along it that Plait's nodes read.")
            };
            match kept {
                Ok(()) => self.builder.keep_edge(source, target, label),
                Err(reason) => self.builder.lose_edge(source, target, label, reason),
            }
        }
        for (source, target, kind) in &self.workflow.dangling {
            let label = if kind == MAIN { "" } else { kind };
            self.builder.lose_edge(source, target, label, "The file has no node of one of these names.");
        }
    }

    /// An edge that leads back, as one that starts the next iteration. What comes back must have the fields of what came first.
    fn close_cycle(&mut self, edge: &Connection) -> Result<(), &'static str> {
        const OTHER_FIELDS: &str =
            "It closes a cycle, and what comes back has other fields than what its node works on at first.";
        let target = self.workflow.nodes[edge.target].name;
        let back = self.shapes[edge.source].get(edge.output).cloned().flatten();
        let (Some(back), Some(first)) = (back, self.inputs[edge.target].clone()) else {
            return Err("It closes a cycle that nothing starts.");
        };
        if back.fields != first.fields || back.base != first.base {
            return Err(OTHER_FIELDS);
        }
        if self.builder.close_cycle(&back.output, target, &first.output)? {
            self.builder.lose(
                target,
                format!("A cycle without a bound: Plait ends it after {MAX_ITERATIONS} iterations."),
            );
        }
        Ok(())
    }
}
