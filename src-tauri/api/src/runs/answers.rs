//! Answers that were written before their questions, and the open questions that they are for.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use plait_core::attachment::Attachment;
use plait_core::id::{Activation, NodeId, RunId};
use plait_journal::view::{Asker, OpenPause, RunOutline};
use plait_llm::tool::ToolPauseKind;
use serde_json::Value;

use super::answer_text;
use crate::ErrorReply;
use crate::codes;

/// Answers as a person wrote them.
#[derive(Default)]
pub struct Answers {
    /// Answers as they were written. One that begins with the id of a node and `=` answers that node; the others answer
    /// the first open question, in order.
    pub texts: VecDeque<String>,
    /// The nodes of the flow and of its sub-flows.
    nodes: BTreeSet<NodeId>,
    /// The attachments of the next answer to each node.
    pub attachments: BTreeMap<NodeId, Vec<Attachment>>,
    /// End the first pause without an answer.
    pub end_first: bool,
    /// The run that gets the answers without an address first: a child run that the person names.
    pub first_asker: Option<RunId>,
}

impl Answers {
    /// Reads answers for a run of a flow with the nodes `known`, those of its sub-flows included. `answer.unknown_node` if one names a node that is not `known`.
    pub fn read(texts: Vec<String>, known: BTreeSet<NodeId>) -> Result<Self, ErrorReply> {
        for text in &texts {
            if let Some((node, _)) = text.split_once('=').filter(|(node, _)| is_address(node))
                && !known.contains(node)
            {
                return Err(unknown_node(node, text, &known));
            }
        }
        let attachments = BTreeMap::new();
        Ok(Self { texts: texts.into(), nodes: known, attachments, end_first: false, first_asker: None })
    }

    /// Takes the answer to one of the open questions, with the question: an answer to a certain node first, then the next one
    /// that is for no certain node, for the first question that it may answer.
    pub fn take<'p>(&mut self, questions: Questions<'p>) -> Option<(&'p OpenPause, Value)> {
        let addressed = self.texts.iter().enumerate().find_map(|(at, text)| {
            let (node, answer) = text.split_once('=')?;
            let pause = questions.asked_by(node)?;
            Some((at, pause, read_addressed(pause, answer)))
        });
        if let Some((at, pause, answer)) = addressed {
            self.texts.remove(at);
            return Some((pause, answer));
        }
        let at = self.next_unaddressed()?;
        let text = &self.texts[at];
        let taken = questions.in_order().find_map(|pause| Some((pause, read_unaddressed(pause, text)?)))?;
        self.texts.remove(at);
        Some(taken)
    }

    pub fn next_unaddressed(&self) -> Option<usize> {
        let names_node = |text: &str| text.split_once('=').is_some_and(|(node, _)| self.nodes.contains(node));
        self.texts.iter().position(|text| !names_node(text))
    }
}

/// Whether what stands before the `=` of an answer reads like the name of a node. Text with blanks and the like is a sentence.
fn is_address(text: &str) -> bool {
    text.starts_with(|first: char| first.is_alphanumeric() || first == '_')
        && text.chars().all(|char| char.is_alphanumeric() || "_-./".contains(char))
}

fn unknown_node(node: &str, text: &str, known: &BTreeSet<NodeId>) -> ErrorReply {
    let names: Vec<String> = known.iter().map(|node| format!("`{node}`")).collect();
    let example = known.first().map_or("NODE", |node| node.as_str());
    let message = format!("There is no node `{node}` to answer; there are: {}.", names.join(", "));
    ErrorReply::new(codes::ANSWER_UNKNOWN_NODE, message)
        .hint(format!("If that is the answer itself, name its node: --answer '{example}={text}'"))
}

/// The answer that a text is for the question it was written for. Text that answers it in no way is left as it is, so that
/// the run rejects it with a reason.
pub fn read_addressed(pause: &OpenPause, text: &str) -> Value {
    match &pause.tool {
        // The question of a tool takes any text.
        Some(tool) if tool.kind != ToolPauseKind::Tool => {
            answer_text::parse_decision(&pause.schema, text, true)
                .unwrap_or_else(|| Value::String(text.to_owned()))
        }
        _ => answer_text::parse_answer(&pause.schema, text),
    }
}

/// The text as an answer to a question that may not be the expected one: a tool call may ask first. `None` if the text
/// could answer another question.
fn read_unaddressed(pause: &OpenPause, text: &str) -> Option<Value> {
    match pause.tool {
        Some(_) => answer_text::parse_decision(&pause.schema, text, false),
        None => Some(answer_text::parse_answer(&pause.schema, text)),
    }
}

/// The open questions of a run.
#[derive(Clone, Copy)]
pub struct Questions<'a> {
    pub outline: &'a RunOutline,
    /// The run that comes first.
    pub first_asker: Option<&'a RunId>,
}

impl<'a> Questions<'a> {
    /// In plan order, as far as that is known.
    pub fn in_order(self) -> impl Iterator<Item = &'a OpenPause> {
        let is_on = |on: &Activation, pause: &OpenPause| on.node == pause.node && on.epoch == pause.epoch;
        let listed = &self.outline.waiting_on;
        let mut pauses: Vec<_> = self.outline.pauses.iter().collect();
        pauses.sort_by_key(|pause| {
            let is_later = self
                .first_asker
                .is_some_and(|first| pause.asker.as_ref().is_none_or(|asker| asker.run != *first));
            (is_later, listed.iter().position(|on| is_on(on, pause)).unwrap_or(usize::MAX))
        });
        pauses.into_iter()
    }

    /// The name by which an answer finds a question: that of the node that asks, or of the node here that runs its flow if that is
    /// clearer.
    pub fn address(self, pause: &'a OpenPause) -> &'a NodeId {
        let asking = |pause: &'a OpenPause| pause.asker.as_ref().map_or(&pause.node, |asker| &asker.node);
        let is_only = |of: &dyn Fn(&'a OpenPause) -> &'a NodeId| {
            self.outline.pauses.iter().filter(|other| of(other) == of(pause)).count() == 1
        };
        if !is_only(&asking) && is_only(&|pause| &pause.node) { &pause.node } else { asking(pause) }
    }

    pub fn first(self) -> Option<&'a OpenPause> {
        self.in_order().next()
    }

    /// The question of a node, in this run or in a child run.
    fn asked_by(self, node: &str) -> Option<&'a OpenPause> {
        self.in_order().find(|pause| {
            pause.node.as_str() == node
                || pause.asker.as_ref().is_some_and(|asker| asker.node.as_str() == node)
        })
    }
}

/// The run that asks: the one that is followed, or a child run.
pub fn asker(run: &RunId, pause: &OpenPause) -> Asker {
    let own = || Asker { run: run.clone(), node: pause.node.clone(), epoch: pause.epoch.clone() };
    pause.asker.clone().unwrap_or_else(own)
}
