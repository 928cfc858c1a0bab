//! What a memory says, and the limits on it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::MemoryKind;
use crate::codes;
use plait_core::error::Fault;

/// The longest text of a memory, in bytes. Every prompt that recalls it contains it.
pub const MAX_TEXT_BYTES: usize = 4 << 10;
/// The most steps of a procedure.
pub const MAX_STEPS: usize = 32;
/// The longest step of a procedure, in bytes.
pub const MAX_STEP_BYTES: usize = 1 << 10;

/// What a memory says.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct MemoryContent {
    #[serde(default)]
    pub kind: MemoryKind,
    /// The statement of a fact, the summary of an episode, or the name of a procedure.
    pub text: String,
    /// The steps of a procedure, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<String>>")]
    pub steps: Vec<String>,
}

impl MemoryContent {
    /// The same without spaces around its texts and without empty steps. `memory.empty`, `memory.too_long`.
    pub fn checked(self) -> Result<Self, Fault> {
        let text = self.text.trim().to_owned();
        let steps: Vec<String> =
            self.steps.iter().map(|step| step.trim().to_owned()).filter(|step| !step.is_empty()).collect();
        if text.is_empty() {
            return Err(Fault::new(codes::MEMORY_EMPTY, "The memory has no text.")
                .hint("Give a statement, a summary, or the name of the procedure."));
        }
        if text.len() > MAX_TEXT_BYTES {
            let message = format!("The memory has {} bytes; {MAX_TEXT_BYTES} are possible.", text.len());
            return Err(too_long(message));
        }
        match self.kind {
            MemoryKind::Procedure if steps.is_empty() => {
                return Err(Fault::new(codes::MEMORY_EMPTY, "The procedure has no steps.")
                    .hint("Give the steps in order, each as a text."));
            }
            MemoryKind::Fact | MemoryKind::Episode if !steps.is_empty() => {
                return Err(Fault::new(codes::MEMORY_HAS_STEPS, "Only procedures have steps.")
                    .hint("Set the kind to `procedure`, or leave the steps out."));
            }
            _ => {}
        }
        if steps.len() > MAX_STEPS {
            let message = format!("The procedure has {} steps; {MAX_STEPS} are possible.", steps.len());
            return Err(too_long(message));
        }
        if let Some(step) = steps.iter().find(|step| step.len() > MAX_STEP_BYTES) {
            let message = format!("A step has {} bytes; {MAX_STEP_BYTES} are possible.", step.len());
            return Err(too_long(message));
        }
        Ok(Self { kind: self.kind, text, steps })
    }

    /// The size of its texts.
    pub fn bytes(&self) -> usize {
        self.text.len() + self.steps.iter().map(String::len).sum::<usize>()
    }

    pub fn texts(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.text.as_str()).chain(self.steps.iter().map(String::as_str))
    }
}

fn too_long(message: String) -> Fault {
    Fault::new(codes::MEMORY_TOO_LONG, message).hint("Summarize it, or store several memories.")
}
