//! Reads a response to the end of the reply, as events or as lines, however its bytes are split. Ensures that a response
//! that ends before the reply is complete is a fault; the protocol's [`ResponseDecoder`] decides when it is complete.

use std::sync::atomic::{AtomicBool, Ordering};

use bytes::Bytes;
use futures::{Stream, StreamExt as _};
use plait_core::error::Fault;
use plait_llm::provider::{ChunkSink, ModelReply};
use reqwest::header::CONTENT_TYPE;
use serde::de::IgnoredAny;
use sse_stream::SseByteStream;

use super::body_stream::{self, BodyError, ResponseBody};
use super::response_decoder::{Framing, ResponseDecoder};
use super::surrogates::SurrogateJoiner;

/// Reads a response to the end of the reply.
pub(crate) async fn read_reply<D: ResponseDecoder>(
    body: ResponseBody,
    decoder: D,
    sink: &mut ChunkSink<'_>,
) -> Result<ModelReply, Fault> {
    let header = body.response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let media_type =
        header.unwrap_or_default().split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    match (D::FRAMING, media_type.as_str()) {
        // A server that names no media type is assumed to stream as its protocol does.
        (Framing::Events, "text/event-stream" | "") => read_events(body, decoder, sink).await,
        (Framing::Events, "application/json") => read_whole(body, decoder, sink).await,
        (Framing::Lines, "application/x-ndjson" | "application/jsonl" | "application/json" | "") => {
            read_lines(body, decoder, sink).await
        }
        (_, other) => {
            let what = format!("responded with {other}");
            Err(decoder.error_context().invalid_response(&what, &body_stream::excerpt(body).await))
        }
    }
}

async fn read_events<D: ResponseDecoder>(
    body: ResponseBody,
    mut decoder: D,
    sink: &mut ChunkSink<'_>,
) -> Result<ModelReply, Fault> {
    let idle_timeout = body.idle_timeout;
    // Whether the body has ended, so that the next event is one without its blank line.
    let ended = AtomicBool::new(false);
    let mut joiner = SurrogateJoiner::default();
    let mut events = SseByteStream::new(Box::pin(end_last_event(body_stream::chunks(body), &ended)));
    while let Some(event) = events.next().await {
        match event {
            Ok(event) => {
                let Some(data) = event.data else { continue };
                let is_cut_off = ended.load(Ordering::Relaxed) && !is_whole(&data);
                if !data.trim().is_empty() && !is_cut_off && decoder.decode(&joiner.join(&data), sink)? {
                    break;
                }
            }
            // The reply is complete; only the end of the stream is missing.
            Err(_) if decoder.is_complete() => break,
            Err(sse_stream::Error::Body(error)) => {
                let context = decoder.error_context();
                return Err(match error.downcast_ref::<BodyError>() {
                    Some(error) => error.to_fault(context, idle_timeout),
                    None => context.cut_short(decoder.text()),
                });
            }
            // The cut went through a character.
            Err(_) if ended.load(Ordering::Relaxed) => break,
            Err(other) => {
                return Err(decoder.error_context().protocol_mismatch(&other.to_string()));
            }
        }
    }
    finish(decoder)
}

/// The chunks, then the blank line that some servers leave out after the last event. `ended` is set before that line.
fn end_last_event(
    chunks: impl Stream<Item = Result<Bytes, BodyError>>,
    ended: &AtomicBool,
) -> impl Stream<Item = Result<Bytes, BodyError>> {
    let end = move || {
        ended.store(true, Ordering::Relaxed);
        Ok(Bytes::from_static(b"\n\n"))
    };
    chunks.map(Some).chain(futures::stream::once(std::future::ready(None))).flat_map(move |chunk| {
        let both = match chunk {
            Some(Ok(chunk)) => [Some(Ok(chunk)), None],
            Some(Err(error @ BodyError::Transport(_))) => [Some(end()), Some(Err(error))],
            Some(Err(error)) => [Some(Err(error)), None],
            None => [Some(end()), None],
        };
        futures::stream::iter(both.into_iter().flatten())
    })
}

/// Whether the data of an event without its blank line can't lack anything: a beginning of an object is none.
fn is_whole(data: &str) -> bool {
    let data = data.trim();
    data == "[DONE]" || (data.starts_with('{') && serde_json::from_str::<IgnoredAny>(data).is_ok())
}

async fn read_lines<D: ResponseDecoder>(
    body: ResponseBody,
    mut decoder: D,
    sink: &mut ChunkSink<'_>,
) -> Result<ModelReply, Fault> {
    let idle_timeout = body.idle_timeout;
    let mut chunks = Box::pin(body_stream::chunks(body));
    let mut joiner = SurrogateJoiner::default();
    let mut buffer: Vec<u8> = Vec::new();
    let mut failure = None;
    while let Some(chunk) = chunks.next().await {
        match chunk {
            Ok(chunk) => {
                // The buffered bytes contain no line end.
                let mut search_from = buffer.len();
                buffer.extend_from_slice(&chunk);
                let mut start = 0;
                while let Some(length) = buffer[search_from..].iter().position(|byte| *byte == b'\n') {
                    let end = search_from + length;
                    if decode_line(&mut decoder, &mut joiner, &buffer[start..end], sink)? {
                        return finish(decoder);
                    }
                    (start, search_from) = (end + 1, end + 1);
                }
                buffer.drain(..start);
            }
            Err(error) => failure = Some(error),
        }
    }
    // The last line may lack its line end. A line that is a prefix of valid JSON was cut off; anything else is decoded.
    let is_cut_off = serde_json::from_slice::<IgnoredAny>(&buffer).is_err_and(|error| error.is_eof());
    if !is_cut_off {
        decode_line(&mut decoder, &mut joiner, &buffer, sink)?;
    }
    match failure {
        Some(error) if !decoder.is_complete() => Err(error.to_fault(decoder.error_context(), idle_timeout)),
        _ => finish(decoder),
    }
}

fn decode_line<D: ResponseDecoder>(
    decoder: &mut D,
    joiner: &mut SurrogateJoiner,
    line: &[u8],
    sink: &mut ChunkSink<'_>,
) -> Result<bool, Fault> {
    let text = std::str::from_utf8(line)
        .map_err(|_| decoder.error_context().protocol_mismatch(&String::from_utf8_lossy(line)))?
        .trim();
    if text.is_empty() { Ok(false) } else { decoder.decode(&joiner.join(text), sink) }
}

async fn read_whole<D: ResponseDecoder>(
    body: ResponseBody,
    mut decoder: D,
    sink: &mut ChunkSink<'_>,
) -> Result<ModelReply, Fault> {
    let bytes = body_stream::read_to_end(body, decoder.error_context()).await?;
    let text = String::from_utf8(bytes).map_err(|error| {
        decoder.error_context().protocol_mismatch(&String::from_utf8_lossy(error.as_bytes()))
    })?;
    decoder.decode_whole(&SurrogateJoiner::default().join(&text), sink)?;
    // The body was read to its end, so an incomplete reply was not cut off.
    if decoder.is_complete() {
        decoder.finish()
    } else {
        Err(decoder.error_context().protocol_mismatch(&text))
    }
}

fn finish<D: ResponseDecoder>(decoder: D) -> Result<ModelReply, Fault> {
    if decoder.is_complete() {
        decoder.finish()
    } else {
        Err(decoder.error_context().cut_short(decoder.text()))
    }
}
