//! The interface between the response reader and a protocol's decoder: how the stream is framed, and when the reply is
//! complete. No I/O.

use plait_core::error::Fault;
use plait_llm::provider::{ChunkSink, ModelReply};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};

use super::ErrorContext;

/// How a protocol frames its stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Framing {
    /// Server-sent events.
    Events,
    /// One JSON document per line.
    Lines,
}

impl Framing {
    pub(super) fn media_type(self) -> &'static str {
        match self {
            Self::Events => "text/event-stream",
            Self::Lines => "application/x-ndjson",
        }
    }
}

/// Decodes one response of a protocol into a reply. No I/O.
pub(crate) trait ResponseDecoder: Send {
    const FRAMING: Framing;

    /// The context for faults.
    fn error_context(&self) -> &ErrorContext;

    /// Decodes the data of one event, or one line. Returns true when nothing more will follow.
    fn decode(&mut self, data: &str, sink: &mut ChunkSink<'_>) -> Result<bool, Fault>;

    /// Decodes the single document of a server that does not stream even when asked to.
    fn decode_whole(&mut self, text: &str, sink: &mut ChunkSink<'_>) -> Result<(), Fault> {
        self.decode(text, sink).map(drop)
    }

    /// Whether the reply is complete, regardless of what else may arrive.
    fn is_complete(&self) -> bool;

    /// The text received so far.
    fn text(&self) -> &str;

    /// The reply; called once it is complete. A fault if the server refused to give one.
    fn finish(self) -> Result<ModelReply, Fault>;
}

/// Parses the JSON object of an event, a line or a whole response. Fault `provider.invalid_response`.
pub(crate) fn parse<T: DeserializeOwned>(context: &ErrorContext, data: &str) -> Result<T, Fault> {
    // serde would also fill the fields of a struct from an array, in order.
    let is_object = data.trim_start().starts_with('{');
    let parsed = is_object.then(|| serde_json::from_str(data).ok()).flatten();
    parsed.ok_or_else(|| context.protocol_mismatch(data))
}

/// Deserializes null as the default, for fields where servers send either.
pub(crate) fn or_default<'de, D: Deserializer<'de>, T: Default + Deserialize<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    Option::<T>::deserialize(deserializer).map(Option::unwrap_or_default)
}
