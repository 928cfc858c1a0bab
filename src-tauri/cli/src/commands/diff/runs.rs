//! What differs between two runs, as text.

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
    for (_, difference) in found {
        describe(text, difference);
    }
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
    let places = |places: &[u32]| {
        places.iter().map(|place| (u64::from(*place) + 1).to_string()).collect::<Vec<_>>().join(", ")
    };
    let mut parts = Vec::new();
    for (found, what) in
        [(&list.inserted, "inserted"), (&list.removed, "removed"), (&list.changed, "changed")]
    {
        match found.len() {
            0 => {}
            1 => parts.push(format!("item {} {what}", places(found))),
            _ => parts.push(format!("items {} {what}", places(found))),
        }
    }
    format!("{}: {}, {} unchanged", place(&list.path, &list.at.to_string()), parts.join("; "), list.unchanged)
}

fn place(path: &[NodeId], at: &str) -> String {
    path.iter().map(NodeId::as_str).chain([at]).collect::<Vec<_>>().join(" › ")
}

pub(super) fn describe(text: &mut String, difference: &RunDifference) {
    let at = difference.after.as_ref().or(difference.before.as_ref()).map(|shown| shown.at.to_string());
    let at = place(&difference.path, &at.unwrap_or_default());
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
