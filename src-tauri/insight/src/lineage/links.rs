//! What each part of the text of a place was made of.

mod loops;
mod outputs;
mod prompts;
mod subflows;
mod templates;
mod tools;

use std::ops::Range;

use plait_core::expression::as_text;
use plait_core::id::{Activation, PortName};
use serde_json::Value;

use super::json_text::Pair;
use super::{Lineage, LineagePlace, LineageSource, LineageSpot, RecordedRun};
pub(super) use subflows::result_place;

/// A part of the text of a place, in bytes, and what it was made of.
#[derive(Clone, Debug)]
pub(super) struct Link {
    pub(super) range: Range<usize>,
    pub(super) origin: Origin,
}

#[derive(Clone, Debug)]
pub(super) enum Origin {
    /// The same content stands there. The ranges have the same length, unless JSON escapes a character in one of them.
    Copy { place: LineagePlace, range: Range<usize> },
    /// It was made of these texts. What none of them contains comes from `otherwise`; without one, from all of them.
    Computed { places: Vec<LineagePlace>, otherwise: Option<LineageSource> },
    /// It began here.
    Source(LineageSource),
}

/// The links of a text that all came from one place or source.
fn whole(text: &str, origin: Origin) -> Vec<Link> {
    vec![Link { range: 0..text.len(), origin }]
}

/// Links for pairs of ranges: in the text of the place itself, and in that of `from`.
fn copies(pairs: Vec<Pair>, from: &LineagePlace) -> Vec<Link> {
    let link = |(range, copied)| Link { range, origin: Origin::Copy { place: from.clone(), range: copied } };
    pairs.into_iter().map(link).collect()
}

/// The other way round.
fn swap(pairs: Vec<Pair>) -> Vec<Pair> {
    pairs.into_iter().map(|(one, other)| (other, one)).collect()
}

/// Adds a link for each part of a text of this length that has none. The links are in order.
fn fill(links: Vec<Link>, length: usize, origin: &Origin) -> Vec<Link> {
    let mut filled = Vec::with_capacity(links.len());
    let mut at = 0;
    for link in links {
        if at < link.range.start {
            filled.push(Link { range: at..link.range.start, origin: origin.clone() });
        }
        at = at.max(link.range.end);
        filled.push(link);
    }
    if at < length {
        filled.push(Link { range: at..length, origin: origin.clone() });
    }
    filled
}

/// What every rule knows: the run, an activation, and the text whose links are wanted.
#[derive(Clone, Copy)]
struct At<'a> {
    run: &'a RecordedRun,
    activation: &'a Activation,
    text: &'a str,
}

impl At<'_> {
    fn place(&self, spot: LineageSpot) -> LineagePlace {
        LineagePlace { run: self.run.id.clone(), spot }
    }

    fn input(&self, port: &str, index: usize) -> LineagePlace {
        self.place(LineageSpot::input(self.activation, port.into(), index))
    }

    /// All values on the inputs of the activation.
    fn inputs(&self) -> Vec<LineagePlace> {
        let fed = self.run.epoch(self.activation).map(|epoch| &epoch.inputs);
        let fed = fed.into_iter().flatten().flat_map(|(port, sources)| {
            (0..sources.len()).map(move |index| LineageSpot::input(self.activation, port.clone(), index))
        });
        let set = self.run.outline().set.get(&self.activation.node).into_iter().flatten();
        let set = set.map(|(port, _)| LineageSpot::input(self.activation, port.clone(), 0));
        let mut spots: Vec<LineageSpot> = fed.collect();
        for spot in set {
            if !spots.contains(&spot) {
                spots.push(spot);
            }
        }
        spots.into_iter().map(|spot| self.place(spot)).collect()
    }

    /// Whether the outputs of the activation are those of a pin.
    fn is_pinned(&self) -> bool {
        let metadata = self.run.epoch(self.activation).and_then(|epoch| epoch.metadata.as_ref());
        metadata.is_some_and(|metadata| metadata.pinned)
    }

    fn whole(&self, origin: Origin) -> Vec<Link> {
        whole(self.text, origin)
    }

    fn computed(&self, places: Vec<LineagePlace>) -> Vec<Link> {
        let otherwise = places.is_empty().then(|| self.own_source());
        self.whole(Origin::Computed { places, otherwise })
    }

    /// Where a text comes from that the node got from nowhere else: a setting with the same text, if there is one.
    fn own_source(&self) -> LineageSource {
        let mut settings = self.run.config(self.activation).into_iter().flatten();
        let setting = settings.find_map(|(name, value)| setting_of(value, self.text, format!("/{name}")));
        setting.map_or(LineageSource::Unknown, |setting| self.run.setting(self.activation, setting))
    }
}

/// The pointer of the first setting that is a text.
fn setting_of(value: &Value, text: &str, pointer: String) -> Option<String> {
    if as_text(value) == text {
        return Some(pointer);
    }
    match value {
        Value::Object(members) => {
            members.iter().find_map(|(name, value)| setting_of(value, text, format!("{pointer}/{name}")))
        }
        Value::Array(items) => {
            let mut items = items.iter().enumerate();
            items.find_map(|(index, value)| setting_of(value, text, format!("{pointer}/{index}")))
        }
        _ => None,
    }
}

impl Lineage<'_> {
    /// The links of a place, in the order of its text.
    pub(super) fn links(&self, place: &LineagePlace) -> Vec<Link> {
        let (Some(run), Some(text)) = (self.run(&place.run), self.text(place)) else { return Vec::new() };
        let activation = place.spot.activation();
        let activation = match (&place.spot, &activation) {
            (LineageSpot::RunInput | LineageSpot::Set { .. }, _) | (_, None) => {
                return self.given_links(&run, &place.spot, &text);
            }
            (_, Some(activation)) => activation,
        };
        let at = At { run: &run, activation, text: &text };
        match &place.spot {
            LineageSpot::Output { port, .. } => match run.changed(activation, port, false) {
                Some((_, value)) if as_text(value) == text => {
                    at.whole(Origin::Source(LineageSource::Changed))
                }
                _ => self.output_links(at, port),
            },
            LineageSpot::Input { port, index, .. } => self.input_links(at, port, *index),
            LineageSpot::Message { call, message, .. } => self.message_links(at, *call, *message),
            LineageSpot::Reply { call, .. } => {
                let messages = self.messages(&run, activation, *call).len();
                let message = |message| at.place(LineageSpot::message(activation, *call, message));
                at.computed((0..messages).map(message).collect())
            }
            LineageSpot::ToolResult { tool, .. } => self.tool_result_links(at, *tool),
            LineageSpot::ToolArguments { tool, .. } => self.tool_argument_links(at, *tool),
            LineageSpot::Answer { question, .. } => {
                let pause = run.epoch(activation).and_then(|epoch| epoch.pauses.get(*question));
                let question = pause.map(|pause| pause.prompt.clone()).unwrap_or_default();
                at.whole(Origin::Source(LineageSource::Answer { question }))
            }
            LineageSpot::RunInput | LineageSpot::Set { .. } => Vec::new(),
        }
    }

    fn input_links(&self, at: At<'_>, port: &PortName, index: usize) -> Vec<Link> {
        if at.run.changed(at.activation, port, true).is_some() {
            return at.whole(Origin::Source(LineageSource::Changed));
        }
        if let Some((from, port)) = at.run.source_of(at.activation, port, index) {
            return self.copy(at, at.place(LineageSpot::output(&from, port)));
        }
        let node = at.activation.node.clone();
        self.copy(at, at.place(LineageSpot::Set { node, port: port.clone() }))
    }

    /// The text is that of another place, as its text proves. Else it was computed from it.
    fn copy(&self, at: At<'_>, from: LineagePlace) -> Vec<Link> {
        match self.text(&from) {
            Some(text) if text == at.text => at.whole(Origin::Copy { place: from, range: 0..at.text.len() }),
            _ => at.computed(vec![from]),
        }
    }
}
