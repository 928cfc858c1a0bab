//! What people answered in a loop: the list `hitl_history` of templates, queries and conditions.

use std::sync::Arc;

use imbl::Vector;
use serde_json::{Value, json};

use plait_core::id::NodeId;
use plait_core::origin::Origins;

/// A question to a person, and the answer.
#[derive(Clone, Debug, PartialEq)]
pub struct PersonAnswer {
    /// The node that asked.
    pub node: NodeId,
    pub question: String,
    pub answer: Arc<Value>,
    /// Where question and answer come from.
    pub origins: Origins,
}

/// Answers, in the order of the iterations, and in plan order within each. Cloning takes the same time at any length.
#[derive(Clone, Debug, Default)]
pub struct PersonAnswers(Vector<Arc<PersonAnswer>>);

impl PersonAnswers {
    /// Adds one.
    pub fn push(&mut self, answer: Arc<PersonAnswer>) {
        self.0.push_back(answer);
    }

    /// The list that expressions read: of each answer its `node`, `question` and `answer`.
    pub fn to_value(&self) -> Value {
        let answers = self.0.iter().map(
            |answer| json!({ "node": answer.node, "question": answer.question, "answer": *answer.answer }),
        );
        answers.collect()
    }

    /// Where all of it comes from.
    pub fn origins(&self) -> Origins {
        Origins::union(self.0.iter().map(|answer| &answer.origins))
    }
}
