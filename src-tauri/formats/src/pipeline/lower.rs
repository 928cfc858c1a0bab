//! Lowers a pipeline to a flow: one node for each step, with its name as the id, and a few beside it.
//!
//! | in the pipeline | in the flow |
//! |---|---|
//! | the run's input | `manualInput` `input` |
//! | `step` | `chat`, and a `newContext` `NAME.context` before it: agents share no conversation; with tools, `tools` `NAME.tools`, and `mcpServer` `NAME.mcp.1`, … |
//! | `hitl` | `userInput` |
//! | `loop` | `loop`, with the nodes of its body in it; with `items`, a `value` `NAME.items` |
//! | `parallel` | `join` of the branches, by their names |
//! | `conditional` | `switch`, and a `join` `NAME.end` behind its branches |
//! | `after` | edges into `after`; of a `parallel`, into the first nodes of its branches |
//!
//! Ids, edges and positions follow from the document alone, so the same pipeline is always the same flow.

mod agent;
mod nodes;
mod variables;

use std::collections::{BTreeMap, HashMap};

use serde_json::{Map, Value, json};

use super::document::{ConditionalStep, HitlStep, Loop, LoopKind, ParallelStep, StepQuota};
use super::layout::{Block, Layout};
use super::problem::Problem;
use super::source_map::SourceMap;
use super::steps::{Branch, Pipeline, Step, StepKind};
use super::yaml::{Yaml, below};
use nodes::{node, text_or_none};
use plait_core::expression::template::Template;
use plait_core::flow::{Edge, Flow, Node, Position};
use plait_core::id::NodeId;
use plait_core::port::AFTER_PORT;

pub(super) use nodes::{CHAT_KEYS, case};

/// The node that gives the run's input.
pub(super) const INPUT: &str = "input";
/// What the ids of the nodes beside a step end with.
pub(super) const CONTEXT_SUFFIX: &str = ".context";
pub(super) const TOOLS_SUFFIX: &str = ".tools";
pub(super) const SERVER_SUFFIX: &str = ".mcp.";
pub(super) const ITEMS_SUFFIX: &str = ".items";
pub(super) const END_SUFFIX: &str = ".end";
/// The branch of a `conditional` that runs if no other does.
pub(super) const DEFAULT_BRANCH: &str = "default";

/// The id of the node of a step's MCP server, by its place in the list.
pub(super) fn server_id(step: &str, index: usize) -> String {
    format!("{step}{SERVER_SUFFIX}{}", index + 1)
}

/// A flow, and where its parts come from.
pub(super) struct Lowered {
    pub(super) flow: Flow,
    /// The positions of its nodes except positions that the pipeline sets.
    pub(super) arranged: BTreeMap<NodeId, Position>,
    pub(super) source_map: SourceMap,
}

/// Lowers a pipeline. The problems are prompts that name unknown values.
pub(super) fn lower(pipeline: &Pipeline, root: &Yaml) -> Result<Lowered, Vec<Problem>> {
    let document = &pipeline.document;
    let mut flow = Flow {
        name: document.name.clone(),
        description: document.description.clone(),
        settings: document.settings.clone(),
        ..Flow::default()
    };
    flow.nodes.insert(INPUT.into(), node("manualInput", &[("text", text_or_none(&document.input))]));
    let mut lowering = Lowering {
        pipeline,
        root,
        flow,
        source_map: SourceMap::default(),
        layout: Layout::default(),
        problems: Vec::new(),
        scopes: vec![HashMap::from([(INPUT.to_owned(), Source::plain(INPUT, "value"))])],
        parents: Vec::new(),
        outputs: HashMap::new(),
    };
    lowering.source_map.add(&format!("/nodes/{INPUT}"), "/input");
    let input = Lowering::in_line(INPUT);
    let (_, steps) = lowering.sequence(&pipeline.steps, Source::plain(INPUT, "value"));
    lowering.orders(&pipeline.steps);
    let summarizers = lowering.summarizers();
    let blocks = Layout::in_a_row(vec![input, steps]);
    lowering.layout.place(Layout::in_a_column(vec![blocks, summarizers]));
    let Lowering { mut flow, mut layout, source_map, problems, .. } = lowering;
    if !problems.is_empty() {
        return Err(problems);
    }
    let arranged = layout.positions().clone();
    layout.override_with(&document.layout);
    flow.layout = layout.into_positions();
    flow.frames.clone_from(&document.frames);
    Ok(Lowered { flow, arranged, source_map })
}

/// Where the output of a step is found.
#[derive(Clone)]
struct Source {
    node: NodeId,
    /// The output as a text.
    text: String,
    /// The output as it is: an object, a list, …
    value: String,
    /// Whether `text` is a list, which no text input takes.
    is_list: bool,
}

impl Source {
    fn plain(node: &str, output: &str) -> Self {
        Self { node: node.into(), text: output.to_owned(), value: output.to_owned(), is_list: false }
    }
}

struct Lowering<'p> {
    pipeline: &'p Pipeline,
    root: &'p Yaml,
    flow: Flow,
    source_map: SourceMap,
    layout: Layout,
    problems: Vec<Problem>,
    /// The steps that have run before, by name, from the outermost sequence inward.
    scopes: Vec<HashMap<String, Source>>,
    /// The loops around the current step.
    parents: Vec<NodeId>,
    /// The outputs of all steps so far.
    outputs: HashMap<String, Source>,
}

impl Lowering<'_> {
    /// Steps one after the other. Returns the output of the last.
    fn sequence(&mut self, steps: &[Step], mut previous: Source) -> (Source, Block) {
        self.scopes.push(HashMap::new());
        let mut blocks = Vec::new();
        for step in steps {
            self.source_map.add(&format!("/nodes/{}", step.name), &step.pointer);
            let (output, block) = match &step.kind {
                StepKind::Agent(agent) => self.agent_step(step, agent, &previous),
                StepKind::Hitl(hitl) => self.hitl_step(step, hitl, &previous),
                StepKind::Loop { settings, config, body, step: own } => {
                    self.loop_step(step, own.title.as_deref(), settings, config, body, &previous)
                }
                StepKind::Parallel(parallel, branches) => {
                    self.parallel_step(step, parallel, branches, &previous)
                }
                StepKind::Conditional(conditional, branches) => {
                    self.conditional_step(step, conditional, branches, &previous)
                }
            };
            if let Some(scope) = self.scopes.last_mut() {
                scope.insert(step.name.clone(), output.clone());
            }
            self.outputs.insert(step.name.clone(), output.clone());
            blocks.push(block);
            previous = output;
        }
        self.scopes.pop();
        (previous, Layout::in_a_row(blocks))
    }

    fn hitl_step(&mut self, step: &Step, own: &HitlStep, previous: &Source) -> (Source, Block) {
        let prompt = own.prompt.clone().unwrap_or_else(|| "{{in}}".to_owned());
        let mut node = node(
            "userInput",
            &[
                ("prompt", Some(prompt.as_str().into())),
                ("placeholder", own.placeholder.as_deref().map(Value::from)),
                ("schema", own.schema.clone()),
                ("pinned", own.pinned.map(Value::from)),
            ],
        );
        node.title = Some(own.title.clone().unwrap_or_else(|| step.name.clone()));
        self.add(&step.name, node);
        self.source_map.add(&format!("/nodes/{}/config", step.name), &step.pointer);
        self.edge(previous.node.as_str(), &previous.text, &step.name, "in");
        self.variables(step, &Template::new(prompt), previous, "in");
        (Source::plain(&step.name, "message"), Self::in_line(&step.name))
    }

    fn loop_step(
        &mut self,
        step: &Step,
        title: Option<&str>,
        settings: &Loop,
        config: &Map<String, Value>,
        body: &[Step],
        previous: &Source,
    ) -> (Source, Block) {
        let id: NodeId = step.name.as_str().into();
        let mut node = Node { node_type: "loop".to_owned(), config: config.clone(), ..Node::default() };
        node.title = Some(title.unwrap_or(&step.name).to_owned());
        node.limits.quota = settings.quota.as_ref().map(StepQuota::to_quota);
        self.add(&step.name, node);
        let place = below(&step.pointer, "loop");
        self.source_map.add(&format!("/nodes/{id}/limits/quota"), &below(&place, "quota"));
        self.source_map.add(&format!("/nodes/{id}/config"), &place);
        let is_for_each = settings.kind == LoopKind::ForEach;
        let mut beside = Vec::new();
        if is_for_each && settings.items.is_none() {
            self.edge(previous.node.as_str(), &previous.value, &step.name, "items");
        } else {
            self.edge(previous.node.as_str(), &previous.value, &step.name, "input");
        }
        if let Some(items) = settings.items.as_ref().filter(|_| is_for_each) {
            let values = format!("{id}{ITEMS_SUFFIX}");
            self.add(&values, self::node("value", &[("value", Some(Value::Array(items.clone())))]));
            self.edge(&values, "value", &step.name, "items");
            self.source_map.add(&format!("/nodes/{values}"), &below(&place, "items"));
            beside.push(Layout::card(&values));
        }
        self.parents.push(id.clone());
        let mut inner = HashMap::from([("index".to_owned(), Source::plain(&step.name, "index"))]);
        let first = if is_for_each { "item" } else { "previous" };
        if is_for_each {
            inner.insert("item".to_owned(), Source::plain(&step.name, "item"));
        }
        self.scopes.push(inner);
        let (last, block) = self.sequence(body, Source::plain(&step.name, first));
        self.scopes.pop();
        self.parents.pop();
        self.edge(last.node.as_str(), &last.value, &step.name, "next");
        beside.push(self.layout.container(&step.name, block));
        let output = if is_for_each { "results" } else { "result" };
        let output = Source { is_list: is_for_each, ..Source::plain(&step.name, output) };
        (output, Layout::in_a_column(beside))
    }

    fn parallel_step(
        &mut self,
        step: &Step,
        own: &ParallelStep,
        branches: &[Branch],
        previous: &Source,
    ) -> (Source, Block) {
        let names: Vec<&str> = branches.iter().map(|branch| branch.name.as_str()).collect();
        let separator = own.separator.as_deref().map(Value::from);
        let settings = [
            ("names", Some(json!(names))),
            ("separator", separator),
            // Else the branch that is the fastest could use up a quota that is meant for all.
            ("splitQuota", Some(json!(true))),
        ];
        let mut join = node("join", &settings);
        join.title = Some(own.title.clone().unwrap_or_else(|| step.name.clone()));
        self.add(&step.name, join);
        self.source_map.add(&format!("/nodes/{}/config/names", step.name), &below(&step.pointer, "branches"));
        self.source_map.add(&format!("/nodes/{}/config", step.name), &step.pointer);
        let mut rows = Vec::new();
        for branch in branches {
            let (last, block) = self.sequence(&branch.steps, previous.clone());
            self.edge(last.node.as_str(), &last.value, &step.name, &branch.name);
            rows.push(block);
        }
        let output = Source {
            node: step.name.as_str().into(),
            text: "text".to_owned(),
            value: "object".to_owned(),
            is_list: false,
        };
        let join = Self::in_line(&step.name);
        (output, Layout::in_a_row(vec![Layout::in_a_column(rows), join]))
    }

    fn conditional_step(
        &mut self,
        step: &Step,
        own: &ConditionalStep,
        branches: &[Branch],
        previous: &Source,
    ) -> (Source, Block) {
        let condition = own.condition.as_deref();
        let named = branches.iter().filter(|branch| branch.name != DEFAULT_BRANCH);
        let cases: Vec<Value> = named.map(|branch| case(condition, &branch.name)).collect();
        let mut switch = node("switch", &[("cases", Some(cases.into()))]);
        switch.title = Some(own.title.clone().unwrap_or_else(|| step.name.clone()));
        self.add(&step.name, switch);
        let place = if condition.is_some() { "condition" } else { "branches" };
        self.source_map.add(&format!("/nodes/{}/config", step.name), &below(&step.pointer, place));
        self.edge(previous.node.as_str(), &previous.value, &step.name, "value");
        let end = format!("{}{END_SUFFIX}", step.name);
        self.add(&end, node("join", &[]));
        self.source_map.add(&format!("/nodes/{end}"), &step.pointer);
        let mut rows = Vec::new();
        for branch in branches {
            let (last, block) = self.sequence(&branch.steps, Source::plain(&step.name, &branch.name));
            self.edge(last.node.as_str(), &last.value, &end, "values");
            rows.push(block);
        }
        if !branches.iter().any(|branch| branch.name == DEFAULT_BRANCH) {
            self.edge(&step.name, DEFAULT_BRANCH, &end, "values");
        }
        let (switch, join) = (Self::in_line(&step.name), Self::in_line(&end));
        let row = Layout::in_a_row(vec![switch, Layout::in_a_column(rows), join]);
        (Source::plain(&end, "first"), row)
    }

    /// The edges of `after`, once all steps are there.
    fn orders(&mut self, steps: &[Step]) {
        for step in steps {
            for (name, place) in step.after() {
                let Some(source) = self.outputs.get(name).cloned() else { continue };
                for target in step.first_nodes() {
                    let edge = self.edge(source.node.as_str(), &source.text, target, AFTER_PORT);
                    self.source_map.add(&format!("/edges/{edge}"), &place);
                }
            }
            for inner in step.inner() {
                self.orders(inner);
            }
        }
    }

    /// A node beside steps, which have their contexts above them.
    fn in_line(id: &str) -> Block {
        Layout::in_a_column(vec![Layout::gap(), Layout::card(id)])
    }

    fn add(&mut self, id: &str, mut node: Node) {
        node.parent = self.parents.last().cloned();
        self.flow.nodes.insert(id.into(), node);
    }

    /// Adds an edge. Returns its id.
    fn edge(&mut self, source: &str, output: &str, target: &str, input: &str) -> String {
        let id = format!("{source}.{output}-{target}.{input}");
        let edge = Edge {
            source: source.into(),
            source_output: output.into(),
            target: target.into(),
            target_input: input.into(),
            order: None,
            metadata: Map::new(),
            extra: Map::new(),
        };
        self.source_map.add(&format!("/edges/{id}"), &self.source_map.of(&format!("/nodes/{target}")));
        self.flow.edges.insert(id.as_str().into(), edge);
        id
    }
}

#[cfg(test)]
mod tests;
