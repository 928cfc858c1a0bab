//! Splits off the reasoning that a model server leaves inside of the text of a reply: between tags at its beginning, or before a
//! closing tag whose opening one was part of the server's prompt.

use std::sync::Arc;

use async_trait::async_trait;
use plait_core::error::Fault;
use plait_core::id::ReplyKey;
use plait_llm::provider::{Chunk, ChunkSink, HttpRequest, ModelReply, ModelRequest, Provider, SchemaForm};

/// The tags around reasoning, in lower case: those of `DeepSeek` and Qwen, which most models use, and of Mistral.
const TAGS: [(&str, &str); 2] = [("<think>", "</think>"), ("[think]", "[/think]")];

/// Wraps a provider and moves the reasoning out of the text of its replies.
pub(super) struct ReasoningTags {
    provider: Arc<dyn Provider>,
}

impl ReasoningTags {
    pub(super) fn new(provider: Arc<dyn Provider>) -> Self {
        Self { provider }
    }
}

#[async_trait]
impl Provider for ReasoningTags {
    async fn call(&self, request: ModelRequest, sink: &mut ChunkSink<'_>) -> Result<ModelReply, Fault> {
        let mut stream = TagStream::default();
        let result = self.provider.call(request, &mut |chunk| stream.push(chunk, sink)).await;
        stream.finish(sink);
        result.map(split_reply)
    }

    fn reply_key(&self, request: &ModelRequest) -> Result<ReplyKey, Fault> {
        self.provider.reply_key(request)
    }

    fn whole_hash(&self, request: &ModelRequest) -> Result<ReplyKey, Fault> {
        self.provider.whole_hash(request)
    }

    fn http_request(&self, request: &ModelRequest) -> Result<Option<HttpRequest>, Fault> {
        self.provider.http_request(request)
    }

    fn schema_form(&self, request: &ModelRequest) -> Option<SchemaForm> {
        self.provider.schema_form(request)
    }

    fn returns_reasoning(&self) -> bool {
        self.provider.returns_reasoning()
    }

    fn takes_attachment(&self, media_type: &str) -> bool {
        self.provider.takes_attachment(media_type)
    }

    async fn models(&self) -> Result<Vec<String>, Fault> {
        self.provider.models().await
    }
}

fn split_reply(mut reply: ModelReply) -> ModelReply {
    let (inside, text) = split(&reply.text);
    if inside.is_empty() && text.len() == reply.text.len() {
        return reply;
    }
    let parts = reply.reasoning.as_deref().into_iter().chain(inside);
    let reasoning = parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n\n");
    let text = text.to_owned();
    reply.reasoning = Some(reasoning).filter(|reasoning| !reasoning.is_empty());
    reply.text = text;
    reply
}

/// The parts of a text that are reasoning, and the rest.
fn split(text: &str) -> (Vec<&str>, &str) {
    let mut parts = Vec::new();
    let mut rest = text;
    loop {
        let start = rest.trim_start();
        let Some((open, close)) = TAGS.iter().find(|(open, _)| starts_with(start, open)) else { break };
        let inside = &start[open.len()..];
        // Without its end the reply was cut off while the model reasoned.
        let end = find(inside, close);
        parts.push(inside[..end.unwrap_or(inside.len())].trim());
        rest = end.map_or("", |end| inside[end + close.len()..].trim_start());
    }
    if parts.is_empty()
        && let Some((end, close)) = unopened(text)
    {
        parts.push(text[..end].trim());
        rest = text[end + close.len()..].trim_start();
    }
    (parts, rest)
}

/// Where a closing tag stands whose opening tag is missing. A tag in JSON, in code, or after an opening tag is a part of the text.
fn unopened(text: &str) -> Option<(usize, &'static str)> {
    if text.trim_start().starts_with(['{', '[', '`', '"']) {
        return None;
    }
    let closed = |(open, close): &(&'static str, &'static str)| {
        let end = find(text, close)?;
        let before = &text[..end];
        let is_code = before.matches('`').count() % 2 == 1;
        (!is_code && find(before, open).is_none()).then_some((end, *close))
    };
    TAGS.iter().find_map(closed)
}

/// Where `tag` stands in a text, in any case.
fn find(text: &str, tag: &str) -> Option<usize> {
    // A tag is ASCII, so it begins and ends at characters.
    text.as_bytes().windows(tag.len()).position(|window| window.eq_ignore_ascii_case(tag.as_bytes()))
}

fn starts_with(text: &str, tag: &str) -> bool {
    text.as_bytes().get(..tag.len()).is_some_and(|start| start.eq_ignore_ascii_case(tag.as_bytes()))
}

/// Splits a reply while it streams, wherever its parts are cut. A closing tag without an opening one is seen only in the complete
/// reply.
#[derive(Default)]
struct TagStream {
    place: Place,
    /// Text that may be the beginning of a tag.
    held: String,
}

#[derive(Clone, Copy, Default)]
enum Place {
    /// Before any text.
    #[default]
    Start,
    /// Between tags, of which this one closes.
    Inside(&'static str),
    /// After a closing tag.
    After,
    Text,
}

impl TagStream {
    fn push(&mut self, chunk: Chunk, sink: &mut ChunkSink<'_>) {
        match (self.place, chunk) {
            (Place::Text, Chunk::Text(text)) => sink(Chunk::Text(text)),
            (_, Chunk::Text(text)) => {
                self.held.push_str(&text);
                while self.advance(sink) {}
            }
            (_, reasoning @ Chunk::Reasoning(_)) => sink(reasoning),
        }
    }

    /// Passes on what is decided. Returns whether more may be.
    fn advance(&mut self, sink: &mut ChunkSink<'_>) -> bool {
        match self.place {
            Place::Start | Place::After => {
                let start = self.held.trim_start();
                if let Some((open, close)) = TAGS.iter().find(|(open, _)| starts_with(start, open)) {
                    self.held = start[open.len()..].to_owned();
                    self.place = Place::Inside(close);
                    return true;
                }
                if TAGS.iter().all(|(open, _)| !starts_with(open, start)) {
                    if matches!(self.place, Place::After) {
                        self.held = start.to_owned();
                    }
                    self.place = Place::Text;
                    send(Chunk::Text, std::mem::take(&mut self.held), sink);
                }
                false
            }
            Place::Inside(close) => {
                let end = find(&self.held, close);
                let decided = end.unwrap_or_else(|| self.held.len() - beginning_of(close, &self.held));
                let rest = self.held.split_off(decided);
                send(Chunk::Reasoning, std::mem::replace(&mut self.held, rest), sink);
                if end.is_some() {
                    self.held = self.held[close.len()..].to_owned();
                    self.place = Place::After;
                }
                end.is_some()
            }
            Place::Text => false,
        }
    }

    fn finish(self, sink: &mut ChunkSink<'_>) {
        match self.place {
            Place::Inside(_) => send(Chunk::Reasoning, self.held, sink),
            Place::After => send(Chunk::Text, self.held.trim_start().to_owned(), sink),
            Place::Start | Place::Text => send(Chunk::Text, self.held, sink),
        }
    }
}

fn send(kind: fn(String) -> Chunk, text: String, sink: &mut ChunkSink<'_>) {
    if !text.is_empty() {
        sink(kind(text));
    }
}

/// How many bytes at the end of a text may be the beginning of `tag`.
fn beginning_of(tag: &str, text: &str) -> usize {
    let longest = (tag.len() - 1).min(text.len());
    let is_beginning = |length: &usize| {
        tag.as_bytes()[..*length].eq_ignore_ascii_case(&text.as_bytes()[text.len() - length..])
    };
    (1..=longest).rev().find(is_beginning).unwrap_or(0)
}

#[cfg(test)]
mod tests;
