//! Generates random flows with loops: of every kind, nested, around cycles and inside of them, with edges that enter their
//! bodies from outside, failing, waiting, and working in contexts of every kind.

use proptest::prelude::*;
use serde_json::json;

use super::{CHAINED, Case, Feed, Gene, Repetition, TALKATIVE, bypassed, coiled, finish, gene};
use crate::nodes::KINDS;
use crate::reference::repetition::CONDITIONS;

/// Indices of the kinds that only flows with loops have.
const LIST: usize = KINDS.len();
const SIGN: usize = LIST + 1;
const LOOP: usize = LIST + 2;
const FINISH: usize = LIST + 3;

/// What stands before, inside and after loops.
const BEFORE: &[usize] = &[0, 1, 2, 5, 8, 9, 9, 9, 10, LIST, LIST];
const INSIDE: &[usize] =
    &[1, 2, 2, 3, 4, 5, 5, 6, 6, 7, 8, 9, 10, 10, 10, 10, 11, 12, 13, 14, LIST, LIST, SIGN, SIGN, FINISH];
const AFTER: &[usize] = &[1, 2, 4, 5, 6, 8, 10, 10, 11, 12, 13, 14];

fn config() -> impl Strategy<Value = serde_json::Map<String, serde_json::Value>> {
    let conditions = prop::sample::select(CONDITIONS);
    let max = prop_oneof![2 => Just(None), 1 => (1..4_u32).prop_map(Some)];
    let condition = prop_oneof![1 => Just(None), 5 => conditions.prop_map(Some)];
    (0..3_u8, condition, 0..4_u32, 1..5_u32, any::<bool>(), max).prop_map(
        |(kind, condition, times, concurrency, continues, max)| {
            let config = match kind {
                0 => {
                    let mut config = json!({ "max_iterations": max.unwrap_or(4) });
                    if let Some(condition) = condition {
                        config["condition"] = json!(condition);
                    }
                    config
                }
                1 => json!({ "kind": "times", "times": times, "max_iterations": max.unwrap_or(5) }),
                _ => json!({
                    "kind": "forEach",
                    "concurrency": concurrency,
                    "on_error": if continues { "continue" } else { "stop" },
                    "max_iterations": max.unwrap_or(100),
                }),
            };
            config.as_object().unwrap().clone()
        },
    )
}

fn loop_gene() -> impl Strategy<Value = Gene> {
    let next = prop::collection::vec((0..64_usize, 0..8_usize), 0..3);
    let exit = prop::option::weighted(0.35, (0..64_usize, 0..8_usize));
    (gene(&[LOOP], 10, 10), config(), next, exit).prop_map(|(gene, config, next, exit)| {
        let next = next.into_iter().map(|(from, output)| ("next", from, output));
        let exit = exit.into_iter().map(|(from, output)| ("exit", from, output));
        Gene { repetition: Some(Repetition { config, results: next.chain(exit).collect() }), ..gene }
    })
}

/// Makes the numbers in a part exact.
fn exact(mut part: Vec<Gene>) -> Vec<Gene> {
    let count = part.len();
    for (at, gene) in part.iter_mut().enumerate() {
        gene.feeds.retain_mut(|feed| {
            let among = if feed.anywhere { count } else { at };
            (feed.is_exact, feed.from) = (true, feed.from % among.max(1));
            among > 0
        });
    }
    part
}

/// Moves a part behind others.
fn shifted(mut part: Vec<Gene>, by: usize) -> Vec<Gene> {
    for gene in &mut part {
        gene.parent = gene.parent.map(|parent| parent + by);
        for feed in gene.feeds.iter_mut().filter(|feed| feed.is_exact) {
            feed.from += by;
        }
    }
    part
}

/// A loop and its body.
fn looped(depth: u32) -> BoxedStrategy<Vec<Gene>> {
    let part = prop_oneof![
        6 => prop::collection::vec(gene(INSIDE, 6, 75), 1..5),
        2 => prop::collection::vec(gene(TALKATIVE, 6, 75), 1..4),
        2 => coiled(CHAINED, 5, 75).prop_map(exact),
        1 => bypassed(60).prop_map(exact),
    ];
    let inner = if depth == 0 {
        Just(Vec::new()).boxed()
    } else {
        prop_oneof![3 => Just(Vec::new()), 2 => looped(depth - 1)].boxed()
    };
    let last = prop::collection::vec(gene(INSIDE, 6, 60), 0..3);
    let from_border = prop::collection::vec(prop::option::weighted(0.5, (0..8_usize, 0..8_usize)), 8);
    (loop_gene(), part, inner, last, from_border)
        .prop_map(|(head, part, inner, last, from_border)| {
            let mut genes = vec![head];
            for part in [part, inner, last] {
                let by = genes.len();
                genes.extend(shifted(part, by));
            }
            for gene in genes[1..].iter_mut().filter(|gene| gene.parent.is_none()) {
                gene.parent = Some(0);
            }
            for (gene, feed) in genes[1..].iter_mut().zip(from_border) {
                if let Some((output, input)) = feed.filter(|_| gene.parent == Some(0)) {
                    gene.feeds.push(Feed { is_exact: true, ..Feed::plain(0, output, input) });
                }
            }
            genes
        })
        .boxed()
}

/// A random case with at least one loop.
pub fn case_with_loops() -> impl Strategy<Value = Case> {
    let before = || prop::collection::vec(gene(BEFORE, 4, 75), 1..4);
    let after = || prop::collection::vec(gene(AFTER, 12, 75), 0..4);
    let genes = (before(), looped(2), after(), prop::option::weighted(0.3, looped(1)), after());
    let genes = genes.prop_map(|(before, first, between, second, after)| {
        let mut genes = before;
        for part in [first, between, second.unwrap_or_default(), after] {
            let by = genes.len();
            genes.extend(shifted(part, by));
        }
        genes
    });
    finish(genes)
}
