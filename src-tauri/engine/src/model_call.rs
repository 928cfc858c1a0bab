//! Asking a model: what `chat`, `classify` and `extract` have in common.
//!
//! A [`Turn`] asks, lets the model call tools, is told when an answer won't do and asks again. It journals what was sent
//! and what came, with what it used and costs, and takes from the journal what was bought before a crash. Whether anything
//! enters a conversation, and when, is the node's to decide: [`Turn::begin`], [`Turn::commit`].

mod call;
mod question;
mod reply_schema;
mod side_query;
mod tool_calls;
mod turn;

use serde_json::{Map, Value};

pub(crate) use call::Purchase;
pub(crate) use question::Question;
pub(crate) use reply_schema::{Schema, unfenced};
pub(crate) use side_query::{Aside, Wanted, inputs};
pub(crate) use tool_calls::offered;
pub(crate) use turn::{Turn, is_answer};

/// How a model is asked, whatever it is asked.
#[derive(Clone, Copy)]
pub(crate) struct Manner<'a> {
    /// Sampling temperature.
    pub(crate) temperature: Option<f64>,
    /// JSON Schema the reply is to follow.
    pub(crate) response_schema: Option<&'a Value>,
    /// How often it may call tools before it must answer.
    pub(crate) max_tool_rounds: u32,
    /// What a particular provider understands.
    pub(crate) options: &'a Map<String, Value>,
}

/// The number of the user's message among those of an activation.
const QUESTION: usize = 0;
/// The number of the answer.
const ANSWER: usize = 1;
/// The number of the first message of a step between question and answer.
const FIRST_STEP: usize = 2;
