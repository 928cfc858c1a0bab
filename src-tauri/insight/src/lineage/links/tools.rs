//! What tools returned and what they were given; what knowledge bases and memories held.

use plait_core::expression::as_text;
use plait_core::origin::Origin as Label;
use plait_journal::view::ToolCallView;
use plait_llm::long_term_memory::MemoryRecord;
use serde_json::Value;

use super::super::{Lineage, LineageSource, LineageSpot};
use super::{At, Link, Origin, fill};

impl Lineage<'_> {
    pub(super) fn tool_result_links(&self, at: At<'_>, tool: usize) -> Vec<Link> {
        let epoch = at.run.epoch(at.activation);
        let Some(call) = epoch.and_then(|epoch| epoch.tools.get(tool)) else { return Vec::new() };
        if call.error.is_some() {
            return at.whole(Origin::Source(LineageSource::Engine));
        }
        if let Some(source) = self.outside_source(at, call) {
            return at.whole(Origin::Source(source));
        }
        let places = vec![at.place(LineageSpot::tool_arguments(at.activation, tool))];
        // Other tools may read a clock or a memory.
        let is_pure = call.call.name == "calculator";
        let otherwise = (!is_pure).then_some(LineageSource::Unknown);
        at.whole(Origin::Computed { places, otherwise })
    }

    /// Where the result of a tool comes from, if that is outside of the run.
    fn outside_source(&self, at: At<'_>, call: &ToolCallView) -> Option<LineageSource> {
        let argument = |name: &str| call.call.arguments.get(name).and_then(Value::as_str).map(str::to_owned);
        // Tools of servers may have the same names; the labels tell what was read.
        let is_file = |path: &String| call.origins.iter().any(|label| *label == Label::File(path.clone()));
        let is_request = || call.origins.iter().any(|label| matches!(label, Label::Host(_)));
        match call.call.name.as_str() {
            "read_file" => {
                if let Some(path) = argument("path").filter(is_file) {
                    return Some(LineageSource::File { path, line: 1 });
                }
            }
            "fetch_url" if is_request() => {
                if let Some(url) = argument("url") {
                    return Some(LineageSource::Url { url });
                }
            }
            "http_request" if is_request() => {
                let node = at.run.node(&at.activation.node);
                let url = node.and_then(|node| node.config.get("url")).map(as_text);
                let url = url.filter(|url| !url.trim().is_empty()).or_else(|| self.text(&at.input("url", 0)));
                if let Some(url) = url {
                    return Some(LineageSource::Url { url: url.trim().to_owned() });
                }
            }
            _ => {}
        }
        let outside =
            call.origins.iter().find(|origin| !matches!(origin, Label::Person | Label::Model(_)))?;
        Some(LineageSource::Origin { origin: outside.clone() })
    }

    /// Arguments come from the model that called the tool, or from the node: its inputs and its settings.
    pub(super) fn tool_argument_links(&self, at: At<'_>, tool: usize) -> Vec<Link> {
        let Some(epoch) = at.run.epoch(at.activation) else { return Vec::new() };
        let Some(call) = epoch.tools.get(tool) else { return Vec::new() };
        let caller = epoch.calls.iter().rposition(|model| {
            model.step == call.step
                && model.sampling.is_none()
                && model
                    .reply
                    .as_ref()
                    .is_some_and(|reply| reply.tool_calls.iter().any(|own| own.id == call.call.id))
        });
        match caller {
            Some(caller) => {
                let messages = self.messages(at.run, at.activation, caller).len();
                let message = |message| at.place(LineageSpot::message(at.activation, caller, message));
                at.computed((0..messages).map(message).collect())
            }
            None => at.computed(at.inputs()),
        }
    }
}

/// The passages that a `retrieve` node found.
pub(super) fn retrieved_links(at: At<'_>) -> Vec<Link> {
    let rest = Origin::Computed { places: at.inputs(), otherwise: Some(LineageSource::Engine) };
    fill(passages_in(at, at.text), at.text.len(), &rest)
}

/// The memories that a node recalled.
pub(super) fn recalled_links(at: At<'_>) -> Option<Vec<Link>> {
    let recall = at.run.recall(at.activation)?;
    let found = recall.memories.iter().filter_map(|memory| memory_in(at.text, memory));
    let rest = Origin::Computed { places: at.inputs(), otherwise: Some(LineageSource::Engine) };
    Some(fill(in_order(found.collect()), at.text.len(), &rest))
}

/// The passages of knowledge bases that stand in a text, as far as the activation retrieved them.
pub(super) fn passages_in(at: At<'_>, text: &str) -> Vec<Link> {
    let retrieval = at.run.epoch(at.activation).and_then(|epoch| epoch.retrieval.as_ref());
    let chunks = retrieval.into_iter().flat_map(|retrieval| &retrieval.used);
    let found = chunks.filter_map(|chunk| {
        let start = only_place(text, &chunk.text)?;
        let source = LineageSource::Passage {
            base: chunk.passage.base.clone(),
            document: chunk.passage.source.clone(),
            line: usize::try_from(chunk.passage.line).unwrap_or(usize::MAX),
        };
        Some(Link { range: start..start + chunk.text.len(), origin: Origin::Source(source) })
    });
    in_order(found.collect())
}

fn memory_in(text: &str, memory: &MemoryRecord) -> Option<Link> {
    let content = &memory.content.text;
    let start = only_place(text, content)?;
    let source = LineageSource::Memory { id: memory.id.to_string() };
    Some(Link { range: start..start + content.len(), origin: Origin::Source(source) })
}

/// Where a part stands in a text, if it stands there once.
fn only_place(text: &str, part: &str) -> Option<usize> {
    let mut found = text.match_indices(part).filter(|_| !part.is_empty());
    let (start, _) = found.next()?;
    found.next().is_none().then_some(start)
}

/// In the order of the text, without links that overlap an earlier one.
pub(super) fn in_order(mut links: Vec<Link>) -> Vec<Link> {
    links.sort_by_key(|link| link.range.start);
    let mut end = 0;
    links.retain(|link| {
        let is_free = link.range.start >= end;
        if is_free {
            end = link.range.end;
        }
        is_free
    });
    links
}
