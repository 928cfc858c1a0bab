//! The position of a request in a script, from the request alone.
//!
//! A script consists of *turns*: any number of replies with tool calls, then one without. The position is
//! - the turn: the number of assistant messages of the calling node before the last user message, without tool steps,
//! - the step: the number of assistant messages after that user message, the tool steps of this turn.
//!
//! Other nodes in the same context, retries and resumes do not change the position. Trimming the start of the history does,
//! since the model does not see it.

use plait_core::error::Fault;
use plait_llm::context::{Role, ToolCall};
use plait_llm::provider::ModelRequest;

use super::{OfflineOptions, Repeat, ScriptedCall, ScriptedReply};
use crate::codes;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ScriptPosition {
    pub(super) turn: usize,
    pub(super) step: usize,
}

impl ScriptPosition {
    pub(super) fn of(request: &ModelRequest) -> Self {
        let messages = &request.messages;
        let last_user = messages.iter().rposition(|message| message.role == Role::User).unwrap_or_default();
        let (before, after) = messages.split_at(last_user);
        let turn = before
            .iter()
            .filter(|message| message.role == Role::Assistant && message.tool_calls.is_empty())
            .filter(|message| message.author.node == request.activation.node)
            .count();
        Self { turn, step: after.iter().filter(|message| message.role == Role::Assistant).count() }
    }

    /// The reply at this position. Fault `provider.script_over`.
    pub(super) fn choose(self, options: &OfflineOptions) -> Result<&ScriptedReply, Fault> {
        let turns: Vec<&[ScriptedReply]> =
            options.replies.split_inclusive(|reply| reply.tool_calls.is_empty()).collect();
        // There is at least one: `OfflineOptions::read` refuses an empty script.
        let last = turns.len().saturating_sub(1);
        let turn = match options.repeat {
            Repeat::Last => self.turn.min(last),
            Repeat::Cycle => self.turn % turns.len().max(1),
            Repeat::Fail => self.turn,
        };
        let reply = turns.get(turn).and_then(|steps| match options.repeat {
            // Only a script that ends in a tool call can have too few steps.
            Repeat::Last => steps.get(self.step).or(steps.last()),
            Repeat::Cycle => steps.get(self.step % steps.len().max(1)),
            Repeat::Fail => steps.get(self.step),
        });
        reply.ok_or_else(|| {
            Fault::new(
                codes::PROVIDER_SCRIPT_OVER,
                format!(
                    "The script of the offline provider has no reply for turn {}, step {}.",
                    self.turn + 1,
                    self.step + 1
                ),
            )
            .hint("Add replies, or set `repeat` to `last` or `cycle`.")
        })
    }

    /// The tool calls with ids that are unique in the conversation.
    pub(super) fn calls(self, calls: &[ScriptedCall]) -> Vec<ToolCall> {
        let Self { turn, step } = self;
        let with_id = |(index, call): (usize, &ScriptedCall)| ToolCall {
            id: format!("call_{turn}_{step}_{index}"),
            name: call.name.clone(),
            arguments: call.arguments.clone(),
        };
        calls.iter().enumerate().map(with_id).collect()
    }
}
