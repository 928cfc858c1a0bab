//! Asking a model: what `chat`, `classify` and `extract` have in common.
//!
//! A [`Turn`] asks, lets the model call tools, is told when an answer won't do and asks again. It journals what was sent
//! and what came, with what it used and costs, and takes from the journal what was bought before a crash. Whether anything
//! enters a conversation, and when, is the node's to decide: [`Turn::begin`], [`Turn::commit`].

mod aside;
mod model;
mod purchase;
mod question;
mod structured;
mod tool_calls;
mod turn;
mod writing;

use serde_json::{Map, Value};

pub(super) use aside::{Aside, Wanted, inputs};
pub(super) use purchase::Purchase;
pub(super) use question::Question;
pub(super) use structured::{Schema, unfenced};
pub(super) use tool_calls::offered;
pub(super) use turn::{Turn, is_answer};

/// How a model is asked, whatever it is asked.
#[derive(Clone, Copy)]
pub(super) struct Manner<'a> {
    /// Sampling temperature.
    pub(super) temperature: Option<f64>,
    /// JSON Schema the reply is to follow.
    pub(super) response_schema: Option<&'a Value>,
    /// How often it may call tools before it must answer.
    pub(super) max_tool_rounds: u32,
    /// What a particular provider understands.
    pub(super) options: &'a Map<String, Value>,
}

/// The number of the user's message among those of an activation.
const QUESTION: usize = 0;
/// The number of the answer.
const ANSWER: usize = 1;
/// The number of the first message of a step between question and answer.
const FIRST_STEP: usize = 2;
