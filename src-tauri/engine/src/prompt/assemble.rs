//! Step 2: the parts of a call, before anything is left out: the system text once, the history, the question with its
//! blocks, and the tool steps so far.

use super::blocks::with_blocks;
use super::tokens::{PER_MESSAGE, count_kept};
use crate::context::{ContextRecord, History, SharedMessage};
use crate::tool::ToolSpec;

/// The parts of a call.
pub(super) struct Assembled {
    /// The system instructions and what system messages the history holds, each once.
    pub(super) system: Option<String>,
    /// What that takes.
    pub(super) system_tokens: u64,
    /// The history, without system messages. Ends with the question where it was there already and is sent as it is.
    pub(super) history: History,
    /// The question, where it is not in `history`.
    pub(super) question: Option<SharedMessage>,
}

/// Puts together what `question` in `context` is sent with. The history ends with the question where a node before has
/// written it there.
pub(super) fn assemble(
    context: &ContextRecord,
    question: &SharedMessage,
    tools: &[ToolSpec],
    model: &str,
) -> Assembled {
    let mut history = context.message_history.clone();
    let sent = with_blocks(question, tools, model);
    let stored = history.last().is_some_and(|last| last.id == question.id);
    let as_stored = stored && sent.id == question.id && sent.content == question.content;
    if stored && !as_stored {
        history.pop();
    }
    let mut system: Vec<String> = context.system_instructions.iter().cloned().collect();
    for message in history.take_system() {
        let text = message.content.text();
        if !system.contains(&text) {
            system.push(text);
        }
    }
    let system = (!system.is_empty()).then(|| system.join("\n\n"));
    let system_tokens = system.as_ref().map_or(0, |text| PER_MESSAGE + count_kept(model, text));
    Assembled { system, system_tokens, history, question: (!as_stored).then_some(sent) }
}
