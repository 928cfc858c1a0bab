//! Reading a response: as events while they come, or whole. Owns silence and size.

use std::fmt;
use std::time::Duration;

use futures::{Stream, StreamExt as _};
use plait_engine::error::Fault;
use plait_engine::provider::{ChunkSink, ModelReply};
use reqwest::Response;
use reqwest::header::CONTENT_TYPE;
use sse_stream::SseByteStream;

use super::assembly::Assembly;
use super::failure::Place;

/// No reply is larger; an endless one must not fill the memory.
const MAX_BYTES: usize = 64 << 20;
/// How much of an answer that is no reply is looked at.
const MAX_EXCERPT: usize = 16 << 10;

/// What a response says it is.
pub(super) enum Kind {
    Events,
    Json,
    Other(String),
}

pub(super) fn kind(response: &Response) -> Kind {
    let content_type =
        response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    match content_type.split(';').next().unwrap_or_default().trim() {
        // A server that names no type is taken at its deed.
        "text/event-stream" | "" => Kind::Events,
        "application/json" => Kind::Json,
        other => Kind::Other(other.to_owned()),
    }
}

/// Reads a stream of events to its end.
pub(super) async fn read_events(
    response: Response,
    silence: Duration,
    mut assembly: Assembly<'_>,
    sink: &mut ChunkSink<'_>,
) -> Result<ModelReply, Fault> {
    let mut events = SseByteStream::new(Box::pin(pieces(response, silence)));
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
            Err(error) => return Err(broken(assembly.place(), error, silence)),
        }
    }
    assembly.finish()
}

/// Reads an answer that came whole.
pub(super) async fn read_whole(
    response: Response,
    silence: Duration,
    mut assembly: Assembly<'_>,
    sink: &mut ChunkSink<'_>,
) -> Result<ModelReply, Fault> {
    let bytes = read_all(response, silence, assembly.place()).await?;
    let text = String::from_utf8(bytes).map_err(|error| {
        assembly.place().garbage("sent what is no text", &String::from_utf8_lossy(error.as_bytes()))
    })?;
    assembly.take(&text, sink)?;
    if assembly.is_whole() {
        assembly.finish()
    } else {
        // It was read to its end, so nothing was cut.
        Err(assembly.place().garbage("sent an answer that is not of the protocol", &text))
    }
}

/// Reads a response to its end.
pub(super) async fn read_all(response: Response, silence: Duration, place: &Place) -> Result<Vec<u8>, Fault> {
    let mut pieces = Box::pin(pieces(response, silence));
    let mut all = Vec::new();
    while let Some(piece) = pieces.next().await {
        all.extend_from_slice(&piece.map_err(|error| error.told(place, silence))?);
    }
    Ok(all)
}

/// The beginning of a response, as far as it can be had: for telling what it is.
pub(super) async fn excerpt(response: Response, silence: Duration) -> String {
    let mut pieces = Box::pin(pieces(response, silence));
    let mut all = Vec::new();
    while let Some(Ok(piece)) = pieces.next().await {
        all.extend_from_slice(&piece);
        if all.len() >= MAX_EXCERPT {
            all.truncate(MAX_EXCERPT);
            break;
        }
    }
    String::from_utf8_lossy(&all).into_owned()
}

/// Why no more bytes come.
#[derive(Debug)]
enum Broken {
    Silent,
    Endless,
    Transport(reqwest::Error),
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Silent => f.write_str("nothing came"),
            Self::Endless => f.write_str("it does not end"),
            Self::Transport(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Broken {}

impl Broken {
    fn told(&self, place: &Place, silence: Duration) -> Fault {
        match self {
            Self::Silent => place.timeout("fell silent in the middle of its answer", silence),
            Self::Endless => place.garbage(&format!("sent more than {} MB", MAX_BYTES >> 20), ""),
            Self::Transport(error) => place.transport_midway(error),
        }
    }
}

fn broken(place: &Place, error: sse_stream::Error, silence: Duration) -> Fault {
    match error {
        sse_stream::Error::Body(error) => match error.downcast_ref::<Broken>() {
            Some(broken) => broken.told(place, silence),
            None => place.cut_short(""),
        },
        other => place.garbage("sent an event that is not of the protocol", &other.to_string()),
    }
}

/// The bytes of a response as they come, with an end to patience and to size.
fn pieces(response: Response, silence: Duration) -> impl Stream<Item = Result<bytes::Bytes, Broken>> {
    let begin = Some((response, 0_usize));
    futures::stream::unfold(begin, move |state| async move {
        let (mut response, size) = state?;
        match tokio::time::timeout(silence, response.chunk()).await {
            Err(_) => Some((Err(Broken::Silent), None)),
            Ok(Err(error)) => Some((Err(Broken::Transport(error)), None)),
            Ok(Ok(None)) => None,
            Ok(Ok(Some(piece))) if size + piece.len() > MAX_BYTES => Some((Err(Broken::Endless), None)),
            Ok(Ok(Some(piece))) => {
                let size = size + piece.len();
                Some((Ok(piece), Some((response, size))))
            }
        }
    })
}
