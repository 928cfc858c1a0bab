//! Checks the key `after` of steps: that the steps it names exist, and can be done before the step.

use std::collections::HashMap;

use super::problem::{Problem, suggest};
use super::steps::{Step, StepKind};
use super::yaml::{Yaml, shorten};
use crate::codes;
use plait_core::error::ErrorCode;

/// The problems of all steps.
pub(super) fn check(root: &Yaml, steps: &[Step]) -> Vec<Problem> {
    let order = Order::of(steps);
    let mut problems = Vec::new();
    let mut report = |code: ErrorCode, pointer: &str, message: String, hint: String| {
        problems.push(Problem::new(code, root.place(pointer), message).hint(hint).pointer(pointer));
    };
    let mut edges = Vec::new();
    for at in 0..order.places.len() {
        let step = order.places[at].step;
        for (name, pointer) in step.after() {
            let Some(&before) = order.by_name.get(name) else {
                let message = format!("There is no step `{}`.", shorten(name));
                let names = order.places.iter().map(|place| place.step.name.as_str());
                report(codes::PIPELINE_UNKNOWN_STEP, &pointer, message, suggest(name, "steps", names));
                continue;
            };
            match order.relation(at, before) {
                Relation::Within => {
                    let message = if at == before {
                        format!("`{name}` cannot come after itself.")
                    } else {
                        format!(
                            "`{}` cannot come after `{name}`: one of them is a part of the other.",
                            step.name
                        )
                    };
                    report(codes::PIPELINE_ORDER, &pointer, message, "Name a step beside it.".to_owned());
                }
                Relation::InLoop(container) => {
                    let message =
                        format!("`{name}` is repeated by the loop `{container}`, and this step is not.");
                    let hint = format!("Name `{container}`, to come after all of its iterations.");
                    report(codes::PIPELINE_ORDER, &pointer, message, hint);
                }
                Relation::OtherBranch(container) => {
                    let message =
                        format!("Only one of the two runs: `{name}` is in another branch of `{container}`.");
                    let hint = "Remove it, or name a step outside of the branches.".to_owned();
                    report(codes::PIPELINE_ORDER, &pointer, message, hint);
                }
                Relation::Ordered | Relation::Beside => edges.push((before, at, pointer)),
            }
        }
    }
    for (before, at, pointer) in order.in_cycles(&edges) {
        let (step, name) = (&order.places[at].step.name, &order.places[before].step.name);
        let message = format!("`{step}` cannot come after `{name}`, which comes after `{step}` itself.");
        let hint =
            "Remove one of the two orders. Steps of a list follow each other without `after`.".to_owned();
        report(codes::PIPELINE_ORDER, &pointer, message, hint);
    }
    problems
}

/// The places of names in `after` without effect: of steps that come before anyway.
pub(super) fn without_effect(steps: &[Step]) -> Vec<(String, String)> {
    let order = Order::of(steps);
    let mut found = Vec::new();
    for at in 0..order.places.len() {
        for (name, pointer) in order.places[at].step.after() {
            let before = order.by_name.get(name);
            if before.is_some_and(|&before| matches!(order.relation(at, before), Relation::Ordered)) {
                found.push((name.to_owned(), pointer));
            }
        }
    }
    found
}

/// A step in the tree of all steps.
struct Place<'s> {
    step: &'s Step,
    /// The step around it.
    container: Option<usize>,
    depth: usize,
    /// The number of the list that it is in, and its position there.
    list: usize,
    position: usize,
}

/// How a step can come after another one.
enum Relation<'s> {
    /// It does so anyway.
    Ordered,
    /// The two are not ordered by their places, or the other way round.
    Beside,
    /// One is a part of the other, or the same.
    Within,
    /// The other one is in this loop, and the step is not.
    InLoop(&'s str),
    /// They are in different branches of this `conditional`.
    OtherBranch(&'s str),
}

struct Order<'s> {
    places: Vec<Place<'s>>,
    by_name: HashMap<&'s str, usize>,
    lists: usize,
}

impl<'s> Order<'s> {
    fn of(steps: &'s [Step]) -> Self {
        let mut order = Self { places: Vec::new(), by_name: HashMap::new(), lists: 0 };
        order.add(steps, None, 0);
        order
    }

    fn add(&mut self, steps: &'s [Step], container: Option<usize>, depth: usize) {
        let list = self.lists;
        self.lists += 1;
        for (position, step) in steps.iter().enumerate() {
            let index = self.places.len();
            self.places.push(Place { step, container, depth, list, position });
            self.by_name.insert(&step.name, index);
            for inner in step.inner() {
                self.add(inner, Some(index), depth + 1);
            }
        }
    }

    fn relation(&self, at: usize, before: usize) -> Relation<'s> {
        let (mut own, mut other) = (at, before);
        let (mut in_loop, mut in_branch) = (None, false);
        let leave = |other: usize, in_loop: &mut Option<&'s str>, in_branch: &mut bool| {
            // A step of the list that both are in has a container as well, which is not left.
            let container = self.places[other].container?;
            let step = self.places[container].step;
            match step.kind {
                StepKind::Loop { .. } => *in_loop = Some(step.name.as_str()),
                StepKind::Conditional(..) => *in_branch = true,
                _ => {}
            }
            Some(container)
        };
        loop {
            let (a, b) = (&self.places[own], &self.places[other]);
            if own == other {
                return Relation::Within;
            }
            if a.list == b.list {
                return match in_loop {
                    Some(name) => Relation::InLoop(name),
                    None if b.position < a.position && !in_branch => Relation::Ordered,
                    None => Relation::Beside,
                };
            }
            if let (Some(container), true) = (a.container, a.container == b.container) {
                let step = self.places[container].step;
                return match (&step.kind, in_loop) {
                    (_, Some(name)) => Relation::InLoop(name),
                    (StepKind::Conditional(..), None) => Relation::OtherBranch(&step.name),
                    _ => Relation::Beside,
                };
            }
            let (own_depth, other_depth) = (a.depth, b.depth);
            if own_depth >= other_depth {
                own = a.container.unwrap_or(own);
            }
            if other_depth >= own_depth {
                other = leave(other, &mut in_loop, &mut in_branch).unwrap_or(other);
            }
        }
    }

    /// Returns the `after` edges that form a cycle with the order of the lists.
    fn in_cycles(&self, edges: &[(usize, usize, String)]) -> Vec<(usize, usize, String)> {
        // Each step has a start and an end, with what is in it between them.
        let (start, end) = (|step: usize| 2 * step, |step: usize| 2 * step + 1);
        let mut links: Vec<(usize, usize)> =
            edges.iter().map(|(from, to, _)| (end(*from), start(*to))).collect();
        let mut last_of_list: HashMap<usize, usize> = HashMap::new();
        for (index, place) in self.places.iter().enumerate() {
            links.push((start(index), end(index)));
            if let Some(container) = place.container {
                links.push((start(container), start(index)));
                links.push((end(index), end(container)));
            }
            if let Some(previous) = last_of_list.insert(place.list, index) {
                links.push((end(previous), start(index)));
            }
        }
        let reversed: Vec<_> = links.iter().map(|(from, to)| (*to, *from)).collect();
        let (after, before) = (self.not_sorted(&links), self.not_sorted(&reversed));
        let is_in_cycle = |node: usize| after[node] && before[node];
        let found = edges.iter().filter(|(from, to, _)| is_in_cycle(end(*from)) && is_in_cycle(start(*to)));
        found.cloned().collect()
    }

    /// The nodes that are in a cycle of these links, or behind one.
    fn not_sorted(&self, links: &[(usize, usize)]) -> Vec<bool> {
        let count = 2 * self.places.len();
        let mut targets: Vec<Vec<usize>> = vec![Vec::new(); count];
        let mut open = vec![0_usize; count];
        for &(from, to) in links {
            targets[from].push(to);
            open[to] += 1;
        }
        let mut ready: Vec<usize> = (0..count).filter(|node| open[*node] == 0).collect();
        while let Some(node) = ready.pop() {
            for &target in &targets[node] {
                open[target] -= 1;
                if open[target] == 0 {
                    ready.push(target);
                }
            }
        }
        open.into_iter().map(|open| open > 0).collect()
    }
}

#[cfg(test)]
mod tests;
