//! What the outputs of nodes were made of, by the type of the node.

use std::ops::Range;

use plait_core::expression::as_text;
use plait_core::id::PortName;
use plait_core::origin::Origin as Label;
use plait_journal::view::EpochView;
use serde_json::Value;

use super::super::json_text::{Pair, pairs};
use super::super::{Lineage, LineagePlace, LineageSource, LineageSpot};
use super::templates::CURRENT_OUTPUT;
use super::tools::{recalled_links, retrieved_links};
use super::{At, Link, Origin, copies, fill, swap};

impl Lineage<'_> {
    pub(super) fn output_links(&self, at: At<'_>, port: &PortName) -> Vec<Link> {
        let Some(node) = at.run.node(&at.activation.node) else { return self.any_links(at) };
        if let Some(pin) = node.pin.as_ref().filter(|_| at.is_pinned()) {
            let (node, run) = (at.activation.node.clone(), pin.run.clone());
            return at.whole(Origin::Source(LineageSource::Pin { node, run }));
        }
        let config = |name: &str| node.config.get(name);
        match (node.node_type.as_str(), port.as_str()) {
            ("loop", _) => self.loop_links(at, port),
            ("subflow" | "workflow" | "subworkflow", "text" | "result") => self.subflow_links(at, port),
            (_, "context") => self.context_links(at),
            ("text", "text") => match self.render_again(at, "template") {
                Some((text, links)) if text == at.text => links,
                _ => self.any_links(at),
            },
            ("manualInput", "value") => {
                let place = at.place(LineageSpot::RunInput);
                match self.text(&place) {
                    Some(text) if text == at.text => self.copy(at, place),
                    _ => at.computed(Vec::new()),
                }
            }
            ("value", "value") => {
                at.whole(Origin::Source(at.run.setting(at.activation, "/value".to_owned())))
            }
            ("switch", _) | ("output", "value") | ("catch", "result") => self.passed_on(at, "value"),
            ("delay", "out") | ("approval", "approved") => self.passed_on(at, "in"),
            ("join", _) => {
                let names = config("names").and_then(Value::as_array).cloned().unwrap_or_default();
                let separator = config("separator").map_or_else(|| "\n".to_owned(), as_text);
                self.join_links(at, port, &names.iter().map(as_text).collect::<Vec<_>>(), &separator)
            }
            ("userInput", "message") => {
                let asked = at.run.epoch(at.activation).map_or(0, |epoch| epoch.pauses.len());
                let answer = LineageSpot::answer(at.activation, asked.saturating_sub(1));
                self.copy(at, at.place(answer))
            }
            ("readFile", "text") | ("callTool", "result") => self.tool_output(at, &[]),
            ("httpRequest", "body" | "status" | "headers") => self.tool_output(at, &[port.to_string()]),
            ("chat", "response") => match own_reply(at) {
                Some(call) => {
                    let reply = at.place(LineageSpot::reply(at.activation, call));
                    self.copy(at, reply)
                }
                None => self.any_links(at),
            },
            ("chat" | "extract", _) => {
                let calls = at.run.epoch(at.activation).map_or(0, |epoch| epoch.calls.len());
                let replies = (0..calls).map(|call| at.place(LineageSpot::reply(at.activation, call)));
                at.computed(replies.filter(|reply| self.text(reply).is_some()).collect())
            }
            ("retrieve", _) => retrieved_links(at),
            ("recall", _) => match recalled_links(at) {
                Some(links) => links,
                None => self.any_links(at),
            },
            _ => self.any_links(at),
        }
    }

    /// The value is that of an input.
    fn passed_on(&self, at: At<'_>, port: &str) -> Vec<Link> {
        let input = at.input(port, 0);
        match self.text(&input) {
            Some(text) if text == at.text => self.copy(at, input),
            _ => self.any_links(at),
        }
    }

    /// What is known of any node: it has its inputs, what its models replied, what its tools returned and what people answered. A loop and
    /// a sub-flow have more, and so has a node that brought something in from outside.
    pub(super) fn any_links(&self, at: At<'_>) -> Vec<Link> {
        let mut places = at.inputs();
        let epoch = at.run.epoch(at.activation);
        places.extend(epoch.into_iter().flat_map(|epoch| own_places(epoch, at)));
        places.retain(|place| self.text(place).is_some());
        let outside = epoch.and_then(|epoch| {
            epoch.origins.iter().find(|origin| !matches!(origin, Label::Person | Label::Model(_))).cloned()
        });
        let node_type = at.run.node(&at.activation.node).map(|node| node.node_type.as_str());
        let has_more = matches!(node_type, Some("loop" | "subflow" | "workflow" | "subworkflow") | None);
        let otherwise = match outside {
            Some(origin) => Some(LineageSource::Origin { origin }),
            None if has_more => Some(LineageSource::Unknown),
            None => places.is_empty().then(|| at.own_source()),
        };
        at.whole(Origin::Computed { places, otherwise })
    }

    /// The handle of a context: its last output is another output of the node, or comes with the context.
    fn context_links(&self, at: At<'_>) -> Vec<Link> {
        let place = at.place(LineageSpot::output(at.activation, "context".into()));
        let handle = self.value(&place);
        let said = handle.as_ref().and_then(|handle| handle.get(CURRENT_OUTPUT));
        let (Some(handle), Some(said)) = (&handle, said) else { return at.computed(at.inputs()) };
        let path = [CURRENT_OUTPUT.to_owned()];
        let own = pairs(handle, &path);
        let engine = Origin::Source(LineageSource::Engine);
        let outputs = at.run.epoch(at.activation).map(|epoch| &epoch.outputs);
        let same = outputs
            .into_iter()
            .flatten()
            .find(|(port, value)| port.as_str() != "context" && as_text(value) == as_text(said));
        if let Some((port, _)) = same {
            let from = at.place(LineageSpot::output(at.activation, port.clone()));
            return fill(copies(own, &from), at.text.len(), &engine);
        }
        let input = at.input("context", 0);
        match self.value(&input) {
            Some(before) if before.get(CURRENT_OUTPUT) == Some(said) => {
                let theirs = pairs(&before, &path);
                let both = own.into_iter().zip(theirs).map(|((own, _), (theirs, _))| (own, theirs));
                fill(copies(both.collect(), &input), at.text.len(), &engine)
            }
            _ => self.any_links(at),
        }
    }

    /// The values of a join, in their order.
    fn join_links(&self, at: At<'_>, port: &PortName, names: &[String], separator: &str) -> Vec<Link> {
        let inputs: Vec<(String, LineagePlace)> = if names.is_empty() {
            let fed = at.run.epoch(at.activation).and_then(|epoch| epoch.inputs.get("values"));
            let count = fed.map_or(0, Vec::len);
            (0..count).map(|index| (index.to_string(), at.input("values", index))).collect()
        } else {
            names.iter().map(|name| (name.clone(), at.input(name, 0))).collect()
        };
        let inputs: Vec<_> = inputs.into_iter().filter(|(_, place)| self.text(place).is_some()).collect();
        let settings = Origin::Source(LineageSource::Engine);
        let own = self.value(&at.place(LineageSpot::output(at.activation, port.clone())));
        match (port.as_str(), own) {
            ("first", _) if !inputs.is_empty() => self.copy(at, inputs[0].1.clone()),
            ("text", _) => {
                let mut links = Vec::new();
                let mut text = String::new();
                for (index, (_, place)) in inputs.iter().enumerate() {
                    if index > 0 {
                        text.push_str(separator);
                    }
                    let value = self.text(place).unwrap_or_default();
                    let range = text.len()..text.len() + value.len();
                    links.extend(copies(vec![(range, 0..value.len())], place));
                    text.push_str(&value);
                }
                if text == at.text { fill(links, text.len(), &settings) } else { self.any_links(at) }
            }
            ("list" | "object", Some(own)) => {
                let is_list = port.as_str() == "list";
                let parts = inputs.iter().enumerate().map(|(index, (name, place))| {
                    let name = if is_list { index.to_string() } else { name.clone() };
                    (vec![name], place.clone())
                });
                self.composed(at, &own, parts.collect(), &settings)
            }
            _ => self.any_links(at),
        }
    }

    /// A value with the values of other places as parts. What is not proved by its text is computed.
    pub(super) fn composed(
        &self,
        at: At<'_>,
        own: &Value,
        parts: Vec<(Vec<String>, LineagePlace)>,
        rest: &Origin,
    ) -> Vec<Link> {
        let mut links = Vec::new();
        for (path, place) in parts {
            let found = super::super::json_text::part(own, &path);
            if found.map(as_text) != self.text(&place) {
                return self.any_links(at);
            }
            links.extend(copies(pairs(own, &path), &place));
        }
        links.sort_by_key(|link| link.range.start);
        fill(links, at.text.len(), rest)
    }

    /// The result of the node's tool, or a part of it.
    fn tool_output(&self, at: At<'_>, path: &[String]) -> Vec<Link> {
        let tools = at.run.epoch(at.activation).map_or(0, |epoch| epoch.tools.len());
        let Some(tool) = tools.checked_sub(1) else { return self.any_links(at) };
        let result = at.place(LineageSpot::tool_result(at.activation, tool));
        let Some(value) = self.value(&result) else { return self.any_links(at) };
        let pairs: Vec<Pair> = swap(pairs(&value, path));
        let covered: usize = pairs.iter().map(|(own, _): &(Range<usize>, _)| own.len()).sum();
        let is_same =
            super::super::json_text::part(&value, path).is_some_and(|part| as_text(part) == at.text);
        if is_same && covered == at.text.len() { copies(pairs, &result) } else { at.computed(vec![result]) }
    }
}

/// The call whose reply is the node's own.
pub(super) fn own_reply(at: At<'_>) -> Option<usize> {
    let calls = &at.run.epoch(at.activation)?.calls;
    calls.iter().rposition(|call| {
        let is_own =
            call.sampling.is_none() && call.prompt.as_ref().is_some_and(|prompt| prompt.purpose.is_none());
        is_own && call.reply.as_ref().is_some_and(|reply| reply.text == at.text)
    })
}

fn own_places(epoch: &EpochView, at: At<'_>) -> Vec<LineagePlace> {
    let replies = (0..epoch.calls.len()).map(|call| LineageSpot::reply(at.activation, call));
    let tools = (0..epoch.tools.len()).map(|tool| LineageSpot::tool_result(at.activation, tool));
    let answers = (0..epoch.pauses.len()).map(|question| LineageSpot::answer(at.activation, question));
    replies.chain(tools).chain(answers).map(|spot| at.place(spot)).collect()
}
