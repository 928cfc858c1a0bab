//! The messages that the models of an agentflow get: their own, and those of the flow before them.

use serde_json::json;

use super::super::builder::Output;
use super::super::chat_call::{Author, ChatCall, Memory};
use super::super::template::TemplateText;
use super::{Message, Reader, Transcript};

impl Reader<'_> {
    /// What was said last on each way that leads to a node.
    pub(super) fn said_before(&self, at: usize) -> Vec<Output> {
        let mut said: Vec<Output> = Vec::new();
        let sources = self.graph.incoming(at).map(|(_, source)| source);
        for output in sources.filter_map(|source| self.said.get(&source)).flatten() {
            if !said.contains(output) {
                said.push(output.clone());
            }
        }
        said
    }

    /// What was said last before a node. Where several ways meet, what was said on the one that was taken.
    pub(super) fn said_last(&mut self, at: usize) -> Option<Output> {
        let said = self.said_before(at);
        if said.len() < 2 {
            return said.into_iter().next();
        }
        let node = &self.graph.nodes[at];
        let title = format!("{}: before", node.title);
        let join = self.builder.add(node.id, &title, "join", json!({}), node.at.beside(-0.5, 1.0));
        for output in &said {
            self.builder.connect(output, &join, "values");
        }
        Some(Output::new(&join, "first"))
    }

    /// The messages of the flow up to a node. None where several ways with different messages lead to it.
    pub(super) fn transcript_before(&self, at: usize) -> Option<Transcript> {
        let mut sources: Vec<usize> = self.graph.incoming(at).map(|(_, source)| source).collect();
        sources.retain(|source| self.transcripts.contains_key(source));
        let Some((first, others)) = sources.split_first() else { return Some(Transcript::new()) };
        if self.graph.nodes[*first].kind == "executeFlowAgentflow" {
            return None;
        }
        let transcript = self.transcripts.get(first)?.as_ref()?;
        let is_known = |source| self.transcripts.get(source).and_then(Option::as_ref) == Some(transcript);
        others.iter().all(is_known).then(|| self.copy_messages(transcript))
    }

    fn copy_messages<'m>(&self, messages: impl IntoIterator<Item = &'m Message>) -> Transcript {
        let copy = |(author, text): &Message| (*author, self.builder.copy_template(text));
        messages.into_iter().map(copy).collect()
    }

    /// Sets the messages of a call as Flowise sends them: its own (also one without a text stands for the question), with a memory those of the flow and one that is added, and the
    /// question where nothing was said yet.
    pub(super) fn add_messages(
        &mut self,
        at: usize,
        call: &mut ChatCall,
        (own, has_user): (Transcript, bool),
        added: Option<Message>,
        (has_memory, window): (bool, Option<u32>),
    ) {
        let node = &self.graph.nodes[at];
        let is_from_user = |(author, _): &Message| *author == Author::User;
        let mut before = self.transcripts.remove(&at).flatten();
        let is_first = before.as_ref().is_some_and(Transcript::is_empty);
        let question = self.question.as_ref().map(|question| TemplateText::of("message", question, &[]));
        // What the first model is asked is a part of the flow's messages.
        let asked: Transcript = if !is_first {
            Transcript::new()
        } else if has_user && !has_memory {
            self.copy_messages(own.iter().filter(|message| is_from_user(message)))
        } else {
            question.into_iter().map(|text| (Author::User, text)).collect()
        };
        let mut messages = own;
        if has_memory {
            let mut past = self.copy_messages(before.iter().flatten().chain(&asked));
            if before.is_none() {
                let reason =
                    "The messages of the flow, which depend on the way that was taken: it gets the last one.";
                self.builder.lose(node.id, reason);
                let last = self.said_last(at).map(|last| TemplateText::of("message", &last, &[]));
                past.extend(last.map(|text| (Author::User, text)));
            }
            let kept = window.and_then(|window| usize::try_from(2 * window).ok()).unwrap_or(past.len());
            messages.extend(past.split_off(past.len().saturating_sub(kept)));
            let is_model = |kind: &str| ["llmAgentflow", "agentAgentflow"].contains(&kind);
            let is_alone = self.graph.nodes.iter().filter(|node| is_model(node.kind)).count() == 1;
            if !is_alone || added.is_some() {
                let lost = "What it recalls in a conversation: its own messages, and not those between the person and the flow.";
                self.builder.lose(node.id, lost);
            }
            messages.extend(added);
            call.memory = Some(Memory::default());
        } else if !has_user {
            messages.extend(self.copy_messages(&asked));
        }
        if let Some(before) = &mut before {
            before.extend(asked);
        }
        self.transcripts.insert(at, before);
        if messages.last().is_none_or(|message| !is_from_user(message)) {
            self.builder.lose(
                node.id,
                "Its request ends without a message of a person: here, with what was said last.",
            );
            let last = self.said_last(at).or_else(|| self.question.clone()).or_else(|| self.form.clone());
            messages.extend(last.map(|last| (Author::User, TemplateText::of("message", &last, &[]))));
        }
        call.set_messages(messages);
    }
}
