//! Generates random flows with branches, joins, nested cycles, cycles in sequence, bypassed pauses, failures, retries, portals,
//! collecting inputs, and contexts that are shared and named in every way. [`loops`] puts parts of them into loops, and [`grow`]
//! makes the flow.

mod grow;
mod loops;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use plait_core::flow::Flow;
use plait_core::id::{NodeId, PortName};
use plait_run::plan;
use plait_run::plan::Plan;
use proptest::prelude::*;

use crate::nodes::semantics::Script;
use crate::notation;
use crate::reference;
use crate::run_harness::Scenario;
use grow::grow;
pub use loops::case_with_loops;

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
    /// As [`Case::written`] reads it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Script { seed, leaves_some } = self.script;
        let flow = notation::write(&self.flow, &self.overrides);
        write!(f, "\n#! answers={seed} unanswered={leaves_some} seed={}\n{flow}", self.seed)
    }
}

impl Case {
    /// A case in the notation. A line `#! answers=5 unanswered=false seed=0` sets the random parts besides the flow;
    /// these values are the default.
    pub fn written(text: &str) -> Self {
        let mut case = Self {
            flow: notation::flow(text),
            overrides: notation::overrides(text),
            script: Script { seed: 5, leaves_some: false },
            seed: 0,
        };
        for line in text.lines().filter_map(|line| line.trim().strip_prefix("#! ")) {
            for (key, value) in line.split_whitespace().filter_map(|word| word.split_once('=')) {
                match key {
                    "answers" => case.script.seed = value.parse().unwrap(),
                    "unanswered" => case.script.leaves_some = value.parse().unwrap(),
                    "seed" => case.seed = value.parse().unwrap(),
                    other => panic!("no such setting of a case: {other}"),
                }
            }
        }
        case
    }

    /// The engine's plan.
    pub fn plan(&self) -> Result<Plan, Vec<plait_core::diagnostic::Diagnostic>> {
        self.plan_to(None)
    }

    /// The engine's plan to run to a node.
    pub fn plan_to(&self, target: Option<&NodeId>) -> Result<Plan, Vec<plait_core::diagnostic::Diagnostic>> {
        let overrides: plait_journal::InputOverrides = self
            .overrides
            .iter()
            .map(|(id, ports)| {
                let values = ports.iter().map(|(port, value)| (port.clone(), Arc::new(value.clone())));
                (id.clone(), values.collect::<BTreeMap<PortName, _>>())
            })
            .collect();
        plan::plan(&self.flow, crate::nodes::registry(), target, &overrides)
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
    /// For a guest: the maker of the context that it names in its settings.
    names: Option<usize>,
    /// The loop around it.
    parent: Option<usize>,
    /// For a loop: how it repeats.
    repetition: Option<Repetition>,
}

/// How a loop of a random flow repeats.
#[derive(Clone, Debug)]
struct Repetition {
    config: serde_json::Map<String, serde_json::Value>,
    /// What feeds `next` and `exit`.
    results: Vec<(&'static str, usize, usize)>,
}

#[derive(Clone, Debug)]
struct Feed {
    from: usize,
    /// From anywhere, not only from an earlier node: this is where cycles come from.
    anywhere: bool,
    output: usize,
    input: usize,
    portal: Option<u8>,
    /// A second edge, from the next output of the same node into the same input.
    twice: bool,
    /// `from` is the very number of the node.
    is_exact: bool,
}

impl Feed {
    fn plain(from: usize, output: usize, input: usize) -> Self {
        Self { from, anywhere: false, output, input, portal: None, twice: false, is_exact: false }
    }
}

fn feed(anywhere: u32) -> impl Strategy<Value = Feed> {
    let portal = prop_oneof![12 => Just(None), 1 => (0..4_u8).prop_map(Some)];
    let anywhere = prop::bool::weighted(f64::from(anywhere) / 100.0);
    (0..64_usize, anywhere, 0..8_usize, 0..8_usize, portal, prop::bool::weighted(0.08)).prop_map(
        |(from, anywhere, output, input, portal, twice)| Feed {
            from,
            anywhere,
            output,
            input,
            portal,
            twice,
            is_exact: false,
        },
    )
}

/// A gene of one of these kinds. Of a hundred, `bounds` have a bound, and `anywhere` of their feeds come from anywhere.
fn gene(kinds: &'static [usize], anywhere: u32, bounds: u32) -> impl Strategy<Value = Gene> {
    let kind = prop::sample::select(kinds);
    let bound = prop_oneof![100 - bounds => Just(None), bounds => (1..=3_u32).prop_map(Some)];
    let fails = prop_oneof![3 => Just(0), 2 => 1..4_u32];
    let attempts = prop_oneof![1 => Just(None), 1 => (1..4_u32).prop_map(Some)];
    let again = prop_oneof![4 => Just(0), 1 => 1..3_u32];
    let few = prop::bool::weighted(if std::ptr::eq(kinds, NAMING) { 0.4 } else { 0.08 });
    let names = prop_oneof![3 => Just(None), 1 => (0..64_usize).prop_map(Some)];
    (
        kind,
        any::<u8>(),
        prop::collection::vec(feed(anywhere), 0..4),
        bound,
        (fails, any::<bool>()),
        attempts,
        again,
        few,
        names,
    )
        .prop_map(|(kind, name, feeds, bound, (fails, hard), attempts, again, is_overridden, names)| {
            Gene {
                kind,
                name,
                feeds,
                bound,
                fails,
                hard,
                attempts,
                again,
                is_overridden,
                names,
                parent: None,
                repetition: None,
            }
        })
}

/// Indices into [`KINDS`].
const EVERY_KIND: &[usize] = &[0, 1, 1, 2, 2, 3, 4, 5, 5, 5, 6, 7, 8, 9, 10, 10, 11, 12, 13, 14];
const TALKATIVE: &[usize] = &[1, 2, 5, 5, 8, 9, 10, 10, 10, 10, 12, 13, 14];
const CHAINED: &[usize] = &[1, 1, 2, 2, 3, 4, 5, 6, 7, 8, 10, 12, 13, 14];
/// Few of them fail, and some ask, so that cycles without a bound go on.
const ASKING: &[usize] = &[1, 1, 2, 2, 5, 8, 8, 9, 10, 12, 14];
/// What makes, names and hands on contexts.
const NAMING: &[usize] = &[2, 9, 9, 10, 12, 13, 13, 13, 14, 14];

/// A chain with ways back: cycles in cycles in cycles.
fn coiled(kinds: &'static [usize], size: usize, bounds: u32) -> impl Strategy<Value = Vec<Gene>> {
    let ways_back = prop::collection::vec((0..2_usize, 0..2_usize, 0..8_usize), 1..5);
    (prop::collection::vec(gene(kinds, 0, bounds), 3..=size), 0..64_usize, ways_back).prop_map(
        |(mut genes, core, ways_back)| {
            let count = genes.len();
            for (at, gene) in genes.iter_mut().enumerate() {
                gene.feeds.truncate(1);
                if at > 0 {
                    gene.feeds.insert(0, Feed::plain(at - 1, at % 4, 0));
                }
            }
            // Each way back leads around those before it, more or less.
            let (mut to, mut from) = (core % count, core % count);
            for (before, behind, output) in ways_back {
                (to, from) = (to.saturating_sub(before), (from + behind).min(count - 1));
                genes[to].feeds.push(Feed { anywhere: true, ..Feed::plain(from, output, 1) });
            }
            genes
        },
    )
}

/// A cycle around a node that asks, and a way past it: where the branch leads past, nobody is asked.
fn bypassed(bounds: u32) -> impl Strategy<Value = Vec<Gene>> {
    let more = prop::collection::vec(gene(ASKING, 10, bounds), 0..3);
    (prop::collection::vec(gene(&[1], 0, bounds), 5..=5), 0..3_usize, 0..3_usize, more).prop_map(
        |(mut genes, asked, past, more)| {
            let shape: [(usize, Vec<Feed>); 5] = [
                (0, vec![]),
                (1, vec![Feed::plain(0, 0, 0), Feed { anywhere: true, ..Feed::plain(4, 0, 1) }]),
                (5, vec![Feed::plain(1, 0, 0)]),
                (8, vec![Feed::plain(2, asked, 0)]),
                (2, vec![Feed::plain(3, 0, 0), Feed::plain(2, past, 1)]),
            ];
            for (gene, (kind, feeds)) in genes.iter_mut().zip(shape) {
                (gene.kind, gene.feeds) = (kind, feeds);
            }
            genes.extend(more);
            genes
        },
    )
}

/// Several parts, each fed by the one before, and nodes that follow them.
fn in_sequence(parts: Vec<Vec<Gene>>, bridge: (usize, usize), around: bool, last: Vec<Gene>) -> Vec<Gene> {
    let mut genes: Vec<Gene> = Vec::new();
    if around {
        // A source and a node that takes a value back from the last part: a cycle around the others.
        let mut outer = parts[0][0].clone();
        (outer.kind, outer.feeds) = (0, Vec::new());
        genes.push(outer.clone());
        let end = 1 + parts.iter().map(Vec::len).sum::<usize>();
        let back = Feed { anywhere: true, ..Feed::plain(end - bridge.0 % 2, bridge.1, 1) };
        (outer.kind, outer.feeds) = (2, vec![Feed::plain(0, 0, 0), back]);
        outer.bound = Some(outer.bound.unwrap_or(2));
        genes.push(outer);
    }
    for part in parts {
        let (start, count) = (genes.len(), part.len());
        for (at, mut gene) in part.into_iter().enumerate() {
            for feed in &mut gene.feeds {
                // Numbers stay inside of the part.
                let among = if feed.anywhere { count } else { at };
                feed.from = start + if among == 0 { 0 } else { feed.from % among };
                feed.anywhere |= among == 0;
            }
            gene.feeds
                .retain(|feed| feed.from < start + count && (!feed.anywhere || at > 0 || feed.from > start));
            if at == 0 && start > 0 {
                gene.kind = if gene.kind == 0 { 1 } else { gene.kind };
                gene.feeds.insert(0, Feed::plain(start - 1 - bridge.0 % start, bridge.1, 0));
            }
            genes.push(gene);
        }
    }
    genes.extend(last);
    genes
}

/// A random case of up to `size` nodes.
pub fn case(size: usize) -> impl Strategy<Value = Case> {
    let half = size / 2 + 1;
    let part = move || {
        prop_oneof![
            2 => coiled(CHAINED, half, 60),
            2 => coiled(ASKING, half, 20),
            2 => bypassed(10),
            1 => bypassed(40),
        ]
    };
    let followers = || prop::collection::vec(gene(NAMING, 8, 20), 0..4);
    let bridge = (0..8_usize, 0..4_usize);
    let sequence = (prop::collection::vec(part(), 2..=2), bridge, prop::bool::weighted(0.4), followers())
        .prop_map(|(parts, bridge, around, last)| in_sequence(parts, bridge, around, last));
    let followed =
        (part(), followers()).prop_map(|(part, last)| in_sequence(vec![part], (0, 0), false, last));
    let genes = prop_oneof![
        4 => prop::collection::vec(gene(EVERY_KIND, 12, 75), 1..=size),
        2 => prop::collection::vec(gene(EVERY_KIND, 35, 75), 1..=size),
        2 => prop::collection::vec(gene(TALKATIVE, 15, 75), 2..=size),
        2 => prop::collection::vec(gene(NAMING, 10, 75), 3..=size),
        3 => coiled(CHAINED, size, 75),
        2 => coiled(ASKING, size, 30),
        3 => followed,
        3 => sequence,
    ];
    finish(genes)
}

fn finish(genes: impl Strategy<Value = Vec<Gene>>) -> impl Strategy<Value = Case> {
    let script = (any::<u64>(), prop::bool::weighted(0.35));
    let unattended = prop_oneof![1 => Just(None), 50 => (1..=4_u32).prop_map(Some)];
    (genes, script, any::<u64>(), unattended).prop_map(|(genes, (seed, leaves_some), rng, unattended)| {
        let (mut flow, overrides) = grow(&genes);
        flow.settings.max_unattended_epochs = unattended;
        Case { flow, overrides, script: Script { seed, leaves_some }, seed: rng }
    })
}
