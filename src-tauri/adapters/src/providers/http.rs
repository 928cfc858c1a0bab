//! What all HTTP providers share: the client with its timeouts and API key ([`client`]), the fault for each failure
//! ([`error_context`]), and reading a response until the reply is complete ([`response_reader`]). What is sent and how the
//! response is decoded belongs to each protocol: a folder with `request`, `response_decoder` and `wire`, all free of I/O.
//!
//! Built directly on reqwest and an event-stream decoder. A client library for many vendors does not fit: it infers meaning
//! from model names, rewrites schemas, and treats a stream that was cut off like a complete one. Here the request is exactly
//! what `request` builds, and the result is either a complete reply or a coded fault. Nothing here retries (the run does,
//! by the node's policy) or follows redirects (they would forward the key).

mod api_key;
mod base_url;
mod body_stream;
mod call_options;
mod client;
mod context_overflow;
mod error_context;
mod protocol_config;
mod proxy;
mod response_decoder;
mod response_reader;
mod retry_delay;
mod surrogates;
mod token_counts;

pub(super) use body_stream::ResponseBody;
pub(super) use call_options::{add_options, options, wants_session};
pub(super) use client::HttpClient;
pub(super) use error_context::ErrorContext;
pub(super) use protocol_config::ProtocolConfig;
pub(super) use response_decoder::{Framing, ResponseDecoder, or_default, parse};
pub(super) use response_reader::read_reply;
pub(super) use token_counts::{token_count, usage, with_breakdown};
