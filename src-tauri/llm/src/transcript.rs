//! What was said, as requests to models carry it: which message a text is ([`identity`]), and how turns, summaries, passages and
//! instructions are written as text ([`PromptText`], [`SummaryRequest`], [`write_text_block`]).
//!
//! A message has one identity, its id, in the history of a context, the memory of a workflow and the conversation of a loop. A request
//! carries it once. All that writes a message into a longer text goes through this module, so no content can look like the
//! turn of somebody else.

mod escape;
mod identity;
mod prompt_text;
mod summary_request;
mod template;
mod text_block;

pub use identity::{CarriedMessages, said_id};
pub use prompt_text::PromptText;
pub use summary_request::SummaryRequest;
pub use template::HistoryTemplate;
pub use text_block::{TextBlock, write_text_block};
