//! What every provider that is asked over HTTP has in common: the client with its patience and its key ([`link`]), what
//! each failure is called ([`failure`]), and reading an answer until it is a whole reply ([`reading`]). What is said, and
//! what is made of the answer, is each protocol's own: a folder beside this one with `request` and `assembly`, both pure.
//!
//! On reqwest and an event-stream decoder directly. The client library for many vendors does not fit: it reads meaning
//! into model names, rewrites schemas, and ends a stream that was cut like one that is whole. Here what is sent is exactly
//! what `request` says, and what comes back is either a whole reply or a coded fault. Nothing here retries (the run does,
//! by the node's policy) or follows redirects (they would carry the key along).

mod counts;
mod failure;
mod key;
mod link;
mod options;
mod pieces;
mod reading;

pub(super) use counts::{count, usage, with_parts};
pub(super) use failure::Place;
pub(super) use link::{Link, Manner};
pub(super) use options::{add_options, options, wants_session};
pub(super) use pieces::Answer;
pub(super) use reading::{Assembly, Framing, or_default, parse, read};
