//! Makes a flow from genes. What a gene asks for and cannot have is left out, or repaired so that most flows can run.

use plait_core::flow::{Flow, Node, RetryPolicy};
use plait_core::id::PortName;
use plait_core::port::{InputPort, OutputPort, PortKind, PortType, Ports};
use serde_json::json;

use super::{Feed, Gene};
use crate::nodes::semantics::digest;
use crate::nodes::{KINDS, LOOP_KINDS, Settings, ports, ports_with, registry};
use crate::notation::edge;
use crate::reference;

/// Builds the flow.
pub fn grow(genes: &[Gene]) -> (Flow, reference::InputOverrides) {
    let mut sketch = Sketch::of(genes);
    for (at, gene) in genes.iter().enumerate() {
        let inputs = sketch.ports(at).inputs;
        for feed in gene.feeds.iter().filter(|_| !inputs.is_empty()) {
            sketch.feed(at, feed, &inputs[feed.input % inputs.len()]);
        }
        for input in inputs.iter().filter(|input| input.required) {
            sketch.require(at, input);
        }
    }
    (0..genes.len()).for_each(|at| sketch.give_results(at));
    (sketch.flow, sketch.overrides)
}

fn node(kind: &str, gene: &Gene, names: Option<&str>) -> Node {
    let can_fail = matches!(kind, "flaky" | "effect" | "turn" | "guest");
    let settings = Settings {
        salt: u32::from(gene.name),
        fails: if can_fail { gene.fails } else { 0 },
        hard: can_fail && gene.hard,
        steps: if kind == "effect" { u32::from(gene.name) % 3 + 1 } else { 0 },
        again: if kind == "ask" { gene.again } else { 0 },
        names: names.unwrap_or_default().to_owned(),
        ..Settings::default()
    };
    let config = gene.repetition.as_ref().map_or_else(|| settings.config(), |it| it.config.clone());
    let mut node = Node { node_type: kind.to_owned(), config, ..Node::default() };
    node.limits.max_epochs = gene.bound;
    node.retry = gene.attempts.map(|attempts| RetryPolicy { attempts, ..RetryPolicy::default() });
    node
}

struct Sketch<'a> {
    genes: &'a [Gene],
    kinds: Vec<&'static str>,
    names: Vec<String>,
    flow: Flow,
    overrides: reference::InputOverrides,
}

impl<'a> Sketch<'a> {
    /// The nodes, without edges.
    fn of(genes: &'a [Gene]) -> Self {
        let names = genes.iter().enumerate().map(|(at, gene)| format!("{:02x}n{at}", gene.name)).collect();
        let (flow, overrides) = (Flow::default(), reference::InputOverrides::new());
        let mut sketch = Self { genes, kinds: Vec::new(), names, flow, overrides };
        for (at, gene) in genes.iter().enumerate() {
            let kind = KINDS.iter().chain(&LOOP_KINDS).nth(gene.kind).unwrap();
            let visible = || (0..at).filter(|&from| sketch.sees(at, from)).map(|from| sketch.kinds[from]);
            let gives_context =
                |kind: &str| kind != "loop" && !named(ports(kind).outputs, PortKind::Context).is_empty();
            let kind = match *kind {
                "turn" if !visible().any(gives_context) => "context",
                "guest" if !visible().any(|kind| kind == "context") => "maybe",
                "mix" | "collect" | "route" | "flaky" | "ask" | "result" | "pass" | "finish" if at == 0 => {
                    "source"
                }
                kind => kind,
            };
            sketch.kinds.push(kind);
        }
        for (at, gene) in genes.iter().enumerate() {
            let context =
                gene.names.filter(|_| sketch.kinds[at] == "guest").and_then(|number| sketch.maker(number));
            let mut node = node(sketch.kinds[at], gene, context);
            node.parent = gene.parent.map(|parent| sketch.names[parent].as_str().into());
            sketch.flow.nodes.insert(sketch.names[at].as_str().into(), node);
        }
        sketch
    }

    /// One of the makers of contexts outside of loops.
    fn maker(&self, number: usize) -> Option<&str> {
        let is_one = |at: &usize| self.kinds[*at] == "context" && self.genes[*at].parent.is_none();
        let makers: Vec<usize> = (0..self.genes.len()).filter(is_one).collect();
        (!makers.is_empty()).then(|| self.names[makers[number % makers.len()]].as_str())
    }

    /// The loops around a node, outermost first.
    fn path(&self, at: usize) -> Vec<usize> {
        let mut path: Vec<usize> =
            std::iter::successors(self.genes[at].parent, |&around| self.genes[around].parent).collect();
        path.reverse();
        path
    }

    /// Whether an edge may lead from a node to another: it may enter loops, but not leave them.
    fn sees(&self, at: usize, from: usize) -> bool {
        let path = self.path(at);
        path.contains(&from) || path.starts_with(&self.path(from))
    }

    fn ports(&self, at: usize) -> Ports {
        let node = &self.flow.nodes[self.names[at].as_str()];
        if self.kinds[at] == "loop" {
            let bound = registry().bind(&self.names[at].as_str().into(), "loop", &node.config);
            return bound.unwrap().map(|node| node.ports().as_ref().clone()).unwrap();
        }
        let settings: Settings = serde_json::from_value(node.config.clone().into()).unwrap();
        ports_with(self.kinds[at], &settings).after()
    }

    /// The outputs of a node that another one sees: of a loop around it, those inside.
    fn outputs(&self, from: usize, at: usize, input: &InputPort) -> Vec<PortName> {
        let ports = self.ports(from);
        let mut outputs = if self.path(at).contains(&from) { ports.inner_outputs } else { ports.outputs };
        outputs.retain(|port| {
            [&port.value_type, &input.value_type].contains(&&PortType::Any)
                || port.value_type == input.value_type
        });
        named(outputs, input.kind)
    }

    fn feed(&mut self, at: usize, feed: &Feed, input: &InputPort) {
        let among = if feed.anywhere { self.genes.len() } else { at };
        let visible: Vec<usize> = (0..among).filter(|&from| self.sees(at, from)).collect();
        if visible.is_empty() {
            return;
        }
        let mut from = if feed.is_exact { feed.from } else { visible[feed.from % visible.len()] };
        if feed.twice && input.kind == PortKind::Data {
            // Most nodes have one live output at a time; the maker of a context has two.
            let before = visible.iter().rev().filter(|&&from| from < at);
            from = before.copied().find(|&from| self.kinds[from] == "context").unwrap_or(from);
        }
        self.wire((from, feed.output), (at, input), feed.portal);
        if feed.twice {
            self.wire((from, feed.output + 1), (at, input), None);
        }
    }

    /// Sees to it that a required input has a value.
    fn require(&mut self, at: usize, input: &InputPort) {
        let gene = &self.genes[at];
        if self.is_fed(&self.names[at], &input.name) {
            return;
        }
        let tells = |from: &usize| match (input.name.as_str(), self.kinds[at]) {
            ("who", _) => self.kinds[*from] == "context",
            ("items", "loop") => self.kinds[*from] == "list",
            _ => !self.outputs(*from, at, input).is_empty(),
        };
        let able: Vec<usize> = (0..at).rev().filter(|&from| self.sees(at, from)).filter(tells).collect();
        let is_list = self.kinds[at] == "loop";
        if (gene.is_overridden || is_list && able.is_empty()) && input.kind == PortKind::Data {
            let number = digest(&self.names[at]);
            let value = match self.maker(usize::from(gene.name)) {
                _ if is_list => (0..number % 5).collect(),
                Some(maker) if !number.is_multiple_of(4) => {
                    let epoch =
                        ["", "", "#0", "#1", "#0.0", "#1.0"][usize::try_from(number / 4 % 6).unwrap()];
                    json!({ "contextId": format!("{maker}{epoch}") })
                }
                _ => json!(number % 1000),
            };
            let values = self.overrides.entry(self.names[at].as_str().into()).or_default();
            values.insert(input.name.clone(), value);
            return;
        }
        let from = able[usize::from(gene.name) % able.len().min(4)];
        let output = usize::from(gene.name) / 4 % 3;
        self.wire((from, output), (at, input), None);
    }

    /// Connects the border of a loop.
    fn give_results(&mut self, at: usize) {
        let body: Vec<usize> =
            (0..self.genes.len()).filter(|&it| self.genes[it].parent == Some(at)).collect();
        let border = self.ports(at).inner_inputs;
        for &(port, from, output) in self.genes[at].repetition.iter().flat_map(|it| &it.results) {
            let signs: Vec<usize> = body.iter().copied().filter(|&it| self.kinds[it] == "sign").collect();
            let among = if port == "exit" && !signs.is_empty() { &signs } else { &body };
            if let Some(&from) = among.get(from % among.len().max(1)) {
                let input = border.iter().find(|it| it.name.as_str() == port).unwrap();
                self.wire((from, output), (at, input), None);
            }
        }
    }

    fn is_fed(&self, node: &str, port: &PortName) -> bool {
        self.flow.edges.values().any(|edge| edge.target.as_str() == node && edge.target_input == *port)
    }

    fn wire(&mut self, (from, output): (usize, usize), (to, port): (usize, &InputPort), portal: Option<u8>) {
        let (input, strand) = (port.name.as_str(), port.kind);
        let mut able = self.outputs(from, to, port);
        if input == "who" {
            // A handle, or any value that is passed on.
            let is_loop = self.kinds[from] == "loop";
            able.retain(|port| port.as_str() == "handle" || is_loop || self.kinds[from] == "pass");
        }
        let Some(output) = able.get(output % able.len().max(1)) else { return };
        let (source, target) = (self.names[from].clone(), self.names[to].clone());
        let has_loops = self.kinds.contains(&"loop");
        match portal.filter(|_| strand == PortKind::Data) {
            None => self.add(&source, output.as_str(), &target, input),
            Some(number) => {
                // Odd ones have a channel of their own, even ones share.
                let channel = match number % 2 {
                    0 if !has_loops => format!("shared{number}"),
                    _ => format!("p{}", self.flow.edges.len()),
                };
                let (entrance, exit) = (format!("zin{channel}"), format!("zout{channel}"));
                let is_border = self.path(to).contains(&from);
                let begins_in = if is_border { Some(from) } else { self.genes[from].parent };
                self.portal(&entrance, "portalIn", &channel, begins_in);
                self.portal(&exit, "portalOut", &channel, self.genes[to].parent);
                self.add(&source, output.as_str(), &entrance, "a");
                self.add(&exit, "out", &target, input);
            }
        }
    }

    fn portal(&mut self, id: &str, kind: &str, channel: &str, parent: Option<usize>) {
        let settings = Settings { channel: channel.to_owned(), ..Settings::default() };
        let parent = parent.map(|parent| self.names[parent].as_str().into());
        let node = Node { node_type: kind.to_owned(), config: settings.config(), parent, ..Node::default() };
        self.flow.nodes.insert(id.into(), node);
    }

    fn add(&mut self, source: &str, output: &str, target: &str, input: &str) {
        // Named so that their order is not that of the nodes.
        let count = self.flow.edges.len();
        let id = format!("{:02x}e{count}", digest(&(count, source, target)) % 256);
        self.flow.edges.insert(id.as_str().into(), edge(source, output, target, input));
    }
}

fn named(outputs: Vec<OutputPort>, strand: PortKind) -> Vec<PortName> {
    outputs.into_iter().filter(|port| port.kind == strand).map(|port| port.name).collect()
}
