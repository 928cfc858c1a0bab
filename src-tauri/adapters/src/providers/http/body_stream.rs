//! The bytes of a response as they arrive. Enforces the idle timeout and the maximum size.

use std::fmt;
use std::time::Duration;

use futures::{Stream, StreamExt as _};
use plait_core::error::Fault;
use reqwest::Response;
use tokio::time::Instant;

use super::ErrorContext;

/// Far above any real reply; keeps an endless one from filling the memory.
const MAX_BYTES: usize = 64 << 20;
/// How much of an error response is read.
const MAX_EXCERPT_BYTES: usize = 16 << 10;

/// A response whose headers have arrived, and how long its body may stay silent.
pub(crate) struct ResponseBody {
    pub(super) response: Response,
    pub(super) idle_timeout: Duration,
}

pub(super) async fn read_to_end(body: ResponseBody, context: &ErrorContext) -> Result<Vec<u8>, Fault> {
    let idle_timeout = body.idle_timeout;
    let mut chunks = Box::pin(chunks(body));
    let mut all = Vec::new();
    while let Some(chunk) = chunks.next().await {
        all.extend_from_slice(&chunk.map_err(|error| error.to_fault(context, idle_timeout))?);
    }
    Ok(all)
}

/// The beginning of a body, as much as can be read, for an error message.
pub(super) async fn excerpt(body: ResponseBody) -> String {
    let mut chunks = Box::pin(chunks(body));
    let mut all = Vec::new();
    while let Some(Ok(chunk)) = chunks.next().await {
        all.extend_from_slice(&chunk);
        if all.len() >= MAX_EXCERPT_BYTES {
            all.truncate(MAX_EXCERPT_BYTES);
            break;
        }
    }
    String::from_utf8_lossy(&all).into_owned()
}

/// Why a body could not be read to its end.
#[derive(Debug)]
pub(super) enum BodyError {
    IdleTimeout,
    TooLarge,
    Transport(reqwest::Error),
}

impl fmt::Display for BodyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::IdleTimeout => f.write_str("no data arrived"),
            Self::TooLarge => f.write_str("the body is too large"),
            Self::Transport(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for BodyError {}

impl BodyError {
    pub(super) fn to_fault(&self, context: &ErrorContext, idle_timeout: Duration) -> Fault {
        match self {
            Self::IdleTimeout => {
                context.timeout("stopped sending in the middle of its response", idle_timeout)
            }
            Self::TooLarge => context.invalid_response(&format!("sent more than {} MB", MAX_BYTES >> 20), ""),
            Self::Transport(error) => context.body_transport(error),
        }
    }
}

/// The chunks of a body, limited in idle time and total size.
pub(super) fn chunks(body: ResponseBody) -> impl Stream<Item = Result<bytes::Bytes, BodyError>> {
    let idle_timeout = body.idle_timeout;
    // One timer that is reset, not one per chunk: streams have many chunks.
    let timer = Box::pin(tokio::time::sleep(idle_timeout));
    futures::stream::unfold(Some((body.response, timer, 0_usize)), move |state| async move {
        let (mut response, mut timer, size) = state?;
        timer.as_mut().reset(Instant::now() + idle_timeout);
        let next = tokio::select! {
            biased;
            next = response.chunk() => next,
            () = &mut timer => return Some((Err(BodyError::IdleTimeout), None)),
        };
        match next {
            Err(error) => Some((Err(BodyError::Transport(error)), None)),
            Ok(None) => None,
            Ok(Some(chunk)) if size + chunk.len() > MAX_BYTES => Some((Err(BodyError::TooLarge), None)),
            Ok(Some(chunk)) => {
                let size = size + chunk.len();
                Some((Ok(chunk), Some((response, timer, size))))
            }
        }
    })
}
