//! Large flows: no recursion, and work that is linear in nodes, edges and epochs.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures::future::BoxFuture;
use plait_core::error::Fault;
use plait_core::flow::{Flow, Node};
use plait_core::id::{Activation, NodeId};
use plait_core::port::Ports;
use plait_journal::{Event, InputOverrides, NodeEvent, RunEnd};
use plait_run::node::{Behavior, BoundNode, Inputs, NodeContext, NodeOutput};
use plait_run::plan;

use crate::nodes::registry;
use crate::nodes::semantics::Script;
use crate::notation::edge;
use crate::run_harness::{Ending, RunRecord, Scenario, Schedule};

/// Runs `work` on a stack that no recursion over a large flow would fit.
fn with_small_stack(work: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new().stack_size(256 * 1024).spawn(work).unwrap().join().unwrap();
}

#[derive(Default)]
struct LargeFlow {
    flow: Flow,
    edges: usize,
}

impl LargeFlow {
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
        let mut large = Self::default();
        large.node("n0", "source");
        for at in 1..length {
            large.node(format!("n{at}"), "mix");
            large.wire(&format!("n{}", at - 1), "out", &format!("n{at}"), "a");
        }
        large
    }

    fn fan(width: usize) -> Self {
        let mut large = Self::default();
        large.node("from", "source");
        large.node("to", "collect");
        for at in 0..width {
            let id = format!("n{at:07}");
            large.node(&id, "mix");
            large.wire("from", "out", &id, "a");
            large.wire(&id, "out", "to", "items");
        }
        large
    }

    fn diamonds(height: usize) -> Self {
        let mut large = Self::default();
        large.node("n0", "source");
        for at in 1..=height {
            let below = format!("n{}", at - 1);
            for side in ["left", "right"] {
                let id = format!("{side}{at}");
                large.node(&id, "mix");
                large.wire(&below, "out", &id, "a");
                large.wire(&id, "out", &format!("n{at}"), if side == "left" { "a" } else { "b" });
            }
            large.node(format!("n{at}"), "mix");
        }
        large
    }

    fn iterations(count: u32) -> Self {
        let mut large = Self::default();
        large.node("start", "source");
        large.node("head", "mix").limits.max_epochs = Some(count);
        large.node("tail", "mix");
        large.node("behind", "mix");
        large.node("last", "mix");
        large.wire("start", "out", "head", "a");
        large.wire("head", "out", "tail", "a");
        large.wire("tail", "out", "head", "b");
        large.wire("tail", "out", "behind", "a");
        large.wire("start", "out", "behind", "b");
        large.wire("behind", "out", "last", "a");
        large
    }

    fn run(&self, concurrency: usize) -> (RunRecord, usize) {
        let mut plan = plan::plan(&self.flow, registry(), None, &InputOverrides::new()).unwrap();
        plan.max_concurrency = concurrency;
        let calls = Arc::new(AtomicUsize::new(0));
        for node in &mut plan.nodes {
            node.node = Arc::new(CountingNode(Arc::clone(&node.node), Arc::clone(&calls)));
        }
        calls.store(0, Ordering::Relaxed);
        let scenario = Scenario::new(plan, &self.flow, Script { seed: 0, leaves_some: false });
        let run = scenario.run(Schedule { seed: 0, asynchrony: 0, eager: false, stop: None });
        assert_eq!(run.ending, Ending::Ended(RunEnd::Finished));
        (run, calls.load(Ordering::Relaxed))
    }
}

struct CountingNode(Arc<dyn BoundNode>, Arc<AtomicUsize>);

impl BoundNode for CountingNode {
    fn ports(&self) -> &Arc<Ports> {
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

fn starts(run: &RunRecord) -> BTreeMap<NodeId, usize> {
    let mut starts = BTreeMap::new();
    for entry in &run.entries {
        if let Event::Node(Activation { node, .. }, NodeEvent::Started { .. }) = &entry.event {
            *starts.entry(node.clone()).or_default() += 1;
        }
    }
    starts
}

/// Asserts three events and a bounded number of calls per activation.
fn assert_linear(run: &RunRecord, calls: usize, activations: usize, iterations: usize) {
    assert_eq!(run.entries.len(), 2 + 3 * activations + iterations);
    assert!(calls <= 6 * activations, "{calls} calls for {activations} activations");
    assert!(run.steps <= 2 * activations + 16, "{} steps", run.steps);
}

#[test]
fn chain_of_100_000_is_linear() {
    with_small_stack(|| {
        let large = LargeFlow::chain(100_000);
        let (run, calls) = large.run(16);
        assert_linear(&run, calls, 100_000, 0);
    });
}

#[test]
fn fan_of_30_000_is_linear() {
    with_small_stack(|| {
        let (run, calls) = LargeFlow::fan(30_000).run(16);
        assert_linear(&run, calls, 30_002, 0);
    });
}

#[test]
fn stacked_diamonds_10_000_are_linear() {
    with_small_stack(|| {
        let large = LargeFlow::diamonds(10_000);
        assert_eq!(large.size(), 30_001 + 40_000);
        let (run, calls) = large.run(16);
        assert_linear(&run, calls, 30_001, 0);
    });
}

/// With a concurrency of 1, the cycle (first in plan order) runs all its iterations before its followers run.
#[test]
fn iterations_15_000_with_lagging_followers_are_linear() {
    with_small_stack(|| {
        for concurrency in [1, 16] {
            let (run, calls) = LargeFlow::iterations(15_000).run(concurrency);
            let exhausted = 1;
            assert_linear(&run, calls, 1 + 4 * 15_000, 14_999 + exhausted);
        }
    });
}

#[test]
fn nested_cycles_200_deep_are_linear() {
    with_small_stack(|| {
        let mut large = LargeFlow::chain(400);
        for depth in 0..199 {
            large.node(format!("n{}", 1 + depth), "").limits.max_epochs = Some(1);
            large.wire(&format!("n{}", 399 - depth), "out", &format!("n{}", 1 + depth), "b");
        }
        let (run, calls) = large.run(16);
        assert_linear(&run, calls, 400, 199);
    });
}

#[test]
fn run_to_node_in_stacked_diamonds_runs_each_once() {
    for (height, to) in [(30, 18_u32), (1_100, 1_000)] {
        with_small_stack(move || {
            let large = LargeFlow::diamonds(height);
            let target: NodeId = format!("n{to}").into();
            let plan = plan::plan(&large.flow, registry(), Some(&target), &InputOverrides::new()).unwrap();
            let scenario = Scenario::new(plan, &large.flow, Script { seed: 0, leaves_some: false });
            let run = scenario.run(Schedule::seeded(to.into()));
            let needed = (0..=to).map(|at| format!("n{at}"));
            let sides = (1..=to).flat_map(|at| [format!("left{at}"), format!("right{at}")]);
            let once = needed.chain(sides).map(|id| (NodeId::from(id), 1)).collect::<BTreeMap<_, _>>();
            assert_eq!(starts(&run), once);
            assert_eq!(run.ending, Ending::Ended(RunEnd::Finished));
        });
    }
}

/// Each unbounded cycle is reported with its path, without a search of the rest of the flow: that would take minutes, and
/// end as a test that hangs.
#[test]
fn unbounded_cycles_50_000_are_each_reported() {
    let mut large = LargeFlow::default();
    for at in 0..50_000 {
        let (a, b) = (format!("a{at:05}"), format!("b{at:05}"));
        large.node(&a, "mix");
        large.node(&b, "mix");
        large.wire(&a, "out", &b, "a");
        large.wire(&b, "out", &a, "a");
    }
    let found = plan::check(&large.flow, registry()).diagnostics;
    assert_eq!(found.len(), 50_000);
}

/// A chain in which each node also leads back to the one before: a cycle in a cycle in a cycle.
#[test]
fn nested_cycles_too_deep_are_refused() {
    let chain = |length: usize| {
        let mut large = LargeFlow::default();
        for at in 0..length {
            large.node(format!("n{at:05}"), "ask");
            large.node(format!("s{at:05}"), "source");
            large.wire(&format!("s{at:05}"), "out", &format!("n{at:05}"), "a");
            if at > 0 {
                large.wire(&format!("n{:05}", at - 1), "out", &format!("n{at:05}"), "b");
                large.wire(&format!("n{at:05}"), "out", &format!("n{:05}", at - 1), "a");
            }
        }
        plan::plan(&large.flow, registry(), None, &InputOverrides::new()).err().unwrap_or_default()
    };
    assert_eq!(chain(257).len(), 0, "256 of them");
    for length in [258, 2_000] {
        let codes: Vec<_> = chain(length).into_iter().map(|found| found.code).collect();
        assert_eq!(codes, ["flow.nested_too_deep"]);
    }
}
