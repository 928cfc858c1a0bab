//! Where a text comes from, and where it went: from place to place through the values, prompts and replies of a run tree.
//!
//! Each place of a run has *links*: ranges of its text, with the place that the same text was copied from, the places that it was
//! computed from, or the source where it began. Both questions read the same links, so that one is the inverse of the other.
//!
//! Templates are rendered again from the recorded inputs; the result counts only if it equals what was recorded. What a query, code or
//! a model made of its inputs can't be followed: the places that contain the same text are *possible* sources and are marked so.
//! Refuses to guess: what is not known is said to be unknown.

mod backward;
mod forward;
mod json_text;
mod links;
mod place;
mod ranges;
mod recorded_run;
mod source;

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

use plait_core::expression::as_text;
use plait_core::id::{Activation, RunId};
use plait_llm::context::SharedMessage;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

use crate::lens::SentMessage;
pub use place::{LineagePlace, LineageSpot, UnknownSpot};
pub(crate) use recorded_run::LOOP;
pub use recorded_run::RecordedRun;
pub use source::LineageSource;

/// How many steps a chain follows at most. Longer ones go on from their last step.
const MAX_STEPS: usize = 1_000;
/// How many steps a person chooses from at most.
const MAX_CHOICES: usize = 50;
/// How much of the text of a step is shown, in characters.
const MAX_SHOWN_CHARS: usize = 2_000;

/// A part of a text, in UTF-16 code units, as JavaScript counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct TextRange {
    #[ts(type = "number")]
    pub start: usize,
    #[ts(type = "number")]
    pub end: usize,
}

/// Which part of the text of a place is meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Selection {
    /// All of it.
    Whole,
    Range(TextRange),
    /// An occurrence of a text, from 0.
    Text {
        text: String,
        occurrence: usize,
    },
}

/// How sure it is that a step leads to the source of the text before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum LineageCertainty {
    /// The text was copied from there.
    Copied,
    /// The same text stands there. It is a possible source.
    SameText,
    /// The text was computed from all that stands there, among others.
    Computed,
}

/// A part of a text at a place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct LineageStep {
    #[serde(flatten)]
    #[ts(flatten)]
    pub place: LineagePlace,
    pub range: TextRange,
    /// The text there; the beginning of a long one.
    pub text: String,
    /// Where the event that gave it to the place stands in the journal of the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "number")]
    pub seq: Option<u64>,
    /// How sure it is that this step belongs to the one before it.
    pub certainty: LineageCertainty,
    /// Where the text began, if it began here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub source: Option<LineageSource>,
}

/// The way of a text, as far as it is clear, and where it may go on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct LineageChain {
    /// The selected text, then every step that follows without a choice.
    pub steps: Vec<LineageStep>,
    /// The steps after the last one, if there are several, or if the only one was computed.
    pub choices: Vec<LineageStep>,
    /// Whether there are more than are listed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<bool>")]
    pub more: bool,
}

/// Why a question has no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LineageError {
    #[error("There is no `{0}` in this run.")]
    NoPlace(LineageSpot),
    #[error("The selected text does not stand in `{0}`.")]
    NoText(LineageSpot),
}

/// Loads a run of the tree. `None` if it can't be read.
pub type RunLoader<'l> = dyn Fn(&RunId) -> Option<Arc<RecordedRun>> + 'l;

/// Answers questions about the runs of a tree, each of which is loaded once.
pub struct Lineage<'l> {
    load: &'l RunLoader<'l>,
    runs: RefCell<HashMap<RunId, Option<Arc<RecordedRun>>>>,
    /// The prompts that were rebuilt.
    prompts: RefCell<HashMap<(RunId, Activation, usize), Prompt>>,
}

/// The messages of a prompt as they were sent, each with the message of the history or the step that it is.
type Prompt = Rc<Vec<(SentMessage, Option<SharedMessage>)>>;

/// A part of the text of a place, in bytes, and how it was reached.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Found {
    place: LineagePlace,
    range: Range<usize>,
    certainty: LineageCertainty,
    source: Option<LineageSource>,
}

impl<'l> Lineage<'l> {
    pub fn new(load: &'l RunLoader<'l>) -> Self {
        Self { load, runs: RefCell::default(), prompts: RefCell::default() }
    }

    /// Where a text comes from.
    pub fn where_from(
        &self,
        place: &LineagePlace,
        selection: &Selection,
    ) -> Result<LineageChain, LineageError> {
        self.follow(place, selection, Self::back)
    }

    /// Where a text went.
    pub fn where_to(
        &self,
        place: &LineagePlace,
        selection: &Selection,
    ) -> Result<LineageChain, LineageError> {
        self.follow(place, selection, Self::forth)
    }

    fn follow(
        &self,
        place: &LineagePlace,
        selection: &Selection,
        next: impl Fn(&Self, &Found) -> Vec<Found>,
    ) -> Result<LineageChain, LineageError> {
        let text = self.text(place).ok_or_else(|| LineageError::NoPlace(place.spot.clone()))?;
        let range = select(&text, selection).ok_or_else(|| LineageError::NoText(place.spot.clone()))?;
        let mut chain =
            vec![Found { place: place.clone(), range, certainty: LineageCertainty::Copied, source: None }];
        let mut choices = Vec::new();
        while let Some(last) = chain.last_mut().filter(|last| last.source.is_none()) {
            let found = next(self, last);
            match <[Found; 1]>::try_from(found) {
                // The text begins where it stands.
                Ok([only]) if only.place == last.place && only.range == last.range => {
                    last.source = only.source;
                }
                Ok([only])
                    if only.certainty != LineageCertainty::Computed
                        && chain.len() < MAX_STEPS
                        && !chain.iter().any(|step| step.place == only.place && step.range == only.range) =>
                {
                    chain.push(only);
                    continue;
                }
                Ok(only) => choices = only.into(),
                Err(several) => choices = several,
            }
            break;
        }
        let more = choices.len() > MAX_CHOICES;
        choices.truncate(MAX_CHOICES);
        Ok(LineageChain {
            steps: chain.into_iter().map(|found| self.step(found)).collect(),
            choices: choices.into_iter().map(|found| self.step(found)).collect(),
            more,
        })
    }

    fn step(&self, found: Found) -> LineageStep {
        let text = self.text(&found.place).unwrap_or_default();
        let part = text.get(found.range.clone()).unwrap_or_default();
        LineageStep {
            range: to_utf16(&text, &found.range),
            text: part.chars().take(MAX_SHOWN_CHARS).collect(),
            seq: self.run(&found.place.run).and_then(|run| run.seq(&found.place.spot)),
            place: found.place,
            certainty: found.certainty,
            source: found.source,
        }
    }

    fn run(&self, id: &RunId) -> Option<Arc<RecordedRun>> {
        if let Some(known) = self.runs.borrow().get(id) {
            return known.clone();
        }
        let run = (self.load)(id);
        self.runs.borrow_mut().insert(id.clone(), run.clone());
        run
    }

    fn messages(&self, run: &RecordedRun, at: &Activation, call: usize) -> Prompt {
        let key = (run.id.clone(), at.clone(), call);
        if let Some(known) = self.prompts.borrow().get(&key) {
            return Rc::clone(known);
        }
        let messages = Rc::new(run.messages(at, call));
        self.prompts.borrow_mut().insert(key, Rc::clone(&messages));
        messages
    }

    /// The text of a place.
    fn text(&self, place: &LineagePlace) -> Option<String> {
        let run = self.run(&place.run)?;
        match &place.spot {
            LineageSpot::Message { call, message, .. } => {
                let messages = self.messages(&run, &place.spot.activation()?, *call);
                Some(messages.get(*message)?.0.text.clone())
            }
            LineageSpot::Reply { call, .. } => {
                let epoch = run.epoch(&place.spot.activation()?)?;
                Some(epoch.calls.get(*call)?.reply.as_ref()?.text.clone())
            }
            LineageSpot::RunInput => run.outline().input.clone(),
            LineageSpot::ToolResult { tool, .. } => {
                let tool = run.epoch(&place.spot.activation()?)?.tools.get(*tool)?.clone();
                match (&tool.result, &tool.error) {
                    (Some(result), _) => Some(as_text(result)),
                    (None, Some(error)) => Some(error.message.clone()),
                    (None, None) => None,
                }
            }
            _ => self.value(place).map(|value| as_text(&value)),
        }
    }

    /// The value of a place that has one.
    fn value(&self, place: &LineagePlace) -> Option<Arc<Value>> {
        let run = self.run(&place.run)?;
        let at = place.spot.activation();
        match &place.spot {
            LineageSpot::Output { port, .. } => run.output_value(&at?, port),
            LineageSpot::Input { port, index, .. } => {
                let at = at?;
                if let Some((_, value)) = run.changed(&at, port, true) {
                    return Some(Arc::clone(value));
                }
                match run.source_of(&at, port, *index) {
                    Some((from, port)) => run.output_value(&from, &port),
                    None => run.outline().set.get(&at.node)?.get(port).filter(|_| *index == 0).cloned(),
                }
            }
            LineageSpot::ToolResult { tool, .. } => {
                run.epoch(&at?)?.tools.get(*tool)?.result.clone().map(Arc::new)
            }
            LineageSpot::ToolArguments { tool, .. } => {
                Some(Arc::new(run.epoch(&at?)?.tools.get(*tool)?.call.arguments.clone()))
            }
            LineageSpot::Answer { question, .. } => {
                run.epoch(&at?)?.pauses.get(*question)?.answer.as_ref()?.value().cloned()
            }
            LineageSpot::Set { node, port } => run.outline().set.get(node)?.get(port).cloned(),
            LineageSpot::RunInput | LineageSpot::Message { .. } | LineageSpot::Reply { .. } => None,
        }
    }
}

fn select(text: &str, selection: &Selection) -> Option<Range<usize>> {
    match selection {
        Selection::Whole => Some(0..text.len()).filter(|range| !range.is_empty()),
        Selection::Range(range) => from_utf16(text, *range).filter(|range| !range.is_empty()),
        Selection::Text { text: wanted, .. } if wanted.is_empty() => None,
        Selection::Text { text: wanted, occurrence } => {
            let (start, _) = text.match_indices(wanted.as_str()).nth(*occurrence)?;
            Some(start..start + wanted.len())
        }
    }
}

fn to_utf16(text: &str, range: &Range<usize>) -> TextRange {
    let count = |end: usize| text.get(..end).unwrap_or_default().encode_utf16().count();
    TextRange { start: count(range.start), end: count(range.end) }
}

/// `None` if an end lies outside of the text, or within a character.
fn from_utf16(text: &str, range: TextRange) -> Option<Range<usize>> {
    let ends = text.char_indices().scan(0, |units, (byte, char)| {
        let at = *units;
        *units += char.len_utf16();
        Some((at, byte))
    });
    let length = text.encode_utf16().count();
    let (mut start, mut end) = (None, None);
    for (units, byte) in ends.chain([(length, text.len())]) {
        start = start.or((units == range.start).then_some(byte));
        end = end.or((units == range.end).then_some(byte));
    }
    Some(start?..end?).filter(|range| range.start <= range.end)
}

#[cfg(test)]
mod tests;
