//! Large flows: no recursion, and work that grows with nodes, edges and epochs and no faster.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures::future::BoxFuture;
use plait_engine::error::Fault;
use plait_engine::flow::{Flow, Node};
use plait_engine::id::{Activation, NodeId};
use plait_engine::journal::{Event, InputOverrides, NodeEvent, RunEnd};
use plait_engine::node::{Behavior, BoundNode, Inputs, NodeContext, NodeOutput};
use plait_engine::plan;
use plait_engine::port::Ports;

use crate::nodes::meaning::Script;
use crate::nodes::registry;
use crate::notation::edge;
use crate::play::{Ending, Piece, Played, Schedule};

/// Runs `work` on a stack that no recursion over a large flow would fit.
fn on_a_small_stack(work: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new().stack_size(256 * 1024).spawn(work).unwrap().join().unwrap();
}

#[derive(Default)]
struct Big {
    flow: Flow,
    edges: usize,
}

impl Big {
    fn node(&mut self, id: impl Into<String>, kind: &str) -> &mut Node {
        let node = Node { node_type: kind.to_owned(), ..Node::default() };
        self.flow.nodes.entry(NodeId::from(id.into())).or_insert(node)
    }

    fn wire(&mut self, from: &str, output: &str, to: &str, input: &str) {
        self.edges += 1;
        self.flow.edges.insert(format!("e{:07}", self.edges).into(), edge(from, output, to, input));
    }

    /// Nodes and edges.
    fn size(&self) -> usize {
        self.flow.nodes.len() + self.flow.edges.len()
    }

    fn chain(length: usize) -> Self {
        let mut big = Self::default();
        big.node("n0", "source");
        for at in 1..length {
            big.node(format!("n{at}"), "mix");
            big.wire(&format!("n{}", at - 1), "out", &format!("n{at}"), "a");
        }
        big
    }

    fn fan(width: usize) -> Self {
        let mut big = Self::default();
        big.node("from", "source");
        big.node("to", "collect");
        for at in 0..width {
            let id = format!("n{at:07}");
            big.node(&id, "mix");
            big.wire("from", "out", &id, "a");
            big.wire(&id, "out", "to", "items");
        }
        big
    }

    fn diamonds(height: usize) -> Self {
        let mut big = Self::default();
        big.node("n0", "source");
        for at in 1..=height {
            let below = format!("n{}", at - 1);
            for side in ["left", "right"] {
                let id = format!("{side}{at}");
                big.node(&id, "mix");
                big.wire(&below, "out", &id, "a");
                big.wire(&id, "out", &format!("n{at}"), if side == "left" { "a" } else { "b" });
            }
            big.node(format!("n{at}"), "mix");
        }
        big
    }

    fn rounds(count: u32) -> Self {
        let mut big = Self::default();
        big.node("start", "source");
        big.node("head", "mix").limits.max_epochs = Some(count);
        big.node("tail", "mix");
        big.node("behind", "mix");
        big.node("last", "mix");
        big.wire("start", "out", "head", "a");
        big.wire("head", "out", "tail", "a");
        big.wire("tail", "out", "head", "b");
        big.wire("tail", "out", "behind", "a");
        big.wire("start", "out", "behind", "b");
        big.wire("behind", "out", "last", "a");
        big
    }

    fn run(&self, concurrency: usize) -> (Played, usize) {
        let mut plan = plan::plan(&self.flow, &registry(), None, &InputOverrides::new()).unwrap();
        plan.max_concurrency = concurrency;
        let looks = Arc::new(AtomicUsize::new(0));
        for node in &mut plan.nodes {
            node.node = Arc::new(Counted(Arc::clone(&node.node), Arc::clone(&looks)));
        }
        looks.store(0, Ordering::Relaxed);
        let piece = Piece::new(plan, &self.flow, Script { seed: 0, leaves_some: false });
        let played = piece.play(Schedule { seed: 0, asynchrony: 0, eager: false, stop: None });
        assert_eq!(played.ending, Ending::Ended(RunEnd::Finished));
        (played, looks.load(Ordering::Relaxed))
    }
}

/// Counts how often a node is looked at.
struct Counted(Arc<dyn BoundNode>, Arc<AtomicUsize>);

impl BoundNode for Counted {
    fn ports(&self) -> &Ports {
        self.1.fetch_add(1, Ordering::Relaxed);
        self.0.ports()
    }

    fn behavior(&self) -> &Behavior {
        self.1.fetch_add(1, Ordering::Relaxed);
        self.0.behavior()
    }

    fn execute(&self, inputs: Inputs, cx: NodeContext) -> BoxFuture<'_, Result<NodeOutput, Fault>> {
        self.1.fetch_add(1, Ordering::Relaxed);
        self.0.execute(inputs, cx)
    }
}

fn starts(played: &Played) -> BTreeMap<NodeId, usize> {
    let mut starts = BTreeMap::new();
    for entry in &played.entries {
        if let Event::Node(Activation { node, .. }, NodeEvent::Started { .. }) = &entry.event {
            *starts.entry(node.clone()).or_default() += 1;
        }
    }
    starts
}

/// Every activation takes three events, and a node is looked at a fixed number of times for each.
fn is_linear(played: &Played, looks: usize, activations: usize, rounds: usize) {
    assert_eq!(played.entries.len(), 2 + 3 * activations + rounds);
    assert!(looks <= 6 * activations, "{looks} looks at {activations} activations");
    assert!(played.steps <= 2 * activations + 16, "{} steps", played.steps);
}

#[test]
fn a_chain_of_100_000() {
    on_a_small_stack(|| {
        let big = Big::chain(100_000);
        let (played, looks) = big.run(16);
        is_linear(&played, looks, 100_000, 0);
    });
}

#[test]
fn a_fan_of_30_000() {
    on_a_small_stack(|| {
        let (played, looks) = Big::fan(30_000).run(16);
        is_linear(&played, looks, 30_002, 0);
    });
}

#[test]
fn stacked_diamonds_10_000() {
    on_a_small_stack(|| {
        let big = Big::diamonds(10_000);
        assert_eq!(big.size(), 30_001 + 40_000);
        let (played, looks) = big.run(16);
        is_linear(&played, looks, 30_001, 0);
    });
}

/// With one place only, the cycle (first in plan order) goes all the way round before what follows it has its first turn.
#[test]
fn rounds_15_000_with_followers_that_lag() {
    on_a_small_stack(|| {
        for concurrency in [1, 16] {
            let (played, looks) = Big::rounds(15_000).run(concurrency);
            let exhausted = 1;
            is_linear(&played, looks, 1 + 4 * 15_000, 14_999 + exhausted);
        }
    });
}

#[test]
fn cycles_in_cycles_200_deep() {
    on_a_small_stack(|| {
        let mut big = Big::chain(400);
        for depth in 0..199 {
            big.node(format!("n{}", 1 + depth), "").limits.max_epochs = Some(1);
            big.wire(&format!("n{}", 399 - depth), "out", &format!("n{}", 1 + depth), "b");
        }
        let (played, looks) = big.run(16);
        is_linear(&played, looks, 400, 199);
    });
}

#[test]
fn to_the_top_of_stacked_diamonds_each_once() {
    for (height, to) in [(30, 18_u32), (1_100, 1_000)] {
        on_a_small_stack(move || {
            let big = Big::diamonds(height);
            let target: NodeId = format!("n{to}").into();
            let plan = plan::plan(&big.flow, &registry(), Some(&target), &InputOverrides::new()).unwrap();
            let piece = Piece::new(plan, &big.flow, Script { seed: 0, leaves_some: false });
            let played = piece.play(Schedule::seeded(to.into()));
            let needed = (0..=to).map(|at| format!("n{at}"));
            let sides = (1..=to).flat_map(|at| [format!("left{at}"), format!("right{at}")]);
            let once = needed.chain(sides).map(|id| (NodeId::from(id), 1)).collect::<BTreeMap<_, _>>();
            assert_eq!(starts(&played), once);
            assert_eq!(played.ending, Ending::Ended(RunEnd::Finished));
        });
    }
}

/// Each cycle that nothing bounds is told of with the way round it, and no look at the rest of the flow.
#[test]
fn cycles_50_000_that_nothing_bounds() {
    let mut big = Big::default();
    for at in 0..50_000 {
        let (a, b) = (format!("a{at:05}"), format!("b{at:05}"));
        big.node(&a, "mix");
        big.node(&b, "mix");
        big.wire(&a, "out", &b, "a");
        big.wire(&b, "out", &a, "a");
    }
    let start = std::time::Instant::now();
    let found = plan::check(&big.flow, &registry()).diagnostics;
    assert_eq!(found.len(), 50_000);
    // A few seconds on a slow machine; minutes, if each looked at every edge.
    assert!(start.elapsed().as_secs() < 40, "{:?}", start.elapsed());
}

/// A chain in which each node also leads back to the one before: a cycle in a cycle in a cycle.
#[test]
fn cycles_in_cycles_have_a_bound() {
    let chain = |length: usize| {
        let mut big = Big::default();
        for at in 0..length {
            big.node(format!("n{at:05}"), "ask");
            big.node(format!("s{at:05}"), "source");
            big.wire(&format!("s{at:05}"), "out", &format!("n{at:05}"), "a");
            if at > 0 {
                big.wire(&format!("n{:05}", at - 1), "out", &format!("n{at:05}"), "b");
                big.wire(&format!("n{at:05}"), "out", &format!("n{:05}", at - 1), "a");
            }
        }
        plan::plan(&big.flow, &registry(), None, &InputOverrides::new()).err().unwrap_or_default()
    };
    assert_eq!(chain(257).len(), 0, "256 of them");
    let start = std::time::Instant::now();
    for length in [258, 2_000] {
        let codes: Vec<_> = chain(length).into_iter().map(|found| found.code).collect();
        assert_eq!(codes, ["flow.nested_too_deep"]);
    }
    assert!(start.elapsed().as_secs() < 40, "{:?}", start.elapsed());
}
