//! A published flow as a chat model: the messages of a request become the flow's conversation, and its reply the next message.

mod request;
mod streamed;
mod turn;

pub(crate) use request::{ChatRequest, parse};
pub(crate) use streamed::StreamedReply;
pub(crate) use turn::{Reply, Turn};
