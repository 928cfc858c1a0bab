//! How a person steers a run: answers and cancel.

use std::sync::Arc;

use serde_json::Value;
use tokio::sync::{mpsc, oneshot};

use super::super::fact::Answer;
use crate::error::Fault;
use crate::id::Activation;

/// What a person wants of a run.
pub enum Control {
    /// An answer to a pause, or its end.
    Answer {
        /// Which pause.
        activation: Activation,
        /// The answer.
        answer: Answer,
        /// Whether it was taken.
        reply: oneshot::Sender<Result<(), Fault>>,
    },
    /// To stop.
    Cancel,
}

/// Steers a driven run. Cheap to clone.
#[derive(Clone)]
pub struct RunHandle(mpsc::UnboundedSender<Control>);

impl RunHandle {
    pub(super) fn new() -> (Self, mpsc::UnboundedReceiver<Control>) {
        let (controls, received) = mpsc::unbounded_channel();
        (Self(controls), received)
    }

    /// Answers a pause. Resolves when the answer survives a crash; faults `answer.not_waiting`, `answer.invalid`.
    pub async fn answer(&self, activation: Activation, value: Value) -> Result<(), Fault> {
        self.give(activation, Answer::Value(Arc::new(value))).await
    }

    /// Ends a pause: its outputs are dead, and the run goes on by the ordinary rules.
    pub async fn end(&self, activation: Activation) -> Result<(), Fault> {
        self.give(activation, Answer::End).await
    }

    /// Cancels the run. A run that has ended already stays as it is.
    pub fn cancel(&self) {
        let _ = self.0.send(Control::Cancel);
    }

    async fn give(&self, activation: Activation, answer: Answer) -> Result<(), Fault> {
        let gone = || {
            Fault::new("run.not_running", "This run is not running any more.").hint("Resume it, then answer.")
        };
        let (reply, taken) = oneshot::channel();
        self.0.send(Control::Answer { activation, answer, reply }).map_err(|_| gone())?;
        taken.await.map_err(|_| gone())?
    }
}

/// Checks an answer against the schema of its question.
pub(super) fn validate(schema: &Value, answer: &Value) -> Result<(), Fault> {
    let validator = jsonschema::validator_for(schema).map_err(|error| {
        Fault::new("answer.bad_schema", format!("The question's schema is not a JSON Schema: {error}."))
            .hint("Mend `schema` in the node's config.")
    })?;
    let problems: Vec<String> = validator.iter_errors(answer).map(|error| error.to_string()).collect();
    if problems.is_empty() {
        return Ok(());
    }
    Err(Fault::new(
        "answer.invalid",
        format!("The answer does not fit the question: {}.", problems.join("; ")),
    )
    .hint("Give an answer of the form that is asked for.")
    .details(serde_json::json!({ "schema": schema })))
}
