//! Reading an answer until it is a whole reply, as events or as lines, however its bytes are split. Owns that what ends
//! before it is whole is a fault; when it is whole is the protocol's to say ([`Assembly`]).

use futures::StreamExt as _;
use plait_engine::error::Fault;
use plait_engine::provider::{ChunkSink, ModelReply};
use reqwest::header::CONTENT_TYPE;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Deserializer};
use sse_stream::SseByteStream;

use super::Place;
use super::pieces::{self, Answer, Broken};

/// How a protocol streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Framing {
    /// Server-sent events.
    Events,
    /// One JSON document a line.
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

/// A reply coming together, by one protocol. No I/O.
pub(crate) trait Assembly: Send {
    /// How it is streamed.
    const FRAMING: Framing;

    /// Where faults are met.
    fn place(&self) -> &Place;

    /// Takes the data of one event, or one line. True when nothing more is to come.
    fn take(&mut self, data: &str, sink: &mut ChunkSink<'_>) -> Result<bool, Fault>;

    /// Takes the one document of a server that does not stream however it is asked.
    fn take_whole(&mut self, text: &str, sink: &mut ChunkSink<'_>) -> Result<(), Fault> {
        self.take(text, sink).map(drop)
    }

    /// Whether the reply is whole, whatever may still come.
    fn is_whole(&self) -> bool;

    /// The text so far.
    fn text(&self) -> &str;

    /// The reply, asked for once it is whole; or why it is none.
    fn finish(self) -> Result<ModelReply, Fault>;
}

/// The object that an event, a line or a whole answer is. Fault `provider.invalid_response`.
pub(crate) fn parse<T: DeserializeOwned>(place: &Place, data: &str) -> Result<T, Fault> {
    // serde would also fill the fields of a shape from a list, one after the other.
    let is_object = data.trim_start().starts_with('{');
    let parsed = is_object.then(|| serde_json::from_str(data).ok()).flatten();
    parsed.ok_or_else(|| place.not_the_protocol(data))
}

/// Takes null for nothing, where a server may write either.
pub(crate) fn or_default<'de, D: Deserializer<'de>, T: Default + Deserialize<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    Option::<T>::deserialize(deserializer).map(Option::unwrap_or_default)
}

/// Reads an answer to the end of the reply.
pub(crate) async fn read<A: Assembly>(
    answer: Answer,
    assembly: A,
    sink: &mut ChunkSink<'_>,
) -> Result<ModelReply, Fault> {
    let header = answer.response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let media_type = header.unwrap_or_default().split(';').next().unwrap_or_default().trim().to_owned();
    match (A::FRAMING, media_type.as_str()) {
        // A server that names no type is taken at its deed.
        (Framing::Events, "text/event-stream" | "") => read_events(answer, assembly, sink).await,
        (Framing::Events, "application/json") => read_whole(answer, assembly, sink).await,
        (Framing::Lines, "application/x-ndjson" | "application/jsonl" | "application/json" | "") => {
            read_lines(answer, assembly, sink).await
        }
        (_, other) => {
            let what = format!("answered with {other}");
            Err(assembly.place().garbage(&what, &pieces::excerpt(answer).await))
        }
    }
}

async fn read_events<A: Assembly>(
    answer: Answer,
    mut assembly: A,
    sink: &mut ChunkSink<'_>,
) -> Result<ModelReply, Fault> {
    let silence = answer.silence;
    let mut events = SseByteStream::new(Box::pin(pieces::pieces(answer)));
    while let Some(event) = events.next().await {
        match event {
            Ok(event) => {
                if let Some(data) = event.data
                    && assembly.take(&data, sink)?
                {
                    break;
                }
            }
            // The reply is all there; only the goodbye is missing.
            Err(_) if assembly.is_whole() => break,
            Err(sse_stream::Error::Body(error)) => {
                let place = assembly.place();
                return Err(match error.downcast_ref::<Broken>() {
                    Some(broken) => broken.told(place, silence),
                    None => place.cut_short(assembly.text()),
                });
            }
            Err(other) => {
                return Err(assembly.place().not_the_protocol(&other.to_string()));
            }
        }
    }
    conclude(assembly)
}

async fn read_lines<A: Assembly>(
    answer: Answer,
    mut assembly: A,
    sink: &mut ChunkSink<'_>,
) -> Result<ModelReply, Fault> {
    let silence = answer.silence;
    let mut pieces = Box::pin(pieces::pieces(answer));
    let mut held: Vec<u8> = Vec::new();
    let mut broken = None;
    while let Some(piece) = pieces.next().await {
        match piece {
            Ok(piece) => {
                // What was held had no line end.
                let mut from = held.len();
                held.extend_from_slice(&piece);
                let mut start = 0;
                while let Some(length) = held[from..].iter().position(|byte| *byte == b'\n') {
                    let end = from + length;
                    if take_line(&mut assembly, &held[start..end], sink)? {
                        return conclude(assembly);
                    }
                    (start, from) = (end + 1, end + 1);
                }
                held.drain(..start);
            }
            Err(error) => broken = Some(error),
        }
    }
    // The last line may lack its end. One that only needs more bytes to be JSON was cut; whatever else it is, is looked at.
    let is_cut = serde_json::from_slice::<IgnoredAny>(&held).is_err_and(|error| error.is_eof());
    if !is_cut {
        take_line(&mut assembly, &held, sink)?;
    }
    match broken {
        Some(broken) if !assembly.is_whole() => Err(broken.told(assembly.place(), silence)),
        _ => conclude(assembly),
    }
}

fn take_line<A: Assembly>(assembly: &mut A, line: &[u8], sink: &mut ChunkSink<'_>) -> Result<bool, Fault> {
    let text = std::str::from_utf8(line)
        .map_err(|_| assembly.place().not_the_protocol(&String::from_utf8_lossy(line)))?
        .trim();
    if text.is_empty() { Ok(false) } else { assembly.take(text, sink) }
}

async fn read_whole<A: Assembly>(
    answer: Answer,
    mut assembly: A,
    sink: &mut ChunkSink<'_>,
) -> Result<ModelReply, Fault> {
    let bytes = pieces::all(answer, assembly.place()).await?;
    let text = String::from_utf8(bytes)
        .map_err(|error| assembly.place().not_the_protocol(&String::from_utf8_lossy(error.as_bytes())))?;
    assembly.take_whole(&text, sink)?;
    // It was read to its end, so nothing was cut.
    if assembly.is_whole() { assembly.finish() } else { Err(assembly.place().not_the_protocol(&text)) }
}

fn conclude<A: Assembly>(assembly: A) -> Result<ModelReply, Fault> {
    if assembly.is_whole() { assembly.finish() } else { Err(assembly.place().cut_short(assembly.text())) }
}
