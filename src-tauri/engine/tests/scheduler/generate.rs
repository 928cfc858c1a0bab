//! Generates random flows with branches, joins, nested cycles, failures, retries, pauses, portals, collecting inputs and
//! shared contexts.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use plait_engine::flow::{Flow, Node, RetryPolicy};
use plait_engine::id::{NodeId, PortName};
use plait_engine::plan::{self, Plan};
use plait_engine::port::PortKind;
use proptest::prelude::*;
use serde_json::json;

use crate::nodes::semantics::{Script, digest};
use crate::nodes::{KINDS, Settings, ports};
use crate::notation::{self, edge};
use crate::reference;
use crate::run_harness::Scenario;

/// A flow, the values for its inputs and the answers to its pauses.
#[derive(Clone)]
pub struct Case {
    pub flow: Flow,
    pub overrides: reference::InputOverrides,
    pub script: Script,
    /// Seeds all other random choices of a property.
    pub seed: u64,
}

impl fmt::Debug for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "\n{}overrides {:?}\n{:?}, seed {}",
            notation::write(&self.flow),
            self.overrides,
            self.script,
            self.seed
        )
    }
}

impl Case {
    /// A flow in the notation, without overrides, whose pauses are all answered.
    pub fn written(text: &str) -> Self {
        let script = Script { seed: 5, leaves_some: false };
        Self { flow: notation::flow(text), overrides: reference::InputOverrides::new(), script, seed: 0 }
    }

    /// The engine's plan.
    pub fn plan(&self) -> Result<Plan, Vec<plait_engine::diagnostic::Diagnostic>> {
        self.plan_to(None)
    }

    /// The engine's plan to run to a node.
    pub fn plan_to(
        &self,
        target: Option<&NodeId>,
    ) -> Result<Plan, Vec<plait_engine::diagnostic::Diagnostic>> {
        let overrides: plait_engine::journal::InputOverrides = self
            .overrides
            .iter()
            .map(|(id, ports)| {
                let values = ports.iter().map(|(port, value)| (port.clone(), Arc::new(value.clone())));
                (id.clone(), values.collect::<BTreeMap<PortName, _>>())
            })
            .collect();
        plan::plan(&self.flow, &crate::nodes::registry(), target, &overrides)
    }

    pub fn scenario(&self, plan: Plan) -> Scenario {
        Scenario::new(plan, &self.flow, self.script)
    }
}

/// What a node of a random flow is made from. References to others are numbers to be taken modulo what there is.
#[derive(Clone, Debug)]
struct Gene {
    kind: usize,
    name: u8,
    feeds: Vec<Feed>,
    bound: Option<u32>,
    fails: u32,
    hard: bool,
    attempts: Option<u32>,
    again: u32,
    is_overridden: bool,
}

#[derive(Clone, Debug)]
struct Feed {
    from: usize,
    /// From anywhere, not only from an earlier node: this is where cycles come from.
    anywhere: bool,
    output: usize,
    input: usize,
    portal: Option<u8>,
}

fn feed(anywhere: u32) -> impl Strategy<Value = Feed> {
    let portal = prop_oneof![12 => Just(None), 1 => (0..4_u8).prop_map(Some)];
    (0..64_usize, prop::bool::weighted(f64::from(anywhere) / 100.0), 0..8_usize, 0..8_usize, portal)
        .prop_map(|(from, anywhere, output, input, portal)| Feed { from, anywhere, output, input, portal })
}

fn gene(kinds: &'static [usize], anywhere: u32) -> impl Strategy<Value = Gene> {
    let kind = prop::sample::select(kinds);
    let bound = prop_oneof![1 => Just(None), 3 => (1..=3_u32).prop_map(Some)];
    let fails = prop_oneof![3 => Just(0), 2 => 1..4_u32];
    let attempts = prop_oneof![1 => Just(None), 1 => (1..4_u32).prop_map(Some)];
    let again = prop_oneof![4 => Just(0), 1 => 1..3_u32];
    let few = prop::bool::weighted(0.06);
    (
        kind,
        any::<u8>(),
        prop::collection::vec(feed(anywhere), 0..4),
        bound,
        fails,
        any::<bool>(),
        attempts,
        again,
        few,
    )
        .prop_map(|(kind, name, feeds, bound, fails, hard, attempts, again, is_overridden)| Gene {
            kind,
            name,
            feeds,
            bound,
            fails,
            hard,
            attempts,
            again,
            is_overridden,
        })
}

/// Indices into [`KINDS`].
const EVERY_KIND: &[usize] = &[0, 1, 1, 2, 2, 3, 4, 5, 5, 5, 6, 7, 8, 9, 10, 10, 11, 12, 13, 14];
const TALKATIVE: &[usize] = &[1, 2, 5, 5, 8, 9, 10, 10, 10, 10, 12, 13, 14];

const CHAINED: &[usize] = &[1, 1, 2, 2, 3, 4, 5, 6, 7, 8, 10, 12, 13, 14];

/// A chain with ways back: cycles in cycles in cycles.
fn coiled(size: usize) -> impl Strategy<Value = Vec<Gene>> {
    let ways_back = prop::collection::vec((0..2_usize, 0..2_usize, 0..8_usize), 1..5);
    (prop::collection::vec(gene(CHAINED, 0), 3..=size), 0..64_usize, ways_back).prop_map(
        |(mut genes, core, ways_back)| {
            let count = genes.len();
            for (at, gene) in genes.iter_mut().enumerate() {
                gene.feeds.truncate(1);
                if at > 0 {
                    let from = Feed { from: at - 1, anywhere: false, output: at % 4, input: 0, portal: None };
                    gene.feeds.insert(0, from);
                }
            }
            // Each way back leads around those before it, more or less.
            let (mut to, mut from) = (core % count, core % count);
            for (before, behind, output) in ways_back {
                (to, from) = (to.saturating_sub(before), (from + behind).min(count - 1));
                genes[to].feeds.push(Feed { from, anywhere: true, output, input: 1, portal: None });
            }
            genes
        },
    )
}

/// A random case of up to `size` nodes.
pub fn case(size: usize) -> impl Strategy<Value = Case> {
    let kinds = prop_oneof![
        4 => prop::collection::vec(gene(EVERY_KIND, 12), 1..=size),
        2 => prop::collection::vec(gene(EVERY_KIND, 35), 1..=size),
        2 => prop::collection::vec(gene(TALKATIVE, 15), 2..=size),
        3 => coiled(size),
    ];
    let script = (any::<u64>(), prop::bool::weighted(0.35));
    (kinds, script, any::<u64>()).prop_map(|(genes, (seed, leaves_some), rng)| {
        let (flow, overrides) = grow(&genes);
        Case { flow, overrides, script: Script { seed, leaves_some }, seed: rng }
    })
}

fn outputs(kind: &str, strand: PortKind) -> Vec<PortName> {
    let outputs = ports(kind).outputs.into_iter().filter(|port| port.kind == strand);
    outputs.map(|port| port.name).collect()
}

/// Builds the flow. What a gene asks for and cannot have is left out, or repaired so that most flows can run.
fn grow(genes: &[Gene]) -> (Flow, reference::InputOverrides) {
    let mut kinds: Vec<&str> = Vec::new();
    for gene in genes {
        let kind = KINDS[gene.kind];
        let a_context_is_there = kinds.iter().any(|kind| !outputs(kind, PortKind::Context).is_empty());
        kinds.push(match kind {
            "turn" if !a_context_is_there => "context",
            "guest" if !kinds.contains(&"context") => "maybe",
            "mix" | "collect" | "route" | "flaky" | "ask" | "result" | "pass" if kinds.is_empty() => "source",
            kind => kind,
        });
    }
    let names: Vec<String> =
        genes.iter().enumerate().map(|(at, gene)| format!("{:02x}n{at}", gene.name)).collect();
    let mut sketch = Sketch { flow: Flow::default(), overrides: reference::InputOverrides::new() };
    for (at, gene) in genes.iter().enumerate() {
        sketch.flow.nodes.insert(names[at].as_str().into(), node(kinds[at], gene));
    }
    for (at, gene) in genes.iter().enumerate() {
        let inputs = ports(kinds[at]).inputs;
        for feed in gene.feeds.iter().filter(|_| !inputs.is_empty()) {
            let input = &inputs[feed.input % inputs.len()];
            let among = if feed.anywhere { genes.len() } else { at };
            if among > 0 {
                let from = feed.from % among;
                sketch.wire(
                    &names,
                    &kinds,
                    (from, feed.output),
                    (at, input.name.as_str()),
                    input.kind,
                    feed.portal,
                );
            }
        }
        for input in inputs.iter().filter(|input| input.required) {
            if sketch.is_fed(&names[at], &input.name) {
                continue;
            }
            if gene.is_overridden && input.kind == PortKind::Data {
                let values = sketch.overrides.entry(names[at].as_str().into()).or_default();
                values.insert(input.name.clone(), json!(digest(&names[at]) % 1000));
                continue;
            }
            let tells = |from: &usize| match input.name.as_str() {
                "who" => kinds[*from] == "context",
                _ => !outputs(kinds[*from], input.kind).is_empty(),
            };
            let able = (0..at).rev().filter(tells);
            let from: Vec<usize> = able.collect();
            let from = from[usize::from(gene.name) % from.len().min(4)];
            let output = usize::from(gene.name) / 4 % 3;
            sketch.wire(&names, &kinds, (from, output), (at, input.name.as_str()), input.kind, None);
        }
    }
    (sketch.flow, sketch.overrides)
}

fn node(kind: &str, gene: &Gene) -> Node {
    let can_fail = matches!(kind, "flaky" | "effect" | "turn" | "guest");
    let settings = Settings {
        salt: u32::from(gene.name),
        fails: if can_fail { gene.fails } else { 0 },
        hard: can_fail && gene.hard,
        steps: if kind == "effect" { u32::from(gene.name) % 3 + 1 } else { 0 },
        again: if kind == "ask" { gene.again } else { 0 },
        ..Settings::default()
    };
    let mut node = Node { node_type: kind.to_owned(), config: settings.config(), ..Node::default() };
    node.limits.max_epochs = gene.bound;
    node.retry = gene.attempts.map(|attempts| RetryPolicy { attempts, ..RetryPolicy::default() });
    node
}

struct Sketch {
    flow: Flow,
    overrides: reference::InputOverrides,
}

impl Sketch {
    fn is_fed(&self, node: &str, port: &PortName) -> bool {
        self.flow.edges.values().any(|edge| edge.target.as_str() == node && edge.target_input == *port)
    }

    fn wire(
        &mut self,
        names: &[String],
        kinds: &[&str],
        (from, output): (usize, usize),
        (to, input): (usize, &str),
        strand: PortKind,
        portal: Option<u8>,
    ) {
        let mut able = outputs(kinds[from], strand);
        if input == "who" {
            // A handle, or any value that is passed on.
            able.retain(|port| port.as_str() == "handle" || kinds[from] == "pass");
        }
        let Some(output) = able.get(output % able.len().max(1)) else { return };
        let (source, target) = (names[from].as_str(), names[to].as_str());
        match portal.filter(|_| strand == PortKind::Data) {
            None => self.add(source, output.as_str(), target, input),
            Some(number) => {
                // Odd ones have a channel of their own, even ones share.
                let channel = match number % 2 {
                    0 => format!("shared{number}"),
                    _ => format!("p{}", self.flow.edges.len()),
                };
                let (entrance, exit) = (format!("zin{channel}"), format!("zout{channel}"));
                self.portal(&entrance, "portalIn", &channel);
                self.portal(&exit, "portalOut", &channel);
                self.add(source, output.as_str(), &entrance, "a");
                self.add(&exit, "out", target, input);
            }
        }
    }

    fn portal(&mut self, id: &str, kind: &str, channel: &str) {
        let settings = Settings { channel: channel.to_owned(), ..Settings::default() };
        let node = Node { node_type: kind.to_owned(), config: settings.config(), ..Node::default() };
        self.flow.nodes.insert(id.into(), node);
    }

    fn add(&mut self, source: &str, output: &str, target: &str, input: &str) {
        // Named so that their order is not that of the nodes.
        let count = self.flow.edges.len();
        let id = format!("{:02x}e{count}", digest(&(count, source, target)) % 256);
        self.flow.edges.insert(id.as_str().into(), edge(source, output, target, input));
    }
}
