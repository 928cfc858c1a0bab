//! A bill in words: the same in the window and in the terminal.

use std::fmt::Write as _;

use super::{Bill, BillPlace, BoughtCall, Ceiling, NodeBehind, OutsideCall};
use crate::forecast::UnknownReason;
use plait_llm::models::Cost;

/// How many places a sentence names.
const MAX_NAMED: usize = 5;

/// A few words.
pub(super) fn summary(bill: &Bill) -> String {
    let Bill { reused, bought, behind, at_most_nano_usd, unknown, .. } = bill;
    let others = from_others(bill).map(|others| format!(" ({others})")).unwrap_or_default();
    let mut summary = format!("reuses {}{others}, buys {}", reused.calls, bought.len());
    let has_bound = *unknown < (bought.len() + behind.len()) as u64;
    if has_bound {
        let _ = write!(summary, ", at most {}", dollars(*at_most_nano_usd));
    }
    if *unknown > 0 {
        let _ = write!(summary, "; {unknown} unknown");
    }
    summary
}

/// What is reused, bought, done outside and asked, and what may follow.
pub(super) fn sentences(bill: &Bill) -> Vec<String> {
    let mut sentences = vec![reuses(bill)];
    if !bill.bought.is_empty() {
        sentences.push(buys(&bill.bought));
    }
    if !bill.outside.is_empty() {
        sentences.push(acts(&bill.outside));
    }
    if !bill.unrecorded.is_empty() {
        let places = list(bill.unrecorded.iter().map(place));
        sentences.push(format!("Fails, since what they ask for is not recorded: {places}."));
    }
    if !bill.asked.is_empty() {
        let questions = count(bill.asked.len() as u64, "question", "questions");
        sentences.push(format!("Asks {questions}: {}.", list(bill.asked.iter().map(place))));
    }
    if !bill.behind.is_empty() {
        sentences.push(may_follow(&bill.behind));
    }
    sentences
}

/// How many replies other runs bought, if any.
fn from_others(bill: &Bill) -> Option<String> {
    (bill.reused_from_others > 0).then(|| format!("{} from other runs", bill.reused_from_others))
}

fn reuses(bill: &Bill) -> String {
    let Bill { reused, reused_results, reused_answers, .. } = bill;
    let mut parts = Vec::new();
    if reused.calls > 0 {
        let price = (reused.cost.nano_usd > 0).then(|| reused.cost.to_string());
        let notes: Vec<String> = price.into_iter().chain(from_others(bill)).collect();
        let notes = if notes.is_empty() { String::new() } else { format!(" ({})", notes.join(", ")) };
        parts.push(format!("{}{notes}", count(reused.calls, "reply", "replies")));
    }
    if *reused_results > 0 {
        parts.push(count(*reused_results, "result", "results"));
    }
    if *reused_answers > 0 {
        parts.push(count(*reused_answers, "answer", "answers"));
    }
    match parts.split_last() {
        None => "There is nothing to reuse.".to_owned(),
        Some((last, [])) => format!("Reuses {last}."),
        Some((last, others)) => format!("Reuses {} and {last}.", others.join(", ")),
    }
}

fn buys(bought: &[BoughtCall]) -> String {
    let calls = count(bought.len() as u64, "model call", "model calls");
    let costs = costs(bought.iter().map(|call| &call.ceiling));
    format!("Buys {calls} ({}): {costs}.", list(bought.iter().map(|call| place(&call.place))))
}

fn acts(outside: &[OutsideCall]) -> String {
    let calls = count(outside.len() as u64, "tool call", "tool calls");
    let named = outside.iter().map(|call| format!("{} in {}", call.tool, place(&call.place)));
    format!("Makes {calls}: {}.", list(named))
}

fn may_follow(behind: &[NodeBehind]) -> String {
    let costs = costs(behind.iter().map(|node| &node.ceiling));
    let named = behind.iter().map(|node| match &node.subflow {
        Some(path) => format!("`{path}/{}`", node.node),
        None => format!("`{}`", node.node),
    });
    format!("What follows in {} depends on that: {costs}.", list(named))
}

fn costs<'b>(ceilings: impl Iterator<Item = &'b Ceiling>) -> String {
    let (known, unknown): (Vec<&Ceiling>, Vec<&Ceiling>) =
        ceilings.partition(|ceiling| ceiling.at_most_nano_usd.is_some());
    let sum = known.iter().filter_map(|ceiling| ceiling.at_most_nano_usd).fold(0, u64::saturating_add);
    let reason = unknown.iter().find_map(|ceiling| ceiling.unknown.as_ref());
    let why = reason.map(|reason| format!(" ({})", words(reason))).unwrap_or_default();
    match (known.len(), unknown.len()) {
        (_, 0) => format!("at most {}", dollars(sum)),
        (0, _) => format!("nobody knows what it costs{why}"),
        (_, count) => format!("at most {}, without {count} of unknown cost{why}", dollars(sum)),
    }
}

fn words(reason: &UnknownReason) -> String {
    match reason {
        UnknownReason::NoPrice { model } => format!("no price is known for {model}"),
        UnknownReason::NoMaxTokens => "no `maxTokens` limits the reply".to_owned(),
        UnknownReason::NoLimit => "nothing but a person ends the cycle".to_owned(),
        UnknownReason::Subflow => "it runs another flow".to_owned(),
        UnknownReason::NoPrompt => "the prompt is not known yet".to_owned(),
        UnknownReason::TooLarge => "the flow is too large to look at all of it".to_owned(),
    }
}

fn place(BillPlace { subflow, at }: &BillPlace) -> String {
    match subflow {
        Some(path) => format!("`{path}/{at}`"),
        None => format!("`{at}`"),
    }
}

fn list(names: impl ExactSizeIterator<Item = String>) -> String {
    let more = names.len().saturating_sub(MAX_NAMED);
    let listed = names.take(MAX_NAMED).collect::<Vec<String>>().join(", ");
    if more > 0 { format!("{listed} and {more} more") } else { listed }
}

pub(super) fn count(number: u64, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

pub(super) fn dollars(nano_usd: u64) -> String {
    Cost { nano_usd, unpriced: 0 }.to_string()
}
