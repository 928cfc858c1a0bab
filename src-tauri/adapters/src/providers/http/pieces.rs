//! The bytes of an answer as they come. Owns silence and size: how long nothing may come, and how much may.

use std::fmt;
use std::time::Duration;

use futures::{Stream, StreamExt as _};
use plait_engine::error::Fault;
use reqwest::Response;
use tokio::time::Instant;

use super::Place;

/// No reply is larger; an endless one must not fill the memory.
const MAX_BYTES: usize = 64 << 20;
/// How much of an answer that is no reply is looked at.
const MAX_EXCERPT: usize = 16 << 10;

/// An answer that has begun, and how long it may fall silent.
pub(crate) struct Answer {
    pub(super) response: Response,
    pub(super) silence: Duration,
}

/// Reads an answer to its end.
pub(super) async fn all(answer: Answer, place: &Place) -> Result<Vec<u8>, Fault> {
    let silence = answer.silence;
    let mut pieces = Box::pin(pieces(answer));
    let mut all = Vec::new();
    while let Some(piece) = pieces.next().await {
        all.extend_from_slice(&piece.map_err(|error| error.told(place, silence))?);
    }
    Ok(all)
}

/// The beginning of an answer, as far as it can be had: for telling what it is.
pub(super) async fn excerpt(answer: Answer) -> String {
    let mut pieces = Box::pin(pieces(answer));
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
pub(super) enum Broken {
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
    pub(super) fn told(&self, place: &Place, silence: Duration) -> Fault {
        match self {
            Self::Silent => place.timeout("fell silent in the middle of its answer", silence),
            Self::Endless => place.garbage(&format!("sent more than {} MB", MAX_BYTES >> 20), ""),
            Self::Transport(error) => place.transport_midway(error),
        }
    }
}

/// The bytes of an answer, with an end to patience and to size.
pub(super) fn pieces(answer: Answer) -> impl Stream<Item = Result<bytes::Bytes, Broken>> {
    let silence = answer.silence;
    // One alarm that is put off, not one for each piece: streams have many.
    let alarm = Box::pin(tokio::time::sleep(silence));
    futures::stream::unfold(Some((answer.response, alarm, 0_usize)), move |state| async move {
        let (mut response, mut alarm, size) = state?;
        alarm.as_mut().reset(Instant::now() + silence);
        let next = tokio::select! {
            biased;
            next = response.chunk() => next,
            () = &mut alarm => return Some((Err(Broken::Silent), None)),
        };
        match next {
            Err(error) => Some((Err(Broken::Transport(error)), None)),
            Ok(None) => None,
            Ok(Some(piece)) if size + piece.len() > MAX_BYTES => Some((Err(Broken::Endless), None)),
            Ok(Some(piece)) => {
                let size = size + piece.len();
                Some((Ok(piece), Some((response, alarm, size))))
            }
        }
    })
}
