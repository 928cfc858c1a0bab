//! What differs between two runs, as text.

use std::collections::HashMap;
use std::fmt::Write as _;

use plait_core::id::{NodeId, RunId};
use plait_insight::comparison::{
    ActivationChange, ComparedActivation, ComparedTotals, ListComparison, NodeComparison, NodeMark,
    NodeTotals, RunComparison, RunDifference,
};

use super::{flows, words};
use crate::commands::runs::status_text;
use crate::format::{format_duration, new_table};

pub(super) fn text(before: &RunId, after: &RunId, compared: &RunComparison) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "Before: run {before}, {}", totals(&compared.before));
    let _ = writeln!(text, "After:  run {after}, {}", totals(&compared.after));
    if !compared.flow.is_empty() {
        let _ = writeln!(text, "\nThe flows");
        for change in &compared.flow.changes {
            let _ = writeln!(text, "  {}", flows::line(change));
        }
    }
    if let Some(input) = &compared.input {
        let _ = writeln!(text, "\nThe input: {}", words::change(input));
    }
    if !compared.lists.is_empty() {
        let _ = writeln!(text, "\nThe lists");
        for list in &compared.lists {
            let _ = writeln!(text, "  {}", list_line(list));
        }
    }
    let (roots, following): (Vec<_>, Vec<_>) =
        compared.differences.iter().enumerate().partition(|(_, difference)| difference.follows.is_empty());
    let mut roots = roots.into_iter();
    if let Some((first, difference)) = roots.next() {
        let _ = writeln!(text, "\nThe first difference");
        describe(&mut text, difference);
        let of_first = |(_, difference): &&(usize, &RunDifference)| difference.follows.contains(&first);
        section(&mut text, "What follows from it", following.iter().filter(of_first));
        section(&mut text, "What does not", roots.collect::<Vec<_>>().iter());
        section(&mut text, "What follows from that alone", following.iter().filter(|found| !of_first(found)));
    }
    nodes(&mut text, &compared.nodes);
    let same = compared.same;
    let _ = match compared.differences.len() {
        0 => writeln!(text, "\nThe runs did the same (steps: {same})."),
        others => writeln!(text, "\nSteps that are the same: {same}. That differ: {others}."),
    };
    text
}

fn section<'a>(text: &mut String, title: &str, found: impl Iterator<Item = &'a (usize, &'a RunDifference)>) {
    let mut found = found.peekable();
    if found.peek().is_some() {
        let _ = writeln!(text, "\n{title}");
    }
    // Of a node that only one of the runs has, all its steps are one line.
    let mut gathered: Vec<(&RunDifference, usize)> = Vec::new();
    let mut of_node = HashMap::new();
    for &(_, difference) in found {
        let place = lone_node(difference).map(|node| *of_node.entry(node).or_insert(gathered.len()));
        match place.and_then(|place| gathered.get_mut(place)) {
            Some((_, more)) => *more += 1,
            None => gathered.push((difference, 0)),
        }
    }
    for (difference, more) in gathered {
        describe_all(text, difference, more);
    }
}

/// The node of a step that only one of the runs has, and which one.
fn lone_node(difference: &RunDifference) -> Option<(&[NodeId], &NodeId, bool)> {
    let (shown, is_first) = match (&difference.before, &difference.after) {
        (Some(before), None) => (before, true),
        (None, Some(after)) => (after, false),
        _ => return None,
    };
    difference.changes.is_empty().then_some((&*difference.path, &shown.at.node, is_first))
}

/// What each node used in both runs, of those that differ or call a model.
fn nodes(text: &mut String, nodes: &[NodeComparison]) {
    let used_tokens = |of: &Option<NodeTotals>| of.as_ref().is_some_and(|of| tokens(of) > 0);
    let mut shown = nodes
        .iter()
        .filter(|node| node.mark != NodeMark::Same || used_tokens(&node.before) || used_tokens(&node.after))
        .peekable();
    if shown.peek().is_none() {
        return;
    }
    let mut table = new_table(&["NODE", "DIFFERS", "STEPS", "TOKENS", "COST", "TIME"]);
    for node in shown {
        let (before, after) = (node.before.as_ref(), node.after.as_ref());
        let name = after.or(before).map(|of| of.node.as_str()).unwrap_or_default();
        let time = |of: &NodeTotals| of.duration_ms.map_or_else(|| "–".to_owned(), format_duration);
        table.add_row([
            place(&node.path, name),
            mark_word(node).to_owned(),
            both(before, after, |of| of.steps.to_string()),
            both(before, after, |of| tokens(of).to_string()),
            both(before, after, |of| of.cost.to_string()),
            both(before, after, time),
        ]);
    }
    let _ = writeln!(text, "\nThe nodes\n{}", table.trim_fmt());
}

fn tokens(of: &NodeTotals) -> u64 {
    of.tokens.input.saturating_add(of.tokens.output)
}

/// A value of both runs: once if it is the same.
fn both(
    before: Option<&NodeTotals>,
    after: Option<&NodeTotals>,
    show: impl Fn(&NodeTotals) -> String,
) -> String {
    let [old, new] = [before, after].map(|of| of.map_or_else(|| "–".to_owned(), &show));
    if old == new { old } else { format!("{old} → {new}") }
}

fn mark_word(node: &NodeComparison) -> &'static str {
    match (node.mark, &node.before, &node.after) {
        (NodeMark::First, ..) => "first",
        (_, None, _) => "only second",
        (_, _, None) => "only first",
        (NodeMark::Own, ..) => "on its own",
        (NodeMark::Follows, ..) => "follows",
        (NodeMark::Same, ..) => "same",
    }
}

fn totals(totals: &ComparedTotals) -> String {
    let duration = totals.duration_ms.map(|ms| format!(" in {}", format_duration(ms))).unwrap_or_default();
    let tokens = totals.tokens.input + totals.tokens.output;
    format!("{}{duration}, {tokens} tokens, {}", status_text(totals.status), totals.cost)
}

fn list_line(list: &ListComparison) -> String {
    let mut parts = Vec::new();
    for (found, what) in [
        (&list.inserted, "inserted"),
        (&list.removed, "removed"),
        (&list.moved, "moved"),
        (&list.changed, "changed"),
    ] {
        match found.len() {
            0 => {}
            1 => parts.push(format!("item {} {what}", item_numbers(found))),
            _ => parts.push(format!("items {} {what}", item_numbers(found))),
        }
    }
    format!("{}: {}, {} unchanged", place(&list.path, &list.at.to_string()), parts.join("; "), list.unchanged)
}

/// Places as people count them, neighbors as a range: `1–9, 12`.
fn item_numbers(places: &[u32]) -> String {
    let ranges = places.chunk_by(|place, next| place.checked_add(1) == Some(*next));
    let shown = ranges.map(|range| {
        let numbers =
            [range.first(), range.last()].map(|place| u64::from(place.copied().unwrap_or_default()) + 1);
        match range.len() {
            1 => numbers[0].to_string(),
            2 => format!("{}, {}", numbers[0], numbers[1]),
            _ => format!("{}–{}", numbers[0], numbers[1]),
        }
    });
    shown.collect::<Vec<_>>().join(", ")
}

fn place(path: &[NodeId], at: &str) -> String {
    path.iter().map(NodeId::as_str).chain([at]).collect::<Vec<_>>().join(" › ")
}

pub(super) fn describe(text: &mut String, difference: &RunDifference) {
    describe_all(text, difference, 0);
}

/// A difference, and how many more there are like it.
fn describe_all(text: &mut String, difference: &RunDifference, more: usize) {
    let at = difference.after.as_ref().or(difference.before.as_ref()).map(|shown| shown.at.to_string());
    let mut at = place(&difference.path, &at.unwrap_or_default());
    if more > 0 {
        let _ = write!(at, " and {more} more");
    }
    match (&difference.before, &difference.after) {
        (Some(before), Some(after)) => {
            let _ = writeln!(text, "  {at}{}", used(before, after));
        }
        (Some(_), None) => {
            let _ = writeln!(text, "  {at}: only in the first run");
        }
        (None, _) => {
            let _ = writeln!(text, "  {at}: only in the second run");
        }
    }
    for change in &difference.changes {
        let _ = writeln!(text, "    {}", line(change));
    }
}

/// What it used, where that differs.
fn used(before: &ComparedActivation, after: &ComparedActivation) -> String {
    let mut parts = Vec::new();
    let of = |shown: &ComparedActivation| shown.tokens.input + shown.tokens.output;
    let (old, new) = (of(before), of(after));
    if old != new {
        parts.push(format!("{old} → {new} tokens"));
    }
    if before.cost != after.cost {
        parts.push(format!("{} → {}", before.cost, after.cost));
    }
    if parts.is_empty() { String::new() } else { format!(" ({})", parts.join(", ")) }
}

fn line(change: &ActivationChange) -> String {
    let nth = |index: &usize| index + 1;
    match change {
        ActivationChange::Config { change } => format!("{}: {}", change.pointer, words::change(change)),
        ActivationChange::Set { port, change } => format!("set {port}: {}", words::change(change)),
        ActivationChange::State { before, after } => format!("state: {before:?} → {after:?}").to_lowercase(),
        ActivationChange::Answer { change } => format!("answer: {}", words::change(change)),
        ActivationChange::Model { call, change } => {
            format!("model of call {}: {}", nth(call), words::change(change))
        }
        ActivationChange::Message { call, change } => {
            format!("prompt {}: {}", nth(call), words::change(change))
        }
        ActivationChange::Reply { call, change } => format!("reply {}: {}", nth(call), words::change(change)),
        ActivationChange::Tool { tool, change } => {
            format!("tool call {}: {}", nth(tool), words::change(change))
        }
        ActivationChange::Output { port, change } => format!("output {port}: {}", words::change(change)),
        ActivationChange::Error { change } => format!("error: {}", words::change(change)),
    }
}
