//! What the messages of prompts were made of.

use plait_core::id::Activation;
use plait_llm::context::{Role, SharedMessage};
use plait_llm::prompt_record::{BlockKind, BlockSource};

use super::super::{Lineage, LineagePlace, LineageSource, LineageSpot};
use super::templates::position;
use super::tools::{in_order, passages_in};
use super::{At, Link, Origin, fill};
use crate::lens::{BlockText, MessagePart, SentMessage};

impl Lineage<'_> {
    pub(super) fn message_links(&self, at: At<'_>, call: usize, index: usize) -> Vec<Link> {
        let messages = self.messages(at.run, at.activation, call);
        let Some((sent, message)) = messages.get(index) else { return Vec::new() };
        match sent.part {
            MessagePart::System => self.system_links(at),
            MessagePart::Question if sent.blocks.is_empty() => self.question_links(at, call),
            MessagePart::Question => self.block_links(at, call, &sent.blocks),
            MessagePart::Step => self.step_links(at, call, sent),
            MessagePart::History | MessagePart::Conversation => match message {
                Some(message) => self.said_links(at, sent, message),
                None => at.whole(Origin::Source(LineageSource::Unknown)),
            },
            MessagePart::Missing => at.whole(Origin::Source(LineageSource::Unknown)),
        }
    }

    /// Instructions stand in the settings of a node, or were rendered from its inputs.
    fn system_links(&self, at: At<'_>) -> Vec<Link> {
        let setters = at.run.flow().into_iter().flat_map(|flow| &flow.nodes).filter(|(_, node)| {
            ["contextStart", "newContext", "setContext"].contains(&node.node_type.as_str())
        });
        let mut places = Vec::new();
        let mut found: Vec<Vec<Link>> = Vec::new();
        for (id, _) in setters {
            let epochs = at.run.epochs(id);
            for epoch in epochs {
                let activation = Activation { node: id.clone(), epoch: epoch.epoch.clone() };
                let own = At { activation: &activation, ..at };
                let rendered = self.render_again(own, "systemInstructions");
                found.extend(rendered.filter(|(text, _)| text == at.text).map(|(_, links)| links));
                places.extend(own.inputs());
            }
        }
        // Of several that say the same, any may be it.
        match <[Vec<Link>; 1]>::try_from(found) {
            Ok([links]) => links,
            Err(_) => at.whole(Origin::Computed { places, otherwise: Some(LineageSource::Unknown) }),
        }
    }

    /// The message to answer: a template rendered again, or the inputs as parts of it.
    fn question_links(&self, at: At<'_>, call: usize) -> Vec<Link> {
        let rest = Origin::Computed { places: at.inputs(), otherwise: Some(at.own_source()) };
        fill(self.known_parts(at, call, at.text), at.text.len(), &rest)
    }

    /// The parts of a text that are known to come from the prompt's template or from inputs.
    fn known_parts(&self, at: At<'_>, call: usize, text: &str) -> Vec<Link> {
        for setting in ["prompt", "instructions"] {
            if let Some((rendered, links)) = self.render_again(at, setting)
                && let Some(start) = position(text, &rendered)
            {
                return shifted(links, start);
            }
        }
        let record = at.run.epoch(at.activation).and_then(|epoch| epoch.calls.get(call)?.prompt.as_ref());
        let ports = record.map(|record| record.message_inputs.as_slice()).unwrap_or_default();
        let links = ports.iter().filter_map(|port| self.input_within(at, port.as_str(), text));
        in_order(links.flatten().collect())
    }

    /// A message of blocks, between which blank lines stand.
    fn block_links(&self, at: At<'_>, call: usize, blocks: &[BlockText]) -> Vec<Link> {
        let mut links = Vec::new();
        let mut start = 0;
        for block in blocks {
            let found = match block.block {
                BlockKind::Retrieval => fill(
                    passages_in(at, &block.text),
                    block.text.len(),
                    &Origin::Source(LineageSource::Engine),
                ),
                BlockKind::Partner => {
                    let rest =
                        Origin::Computed { places: at.inputs(), otherwise: Some(LineageSource::Engine) };
                    fill(self.known_parts(at, call, &block.text), block.text.len(), &rest)
                }
                BlockKind::Memory => {
                    let places = speakers(at, call, &block.sources);
                    let origin = Origin::Computed { places, otherwise: Some(LineageSource::Engine) };
                    super::whole(&block.text, origin)
                }
                BlockKind::Tools => super::whole(&block.text, Origin::Source(LineageSource::Engine)),
            };
            links.extend(shifted(found, start));
            start += block.text.len() + BLOCK_SEPARATOR.len();
        }
        fill(links, at.text.len(), &Origin::Source(LineageSource::Engine))
    }

    /// A reply of an earlier step, the result of a tool, or why a reply was rejected.
    fn step_links(&self, at: At<'_>, call: usize, sent: &SentMessage) -> Vec<Link> {
        let Some(epoch) = at.run.epoch(at.activation) else { return Vec::new() };
        let same = |place: &LineagePlace| self.text(place).as_deref() == Some(at.text);
        let place = match sent.role {
            Role::Assistant => {
                let replies = (0..call).rev().map(|call| at.place(LineageSpot::reply(at.activation, call)));
                replies.into_iter().find(same)
            }
            Role::Tool => {
                let is_of = |tool: &plait_journal::view::ToolCallView| {
                    Some(&tool.call.id) == sent.tool_call_id.as_ref()
                };
                let tool = epoch.tools.iter().rposition(is_of);
                let place = tool.map(|tool| at.place(LineageSpot::tool_result(at.activation, tool)));
                if let Some(place) = &place
                    && !same(place)
                {
                    return at.computed(vec![place.clone()]);
                }
                place
            }
            Role::System | Role::User => None,
        };
        match place {
            Some(place) => self.copy(at, place),
            None => at.whole(Origin::Source(LineageSource::Engine)),
        }
    }

    /// What was said: by a node of this run, or in an earlier run of the conversation.
    fn said_links(&self, at: At<'_>, sent: &SentMessage, message: &SharedMessage) -> Vec<Link> {
        let same = |place: &LineagePlace| self.text(place).as_deref() == Some(at.text);
        if at.run.is_of_earlier_run(&message.id) {
            let conversation = at.run.outline().conversation.as_ref();
            let conversation =
                conversation.map(|conversation| conversation.id.to_string()).unwrap_or_default();
            return at.whole(Origin::Source(LineageSource::Conversation { conversation }));
        }
        for id in [Some(&message.id), message.repeats.as_ref()].into_iter().flatten() {
            if let Some((activation, port)) = at.run.said(id) {
                let place = at.place(LineageSpot::output(activation, port.clone()));
                if same(&place) {
                    return self.copy(at, place);
                }
            }
        }
        let author = At { activation: &message.author, ..at };
        let Some(epoch) = at.run.epoch(&message.author) else {
            return at.whole(Origin::Source(LineageSource::Unknown));
        };
        if sent.role == Role::Assistant {
            let replies =
                (0..epoch.calls.len()).rev().map(|call| at.place(LineageSpot::reply(&message.author, call)));
            if let Some(reply) = replies.into_iter().find(same) {
                return self.copy(at, reply);
            }
        } else if message.author != *at.activation && !epoch.calls.is_empty() {
            let messages = self.messages(at.run, &message.author, 0);
            let question = messages
                .iter()
                .position(|(sent, _)| sent.part == MessagePart::Question && sent.text == at.text);
            if let Some(question) = question {
                return self.copy(at, at.place(LineageSpot::message(&message.author, 0, question)));
            }
        }
        let mut places: Vec<LineagePlace> = epoch
            .outputs
            .keys()
            .filter(|port| port.as_str() != "context")
            .map(|port| at.place(LineageSpot::output(&message.author, port.clone())))
            .collect();
        places.extend(author.inputs());
        at.whole(Origin::Computed { places, otherwise: Some(author.own_source()) })
    }
}

/// The outputs of the nodes that said what stands in a memory, as far as they had finished before the prompt.
fn speakers(at: At<'_>, call: usize, sources: &[BlockSource]) -> Vec<LineagePlace> {
    let before = at.run.seq(&LineageSpot::message(at.activation, call, 0)).unwrap_or(u64::MAX);
    let nodes = sources.iter().filter_map(|source| match source {
        BlockSource::Turn { node: Some(node), .. } => Some(node),
        _ => None,
    });
    let mut places: Vec<LineagePlace> = Vec::new();
    for node in nodes {
        let epochs = at.run.epochs(node);
        for epoch in epochs {
            let activation = Activation { node: node.clone(), epoch: epoch.epoch.clone() };
            for port in epoch.outputs.keys().filter(|port| port.as_str() != "context") {
                let place = at.place(LineageSpot::output(&activation, port.clone()));
                let is_earlier = at.run.seq(&place.spot).is_some_and(|seq| seq < before);
                if is_earlier && !places.contains(&place) {
                    places.push(place);
                }
            }
        }
    }
    places
}

/// What stands between two blocks of a message.
const BLOCK_SEPARATOR: &str = "\n\n";

fn shifted(links: Vec<Link>, by: usize) -> Vec<Link> {
    let shift = |link: Link| Link { range: link.range.start + by..link.range.end + by, ..link };
    links.into_iter().map(shift).collect()
}
