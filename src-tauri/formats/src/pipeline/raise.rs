//! Raises a flow to a pipeline: the reverse of lowering. It follows the edges from the run's input through all steps, and
//! refuses what it meets that no pipeline has. Whether nothing was lost, [`super::save`] proves by lowering the result.

mod after;
mod agents;
mod refusal;
mod tools;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::document::{PIPELINE_KEYS, StepQuota, VERSION};
use super::lower::{CHAT_KEYS, CONTEXT_SUFFIX, DEFAULT_BRANCH, END_SUFFIX, INPUT, ITEMS_SUFFIX, case};
use super::tree::{MapBuilder, Tree};
use after::with_after;
use agents::{AGENT_PLACEHOLDER, name_agents, with_agents};

pub(super) use agents::KnownAgents;
use plait_core::diagnostic::Diagnostic;
use plait_core::flow::{Edge, Flow, Node};
use plait_core::id::NodeId;
use plait_core::port::AFTER_PORT;
pub(super) use refusal::{SAVE_AS_FLOW, on_node, refuse};

/// A pipeline, and the names by which its nodes lower where they differ.
pub(super) struct Raised {
    pub(super) document: Tree,
    pub(super) renamed: BTreeMap<NodeId, NodeId>,
}

/// Raises a flow. The layout is left out.
pub(super) fn raise(flow: &Flow, agents: &KnownAgents) -> Result<Raised, Box<Diagnostic>> {
    let mut raising = Raising::new(flow);
    let start = Output { node: INPUT.into(), port: None };
    let Some(input) = flow.nodes.get(INPUT).filter(|node| node.node_type == "manualInput") else {
        return Err(refuse("", "The flow does not begin with a `manualInput` with the id `input`.").into());
    };
    raising.visited.insert(INPUT.into());
    let (steps, end) = raising.sequence(start, None)?;
    if let Some((join, _)) = end {
        return Err(on_node(&join, "It joins branches that do not begin at one step."));
    }
    raising.summarizers()?;
    raising.refuse_leftovers()?;
    let (agents, inline) = name_agents(agents, &raising.agents, &raising.summarizers);

    let mut document = MapBuilder::default();
    document.text("version", VERSION);
    document.text("name", &flow.name);
    document.text("description", &flow.description);
    document.text("input", input.config.get("text").and_then(Value::as_str).unwrap_or_default());
    if !agents.is_empty() {
        document.put("agents", Tree::Map(agents));
    }
    let after = raising.after();
    let steps = steps.into_iter().map(|step| with_after(with_agents(step, &inline), &after));
    document.put("steps", Tree::Steps(steps.collect()));
    let settings = serde_json::to_value(&flow.settings).unwrap_or_default();
    document.value(
        "settings",
        Some(settings).filter(|settings| settings.as_object().is_some_and(|map| !map.is_empty())),
    );
    Ok(Raised { document: document.build(), renamed: raising.renamed })
}

/// An output of a step, or one case of a `switch`.
#[derive(Clone)]
struct Output {
    node: NodeId,
    /// None of a step with one output, through any of its ports.
    port: Option<String>,
}

struct Raising<'f> {
    flow: &'f Flow,
    outgoing: BTreeMap<&'f NodeId, Vec<&'f Edge>>,
    incoming: BTreeMap<&'f NodeId, Vec<&'f Edge>>,
    visited: BTreeSet<NodeId>,
    renamed: BTreeMap<NodeId, NodeId>,
    /// The settings of the agent of each step.
    agents: BTreeMap<String, Tree>,
    summarizers: BTreeMap<String, Tree>,
    summarizer_names: BTreeSet<String>,
}

/// Steps, and the input of the `join` that they end at, if they do.
type Sequence = (Vec<Tree>, Option<(NodeId, String)>);

impl<'f> Raising<'f> {
    fn new(flow: &'f Flow) -> Self {
        let (mut outgoing, mut incoming) = (BTreeMap::<_, Vec<_>>::new(), BTreeMap::<_, Vec<_>>::new());
        for edge in flow.edges.values() {
            outgoing.entry(&edge.source).or_default().push(edge);
            incoming.entry(&edge.target).or_default().push(edge);
        }
        Self {
            flow,
            outgoing,
            incoming,
            visited: BTreeSet::new(),
            renamed: BTreeMap::new(),
            agents: BTreeMap::new(),
            summarizers: BTreeMap::new(),
            summarizer_names: BTreeSet::new(),
        }
    }

    /// The steps from an output on.
    fn sequence(&mut self, mut from: Output, around: Option<&NodeId>) -> Result<Sequence, Box<Diagnostic>> {
        let mut steps = Vec::new();
        loop {
            let next = self.next_of(&from, around);
            match next.as_slice() {
                [] => return Ok((steps, None)),
                [(id, port)] if self.node_type(id) == "join" => {
                    return Ok((steps, Some((id.clone(), port.clone()))));
                }
                [(id, _)] => {
                    let (step, output) = self.step(id, around)?;
                    steps.push(step);
                    from = output;
                }
                several => {
                    let first: Vec<NodeId> = several.iter().map(|(id, _)| id.clone()).collect();
                    let (step, output) = self.parallel(&first, around)?;
                    steps.push(step);
                    from = output;
                }
            }
        }
    }

    /// The steps that take an output as their previous one, with the port.
    fn next_of(&self, from: &Output, around: Option<&NodeId>) -> Vec<(NodeId, String)> {
        let edges = self.outgoing.get(&from.node).into_iter().flatten();
        let mut next: Vec<(NodeId, String)> = Vec::new();
        for edge in edges {
            let Some(node) = self.flow.nodes.get(&edge.target) else { continue };
            let takes = from.port.as_ref().is_none_or(|port| edge.source_output.as_str() == port);
            let is_previous = takes_previous(node, edge.target_input.as_str());
            let is_known = next.iter().any(|(id, _)| *id == edge.target);
            if takes && is_previous && !is_known && node.parent.as_ref() == around {
                next.push((edge.target.clone(), edge.target_input.as_str().to_owned()));
            }
        }
        next
    }

    fn step(&mut self, id: &NodeId, around: Option<&NodeId>) -> Result<(Tree, Output), Box<Diagnostic>> {
        if !self.visited.insert(id.clone()) {
            return Err(on_node(id, "Steps come one after the other; this one is reached on several ways."));
        }
        let flow = self.flow;
        let Some(node) = flow.nodes.get(id) else { return Err(on_node(id, "There is no such node.")) };
        let output = Output { node: id.clone(), port: None };
        match node.node_type.as_str() {
            "chat" => Ok((self.agent_step(id, node)?, output)),
            "userInput" => Ok((hitl_step(id, node)?, output)),
            "loop" => Ok((self.loop_step(id, node)?, output)),
            "switch" => self.conditional(id, node, around),
            other => Err(on_node(id, &format!("Pipelines have no step for nodes of the type `{other}`."))),
        }
    }

    fn agent_step(&mut self, id: &NodeId, node: &Node) -> Result<Tree, Box<Diagnostic>> {
        let mut agent = Map::new();
        match self.beside(id, "context", "newContext", CONTEXT_SUFFIX)? {
            Some(context) => {
                for (key, own) in
                    [("provider", "provider"), ("model", "model"), ("systemInstructions", "system_prompt")]
                {
                    agent.extend(context.config.get(key).map(|value| (own.to_owned(), value.clone())));
                }
            }
            None => return Err(on_node(id, "It has no conversation of its own: steps share none.")),
        }
        let mut rest = node.config.clone();
        for (key, own) in CHAT_KEYS {
            agent.extend(rest.remove(key).map(|value| (own.to_owned(), value)));
        }
        self.tools(id, &mut agent)?;
        let mut settings = MapBuilder::default();
        for key in PIPELINE_KEYS.agent {
            settings.value(key, agent.remove(*key));
        }
        self.agents.insert(id.as_str().to_owned(), settings.build());

        let mut step = MapBuilder::default();
        step.text("kind", "step");
        step.text("name", id.as_str());
        step.text("title", title(id, node));
        // Its agent is put here once those of all steps are known.
        step.put(AGENT_PLACEHOLDER, Tree::Leaf(Value::Null));
        step.value("prompt", rest.remove("prompt"));
        step.value("use_history", rest.remove("use_history"));
        step.value("pinned", rest.remove("pinned"));
        if let Some(retry) = &node.retry {
            let mut policy = MapBuilder::default();
            policy.value("attempts", Some(retry.attempts.into()));
            policy.value("backoff_ms", Some(retry.backoff_ms.into()));
            policy.value("max_backoff_ms", Some(retry.max_backoff_ms.into()));
            policy.value("jitter", Some(retry.jitter.into()));
            step.put("retry", policy.build());
        }
        step.value("timeout_ms", node.limits.timeout_ms.map(Value::from));
        step.value("quota", quota_of(node));
        step.value("config", (!rest.is_empty()).then_some(Value::Object(rest)));
        Ok(step.build())
    }

    fn loop_step(&mut self, id: &NodeId, node: &Node) -> Result<Tree, Box<Diagnostic>> {
        let mut settings = MapBuilder::default();
        let mut config = node.config.clone();
        let is_for_each = config.get("kind").and_then(Value::as_str) == Some("forEach");
        if let Some(summarizer) =
            config.get("history_management").and_then(|history| history.get("summarizer_agent"))
        {
            self.summarizer_names.extend(summarizer.as_str().map(str::to_owned));
        }
        for key in PIPELINE_KEYS.loop_config {
            let value = if *key == "quota" { quota_of(node) } else { config.remove(*key) };
            settings.value(key, value);
        }
        for (key, value) in config {
            settings.value(&key, Some(value));
        }
        let has_list = self.feeding(id, "items").is_some_and(|source| self.node_type(&source) == "value");
        if has_list && let Some(items) = self.beside(id, "items", "value", ITEMS_SUFFIX)? {
            settings.value("items", items.config.get("value").cloned());
        }
        let first = if is_for_each { "item" } else { "previous" };
        let start = Output { node: id.clone(), port: Some(first.to_owned()) };
        let (body, end) = self.sequence(start, Some(id))?;
        if let Some((join, _)) = end {
            return Err(on_node(&join, "It joins branches that do not begin at one step."));
        }
        settings.put("body", Tree::Steps(body));
        let mut step = MapBuilder::default();
        step.text("kind", "loop");
        step.text("name", id.as_str());
        step.text("title", title(id, node));
        step.put("loop", settings.build());
        Ok(step.build())
    }

    fn conditional(
        &mut self,
        id: &NodeId,
        node: &Node,
        around: Option<&NodeId>,
    ) -> Result<(Tree, Output), Box<Diagnostic>> {
        let cases: Vec<&Value> =
            node.config.get("cases").and_then(Value::as_array).into_iter().flatten().collect();
        let condition = cases.first().and_then(|first| condition_of(first));
        let mut branches = Vec::new();
        let mut end: Option<NodeId> = None;
        let names =
            cases.iter().map(|case| case["name"].as_str().unwrap_or_default()).chain([DEFAULT_BRANCH]);
        for name in names {
            let known = cases.iter().find(|case| case["name"] == name);
            if known.is_some_and(|known| **known != case(condition.as_deref(), name)) {
                let message = format!(
                    "Its case `{name}` tests for something else than its name. A pipeline has one `condition`, and branches \
                     that are named like its results."
                );
                return Err(on_node(id, &message));
            }
            let from = Output { node: id.clone(), port: Some(name.to_owned()) };
            let (steps, reached) = self.sequence(from, around)?;
            match reached {
                Some((join, _)) if end.as_ref().is_none_or(|end| *end == join) => end = Some(join),
                _ => {
                    return Err(on_node(
                        id,
                        &format!("Its branch `{name}` does not meet the others at one `join`."),
                    ));
                }
            }
            if name != DEFAULT_BRANCH || !steps.is_empty() {
                branches.push((name.to_owned(), Tree::Steps(steps)));
            }
        }
        let Some(end) = end else { return Err(on_node(id, "It has no branches.")) };
        self.rename(&end, &format!("{id}{END_SUFFIX}"));
        self.visited.insert(end.clone());
        let mut step = MapBuilder::default();
        step.text("kind", "conditional");
        step.text("name", id.as_str());
        step.text("title", title(id, node));
        step.value("condition", condition.map(Value::from));
        step.put("branches", Tree::Map(branches));
        Ok((step.build(), Output { node: end, port: None }))
    }

    /// Branches that begin with these steps and meet at one `join`.
    fn parallel(
        &mut self,
        first: &[NodeId],
        around: Option<&NodeId>,
    ) -> Result<(Tree, Output), Box<Diagnostic>> {
        let mut found: BTreeMap<String, Vec<Tree>> = BTreeMap::new();
        let mut end: Option<NodeId> = None;
        for id in first {
            let (step, output) = self.step(id, around)?;
            let (rest, reached) = self.sequence(output, around)?;
            let Some((join, port)) = reached.filter(|(join, _)| end.as_ref().is_none_or(|end| end == join))
            else {
                return Err(on_node(id, "It runs beside other steps, and does not meet them at one `join`."));
            };
            end = Some(join);
            found.insert(port, std::iter::once(step).chain(rest).collect());
        }
        let Some((end, node)) = end.and_then(|end| Some((end.clone(), self.flow.nodes.get(&end)?))) else {
            return Err(refuse("", "There are no branches.").into());
        };
        let names = node.config.get("names").and_then(Value::as_array).into_iter().flatten();
        let names: Vec<String> = names.filter_map(Value::as_str).map(str::to_owned).collect();
        let mut branches = Vec::new();
        for name in names {
            match found.remove(&name) {
                Some(steps) => branches.push((name, Tree::Steps(steps))),
                None => return Err(on_node(&end, &format!("Nothing leads to its input `{name}`."))),
            }
        }
        if !found.is_empty() {
            let message =
                "Branches that run at once meet at a `join` whose `names` are those of the branches.";
            return Err(on_node(&end, message));
        }
        self.visited.insert(end.clone());
        let mut step = MapBuilder::default();
        step.text("kind", "parallel");
        step.text("name", end.as_str());
        step.text("title", title(&end, node));
        step.value("separator", node.config.get("separator").cloned());
        step.put("branches", Tree::Map(branches));
        Ok((step.build(), Output { node: end, port: None }))
    }

    /// The nodes that loops take as summarizers.
    fn summarizers(&mut self) -> Result<(), Box<Diagnostic>> {
        for name in self.summarizer_names.clone() {
            let id = NodeId::from(name.as_str());
            let Some(node) = self.flow.nodes.get(&id).filter(|node| node.node_type == "chat") else {
                return Err(on_node(&id, "A loop names it as its summarizer, and there is no such `chat`."));
            };
            if !self.visited.insert(id.clone()) {
                return Err(on_node(
                    &id,
                    "It is a step and a summarizer. In a pipeline, a summarizer is an agent.",
                ));
            }
            let mut config = node.config.clone();
            let keys =
                [("overrideProvider", "provider"), ("overrideModel", "model"), ("prompt", "system_prompt")];
            let mut agent = MapBuilder::default();
            for (key, own) in keys.into_iter().chain(CHAT_KEYS) {
                agent.value(own, config.remove(key));
            }
            self.summarizers.insert(name, agent.build());
        }
        Ok(())
    }

    fn refuse_leftovers(&self) -> Result<(), Box<Diagnostic>> {
        match self.flow.nodes.iter().find(|(id, _)| !self.visited.contains(*id)) {
            Some((id, node)) if STEP_TYPES.contains(&node.node_type.as_str()) => {
                Err(on_node(id, "It does not follow a step: no edge brings it the output of one."))
            }
            Some((id, node)) => {
                let message = format!("Pipelines have no step for nodes of the type `{}`.", node.node_type);
                Err(on_node(id, &message))
            }
            None => Ok(()),
        }
    }

    /// The node that feeds an input and exists for this node alone.
    fn beside(
        &mut self,
        id: &NodeId,
        input: &str,
        node_type: &str,
        suffix: &str,
    ) -> Result<Option<&'f Node>, Box<Diagnostic>> {
        let Some(source) = self.feeding(id, input) else { return Ok(None) };
        self.alone(id, input, &source, node_type, &format!("{id}{suffix}"))
    }

    /// The node `source`, which feeds an input and must exist for this node alone. `name` is its id in the lowered pipeline.
    fn alone(
        &mut self,
        id: &NodeId,
        input: &str,
        source: &NodeId,
        node_type: &str,
        name: &str,
    ) -> Result<Option<&'f Node>, Box<Diagnostic>> {
        let flow = self.flow;
        let Some(node) = flow.nodes.get(source) else { return Ok(None) };
        if node.node_type != node_type {
            let message = format!(
                "Its input `{input}` comes from `{source}`. In a pipeline, it comes from a `{node_type}`."
            );
            return Err(on_node(id, &message));
        }
        let readers = self.outgoing.get(source).map_or(0, Vec::len);
        if readers > 1 {
            let message = format!(
                "Its input `{input}` comes from `{source}`, which others share. Steps share nothing."
            );
            return Err(on_node(id, &message));
        }
        self.visited.insert(source.clone());
        self.rename(source, name);
        Ok(Some(node))
    }

    fn feeding(&self, id: &NodeId, input: &str) -> Option<NodeId> {
        let edges = self.incoming.get(id)?;
        edges.iter().find(|edge| edge.target_input.as_str() == input).map(|edge| edge.source.clone())
    }

    fn rename(&mut self, id: &NodeId, name: &str) {
        if id.as_str() != name {
            self.renamed.insert(id.clone(), name.into());
        }
    }

    fn node_type(&self, id: &NodeId) -> &str {
        self.flow.nodes.get(id).map_or("", |node| node.node_type.as_str())
    }
}

/// The types of nodes that are steps.
const STEP_TYPES: [&str; 5] = ["chat", "userInput", "loop", "switch", "join"];

fn hitl_step(id: &NodeId, node: &Node) -> Result<Tree, Box<Diagnostic>> {
    let mut step = MapBuilder::default();
    step.text("kind", "hitl");
    step.text("name", id.as_str());
    step.text("title", title(id, node));
    step.value("prompt", node.config.get("prompt").filter(|prompt| **prompt != "{{in}}").cloned());
    step.value("placeholder", node.config.get("placeholder").cloned());
    step.value("schema", node.config.get("schema").cloned());
    step.value("pinned", node.config.get("pinned").cloned());
    if node.config.contains_key("addToHistory") {
        return Err(on_node(id, "It adds the answer to a conversation. Steps of a pipeline share none."));
    }
    Ok(step.build())
}

/// The quota of a node, as pipelines have it.
fn quota_of(node: &Node) -> Option<Value> {
    let quota = node.limits.quota.as_ref()?;
    serde_json::to_value(StepQuota::of(quota)).ok()
}

/// The title, if it is not the name.
fn title<'n>(id: &NodeId, node: &'n Node) -> &'n str {
    node.title.as_deref().filter(|title| *title != id.as_str()).unwrap_or_default()
}

/// Whether an input takes the previous output.
fn takes_previous(node: &Node, input: &str) -> bool {
    if input == AFTER_PORT {
        return false;
    }
    match node.node_type.as_str() {
        "chat" => matches!(input, "message" | "data"),
        "userInput" => input == "in",
        "loop" => matches!(input, "input" | "items"),
        "switch" => input == "value",
        "join" => true,
        _ => false,
    }
}

/// The condition of a case that was made by [`case`].
fn condition_of(first: &Value) -> Option<String> {
    let name = first["name"].as_str()?;
    let when = first["when"].as_str()?;
    let end = case(Some(""), name)["when"].as_str()?.strip_prefix("()")?.to_owned();
    Some(when.strip_prefix('(')?.strip_suffix(&end)?.strip_suffix(')')?.to_owned())
}
