//! What a tool asks the person for during a call.

use std::sync::Arc;

use async_trait::async_trait;
use parking_lot::Mutex;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::error::{ErrorCode, Fault};
use crate::tool::{SamplingReply, SamplingRequest, ToolAnswer, ToolQuestion, ToolRequests};

/// Serves one execution of a call: with the answers that the journal has, in the order of the questions.
#[derive(Debug, Default)]
pub(super) struct RecordedAnswers {
    answers: Arc<[Value]>,
    state: Mutex<QuestionState>,
}

#[derive(Debug, Default)]
struct QuestionState {
    /// How many questions have their answer.
    answered: usize,
    /// The question that waits for one.
    open: Option<ToolQuestion>,
}

/// A person's answer, as the schema of the pause has it.
#[derive(Deserialize)]
struct Answer {
    accept: bool,
    #[serde(default)]
    content: Value,
}

impl RecordedAnswers {
    pub(super) fn new(answers: Arc<[Value]>) -> Self {
        Self { answers, state: Mutex::default() }
    }

    /// The question that has no answer yet.
    pub(super) fn take_open(&self) -> Option<ToolQuestion> {
        self.state.lock().open.take()
    }
}

/// The schema of the answer to a question.
pub(super) fn answer_schema(question: &ToolQuestion) -> Value {
    json!({
        "type": "object",
        "properties": {
            "accept": { "type": "boolean", "description": "Whether you answer." },
            "content": question.schema,
        },
        "required": ["accept"],
        "additionalProperties": false,
        "if": { "properties": { "accept": { "const": true } } },
        "then": { "required": ["content"] },
    })
}

#[async_trait]
impl ToolRequests for RecordedAnswers {
    async fn ask(&self, question: ToolQuestion) -> Result<ToolAnswer, Fault> {
        let mut state = self.state.lock();
        let Some(answer) = self.answers.get(state.answered).filter(|_| state.open.is_none()) else {
            state.open.get_or_insert(question);
            return Err(Fault::new(ErrorCode::ToolAsks, "The call waits for the person's answer."));
        };
        state.answered += 1;
        let Answer { accept, content } = Answer::deserialize(answer).map_err(|error| {
            Fault::new(ErrorCode::AnswerInvalid, format!("The answer is not one to a tool: {error}."))
        })?;
        Ok(if accept { ToolAnswer::Accepted(content) } else { ToolAnswer::Declined })
    }

    async fn sample(&self, _: SamplingRequest) -> Result<Option<SamplingReply>, Fault> {
        Ok(None)
    }
}
