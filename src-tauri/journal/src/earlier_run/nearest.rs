//! What is nearest to a request that is not recorded, and the words in which the two differ: so a person sees what to change.

use std::fmt::Write as _;

use similar::{ChangeTag, TextDiff};

use serde_json::json;

use super::EarlierRun;
use super::record::{Recorded, RecordedRun};
use plait_core::error::Fault;
use plait_core::expression::as_text;
use plait_core::id::{Activation, RunId};
use plait_llm::context::ToolCall;
use plait_llm::prompt_record::{PromptPart, PromptRecord};

/// The most bytes of a text that are compared.
const MAX_TEXT_BYTES: usize = 64 * 1024;
/// The most recorded requests that are compared with one.
const MAX_COMPARED: usize = 200;
/// The most differences that a message names.
const MAX_NAMED: usize = 3;
/// The most characters of the words of one difference.
const MAX_WORDS_CHARS: usize = 120;

/// What was asked for.
#[derive(Clone, Copy)]
pub enum Sought<'a> {
    /// The reply of a model.
    Reply(&'a PromptRecord),
    /// The result of a tool.
    Result(&'a ToolCall),
    /// Passages for a query.
    Passages(&'a str),
}

/// A recorded request.
struct Recording<'t> {
    run: &'t RunId,
    at: &'t Activation,
    seq: u64,
    /// Whether another node made it, or another iteration. The smaller, the more alike.
    distance: u8,
    text: String,
}

/// Words of one request that stand in place of words of the other one.
#[derive(Default)]
struct Difference {
    recorded: String,
    now: String,
}

impl EarlierRun {
    /// Completes `run.not_recorded` with the node and the iteration that asked, the recorded request that is most like it, and the
    /// words that differ. Details: `{node, epoch, nearest: {run, seq, node, epoch}, differs: [{recorded, now}]}`.
    #[must_use]
    pub fn explain_miss(&self, mut fault: Fault, activation: &Activation, sought: Sought<'_>) -> Fault {
        let text = clip(sought.text());
        let _ = write!(fault.message, " `{}` asked for it", activation.node);
        if !activation.epoch.0.is_empty() {
            let _ = write!(fault.message, " in iteration {}", iteration(activation));
        }
        fault.message.push('.');
        let mut details = json!({ "node": activation.node, "epoch": activation.epoch });
        match self.nearest(activation, sought, &text) {
            None => {
                let _ = write!(fault.message, " No {} is recorded.", sought.kind());
            }
            Some(nearest) => {
                let differences = differences(&nearest.text, &text);
                let _ = write!(fault.message, " {}", sentence(&nearest, &differences));
                let (run, seq, at) = (nearest.run, nearest.seq, nearest.at);
                details["nearest"] = json!({ "run": run, "seq": seq, "node": at.node, "epoch": at.epoch });
                let differs = differences
                    .iter()
                    .map(|Difference { recorded, now }| json!({ "recorded": recorded, "now": now }));
                details["differs"] = differs.collect();
            }
        }
        fault.details = details;
        fault
    }

    fn nearest(&self, activation: &Activation, sought: Sought<'_>, text: &str) -> Option<Recording<'_>> {
        let mut recordings = Vec::new();
        for run in self.tree.runs() {
            let is_same_run = self.run.as_ref() == Some(&run.run);
            for at in &run.order {
                let Some(recorded) = run.activations.get(at) else { continue };
                let distance = match at {
                    at if !is_same_run || at.node != activation.node => 2,
                    at if at.epoch != activation.epoch => 1,
                    _ => 0,
                };
                let texts = sought.recorded(run, at, recorded);
                recordings.extend(texts.into_iter().map(|(text, seq)| {
                    let text = clip(text);
                    Recording { run: &run.run, at, seq, distance, text }
                }));
            }
        }
        recordings.sort_by_key(|recording| recording.distance);
        recordings.truncate(MAX_COMPARED);
        let likeness = |recording: &Recording<'_>| TextDiff::from_words(&*recording.text, text).ratio();
        let mut best: Option<(f32, Recording<'_>)> = None;
        for recording in recordings {
            let likeness = likeness(&recording);
            if best.as_ref().is_none_or(|(most, _)| likeness > *most) {
                best = Some((likeness, recording));
            }
        }
        best.map(|(_, recording)| recording)
    }
}

impl Sought<'_> {
    fn kind(self) -> &'static str {
        match self {
            Self::Reply(_) => "reply of a model",
            Self::Result(_) => "call of this tool",
            Self::Passages(_) => "search",
        }
    }

    fn text(self) -> String {
        match self {
            Self::Reply(prompt) => prompt_text(prompt),
            Self::Result(call) => as_text(&call.arguments),
            Self::Passages(query) => query.to_owned(),
        }
    }

    /// The recorded requests of this kind, with the positions of their events.
    fn recorded(self, run: &RecordedRun, at: &Activation, recorded: &Recorded) -> Vec<(String, u64)> {
        match self {
            Self::Reply(_) => {
                let prompts = run.prompts.get(at).into_iter().flatten();
                let replied = prompts.filter(|(place, _)| recorded.replies.contains_key(place));
                replied.map(|(_, (prompt, seq))| (prompt_text(prompt), *seq)).collect()
            }
            Self::Result(wanted) => {
                let same = recorded.tool_calls.iter().filter(|made| made.call.name == wanted.name);
                same.map(|made| (as_text(&made.call.arguments), made.seq)).collect()
            }
            Self::Passages(_) => {
                recorded.retrieved.iter().map(|(found, _, seq)| (found.query.clone(), *seq)).collect()
            }
        }
    }
}

/// What a prompt says, as far as its record has the words, and what else decides the reply.
fn prompt_text(prompt: &PromptRecord) -> String {
    let mut text = String::new();
    for part in &prompt.parts {
        match part {
            PromptPart::Message { text: words, .. } | PromptPart::Block { text: words, .. } => {
                let _ = writeln!(text, "{words}");
            }
            PromptPart::History { count, .. } => drop(writeln!(text, "({count} earlier messages)")),
            PromptPart::Step { rejection: Some(reason), .. } => drop(writeln!(text, "{reason}")),
            PromptPart::Turns { text: Some(words), .. } => drop(writeln!(text, "{words}")),
            PromptPart::Attachments { attachments, .. } => {
                for attachment in attachments {
                    let _ = writeln!(text, "({} {})", attachment.name, attachment.hash);
                }
            }
            PromptPart::Step { .. } | PromptPart::Turns { .. } => {}
        }
    }
    let _ = write!(text, "\n(model {}/{})", prompt.provider, prompt.model);
    for tool in &prompt.tools {
        let _ = write!(text, " (tool {tool})");
    }
    match serde_json::to_value(&prompt.settings) {
        Ok(settings) => {
            for (name, value) in settings.as_object().into_iter().flatten() {
                let _ = write!(text, " ({name} {value})");
            }
        }
        Err(error) => {
            let _ = write!(text, " ({error})");
        }
    }
    text
}

fn sentence(nearest: &Recording<'_>, differences: &[Difference]) -> String {
    let mut sentence = format!("The nearest recorded request is of `{}`", nearest.at.node);
    if !nearest.at.epoch.0.is_empty() {
        let _ = write!(sentence, " in iteration {}", iteration(nearest.at));
    }
    if differences.is_empty() {
        // Replies are taken once.
        sentence.push_str(": it says the same, but its history differs, or its reply is taken already.");
        return sentence;
    }
    sentence.push_str(&named(differences));
    sentence
}

/// The words in which a recorded text differs from one of now, for people: `: it says "Ada" where this one says "Bob".` Empty if none do.
pub fn differing_words(recorded: &str, now: &str) -> String {
    let differences = differences(&clip(recorded), &clip(now));
    if differences.is_empty() { String::new() } else { named(&differences) }
}

fn named(differences: &[Difference]) -> String {
    let mut sentence = String::new();
    for (number, Difference { recorded, now }) in differences.iter().take(MAX_NAMED).enumerate() {
        sentence.push_str(if number == 0 { ": " } else { "; " });
        let (recorded, now) = (short(recorded), short(now));
        let difference = match (recorded.is_empty(), now.is_empty()) {
            (false, false) => format!("it says \"{recorded}\" where this one says \"{now}\""),
            (true, _) => format!("it does not say \"{now}\""),
            (_, true) => format!("it also says \"{recorded}\""),
        };
        sentence.push_str(&difference);
    }
    if let Some(more @ 1..) = differences.len().checked_sub(MAX_NAMED) {
        let _ = write!(sentence, "; and {more} more differences");
    }
    sentence.push('.');
    sentence
}

/// From 1, as people count.
fn iteration(activation: &Activation) -> String {
    let counters = activation.epoch.0.iter().map(|counter| (u64::from(*counter) + 1).to_string());
    counters.collect::<Vec<_>>().join(".")
}

/// The words that differ, in the order of the texts.
fn differences(recorded: &str, now: &str) -> Vec<Difference> {
    let mut found = Vec::new();
    let mut open = Difference::default();
    for change in TextDiff::from_words(recorded, now).iter_all_changes() {
        match change.tag() {
            ChangeTag::Delete => open.recorded.push_str(change.value()),
            ChangeTag::Insert => open.now.push_str(change.value()),
            // Two changed words in a row are one difference.
            ChangeTag::Equal if change.value().trim().is_empty() && !open.is_empty() => {
                open.recorded.push_str(change.value());
                open.now.push_str(change.value());
            }
            ChangeTag::Equal => found.extend(open.finish()),
        }
    }
    found.extend(open.finish());
    found
}

impl Difference {
    fn is_empty(&self) -> bool {
        self.recorded.is_empty() && self.now.is_empty()
    }

    fn finish(&mut self) -> Option<Self> {
        let Self { recorded, now } = std::mem::take(self);
        let (recorded, now) = (recorded.trim().to_owned(), now.trim().to_owned());
        (recorded != now).then_some(Self { recorded, now })
    }
}

fn clip(text: impl Into<String>) -> String {
    let mut text = text.into();
    text.truncate(text.floor_char_boundary(MAX_TEXT_BYTES));
    text
}

fn short(words: &str) -> String {
    if words.chars().count() <= MAX_WORDS_CHARS {
        return words.to_owned();
    }
    words.chars().take(MAX_WORDS_CHARS).chain(['…']).collect()
}

#[cfg(test)]
mod tests;
