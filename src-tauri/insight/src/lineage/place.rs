//! The places of a run where texts stand, and how people write them.

use std::fmt;
use std::str::FromStr;

use plait_core::id::{Activation, Epoch, NodeId, PortName, RunId};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// A place where a text stands, in one of the runs of a tree.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, TS)]
pub struct LineagePlace {
    pub run: RunId,
    pub spot: LineageSpot,
}

/// A place in a run. The text of a value is the value itself if it is a text, and compact JSON otherwise.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum LineageSpot {
    /// The value of an output.
    Output { node: NodeId, epoch: Epoch, port: PortName },
    /// A value on an input.
    Input {
        node: NodeId,
        epoch: Epoch,
        port: PortName,
        /// Which of the values of an input that takes several, from 0.
        #[serde(default)]
        #[ts(type = "number")]
        index: usize,
    },
    /// A message of a prompt.
    Message {
        node: NodeId,
        epoch: Epoch,
        /// Which of the activation's model calls, from 0.
        #[ts(type = "number")]
        call: usize,
        /// Which message, from 0.
        #[ts(type = "number")]
        message: usize,
    },
    /// The reply to a prompt.
    Reply {
        node: NodeId,
        epoch: Epoch,
        #[ts(type = "number")]
        call: usize,
    },
    /// The result of a tool, or its error.
    ToolResult {
        node: NodeId,
        epoch: Epoch,
        /// Which of the activation's tool calls, from 0.
        #[ts(type = "number")]
        tool: usize,
    },
    /// The arguments of a tool.
    ToolArguments {
        node: NodeId,
        epoch: Epoch,
        #[ts(type = "number")]
        tool: usize,
    },
    /// What a person answered.
    Answer {
        node: NodeId,
        epoch: Epoch,
        /// Which of the activation's questions, from 0.
        #[ts(type = "number")]
        question: usize,
    },
    /// The input text of the run.
    RunInput,
    /// A value that was set for an input when the run started.
    Set { node: NodeId, port: PortName },
}

impl LineageSpot {
    pub(super) fn output(at: &Activation, port: PortName) -> Self {
        Self::Output { node: at.node.clone(), epoch: at.epoch.clone(), port }
    }

    pub(super) fn input(at: &Activation, port: PortName, index: usize) -> Self {
        Self::Input { node: at.node.clone(), epoch: at.epoch.clone(), port, index }
    }

    pub(super) fn message(at: &Activation, call: usize, message: usize) -> Self {
        Self::Message { node: at.node.clone(), epoch: at.epoch.clone(), call, message }
    }

    pub(super) fn reply(at: &Activation, call: usize) -> Self {
        Self::Reply { node: at.node.clone(), epoch: at.epoch.clone(), call }
    }

    pub(super) fn tool_result(at: &Activation, tool: usize) -> Self {
        Self::ToolResult { node: at.node.clone(), epoch: at.epoch.clone(), tool }
    }

    pub(super) fn tool_arguments(at: &Activation, tool: usize) -> Self {
        Self::ToolArguments { node: at.node.clone(), epoch: at.epoch.clone(), tool }
    }

    pub(super) fn answer(at: &Activation, question: usize) -> Self {
        Self::Answer { node: at.node.clone(), epoch: at.epoch.clone(), question }
    }

    /// The activation that it belongs to, if it belongs to one.
    pub fn activation(&self) -> Option<Activation> {
        match self {
            Self::Output { node, epoch, .. }
            | Self::Input { node, epoch, .. }
            | Self::Message { node, epoch, .. }
            | Self::Reply { node, epoch, .. }
            | Self::ToolResult { node, epoch, .. }
            | Self::ToolArguments { node, epoch, .. }
            | Self::Answer { node, epoch, .. } => {
                Some(Activation { node: node.clone(), epoch: epoch.clone() })
            }
            Self::RunInput | Self::Set { .. } => None,
        }
    }
}

/// As people write it: `chat#2.response`, `chat:in.message`, `chat:prompt.1.3`, `chat:reply.1`, `chat:tool.2`, `chat:arguments.2`,
/// `ask:answer`, `input`, `node:set.port`. Numbers of calls, messages, tools, answers and values count from 1.
impl fmt::Display for LineageSpot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Output { node, epoch, port } => write!(f, "{node}{epoch}.{port}"),
            Self::Input { node, epoch, port, index: 0 } => write!(f, "{node}{epoch}:in.{port}"),
            Self::Input { node, epoch, port, index } => write!(f, "{node}{epoch}:in.{port}.{}", index + 1),
            Self::Message { node, epoch, call, message } => {
                write!(f, "{node}{epoch}:prompt.{}.{}", call + 1, message + 1)
            }
            Self::Reply { node, epoch, call } => write!(f, "{node}{epoch}:reply.{}", call + 1),
            Self::ToolResult { node, epoch, tool } => write!(f, "{node}{epoch}:tool.{}", tool + 1),
            Self::ToolArguments { node, epoch, tool } => write!(f, "{node}{epoch}:arguments.{}", tool + 1),
            Self::Answer { node, epoch, question } => write!(f, "{node}{epoch}:answer.{}", question + 1),
            Self::RunInput => f.write_str("input"),
            Self::Set { node, port } => write!(f, "{node}:set.{port}"),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownSpot;

impl FromStr for LineageSpot {
    type Err = UnknownSpot;

    fn from_str(text: &str) -> Result<Self, UnknownSpot> {
        if text == "input" {
            return Ok(Self::RunInput);
        }
        let Some((at, what)) = text.rsplit_once(':') else {
            // Port names have no dots; an epoch and the ids of nodes may.
            let (at, port) = text.rsplit_once('.').ok_or(UnknownSpot)?;
            let at = activation(at)?;
            return Ok(Self::output(&at, port.into()));
        };
        let mut words = what.split('.');
        let kind = words.next().unwrap_or_default();
        let rest: Vec<&str> = words.collect();
        let number = |at: usize| match rest.get(at) {
            None => Ok(0),
            Some(text) => {
                text.parse::<usize>().ok().and_then(|number| number.checked_sub(1)).ok_or(UnknownSpot)
            }
        };
        let (least, most) = match kind {
            "in" => (1, 2),
            "set" => (1, 1),
            "prompt" => (2, 2),
            "reply" | "tool" | "arguments" | "answer" => (0, 1),
            _ => return Err(UnknownSpot),
        };
        if !(least..=most).contains(&rest.len()) {
            return Err(UnknownSpot);
        }
        let at = activation(at)?;
        Ok(match kind {
            "in" => Self::input(&at, rest[0].into(), number(1)?),
            "set" => Self::Set { node: at.node, port: rest[0].into() },
            "prompt" => Self::message(&at, number(0)?, number(1)?),
            "reply" => Self::reply(&at, number(0)?),
            "tool" => Self::tool_result(&at, number(0)?),
            "arguments" => Self::tool_arguments(&at, number(0)?),
            _ => Self::answer(&at, number(0)?),
        })
    }
}

/// `chat#2.0`, or the name of a node outside of all cycles.
fn activation(text: &str) -> Result<Activation, UnknownSpot> {
    let counters =
        |epoch: &str| epoch.split('.').map(|counter| counter.parse::<u32>().ok()).collect::<Option<Vec<_>>>();
    if let Some((node, epoch)) = text.rsplit_once('#')
        && let Some(path) = counters(epoch)
    {
        return Ok(Activation { node: node.into(), epoch: Epoch::from(path.as_slice()) });
    }
    if text.is_empty() {
        Err(UnknownSpot)
    } else {
        Ok(Activation { node: text.into(), epoch: Epoch::root() })
    }
}

#[cfg(test)]
mod tests {
    use super::{LineageSpot, UnknownSpot};

    #[test]
    fn spots_are_read_as_they_are_written() {
        for text in [
            "chat.response",
            "chat#2.response",
            "chat#2.0.response",
            "chat:in.message",
            "join#1:in.values.3",
            "chat:prompt.1.3",
            "chat#4:reply.2",
            "chat:tool.1",
            "chat:arguments.1",
            "ask#1:answer.1",
            "input",
            "a b.c:set.port",
        ] {
            assert_eq!(text.parse::<LineageSpot>().map(|spot| spot.to_string()).as_deref(), Ok(text));
        }
        assert_eq!("chat:reply".parse::<LineageSpot>().unwrap().to_string(), "chat:reply.1");
        for text in ["", "chat", "chat:prompt.1", "chat:reply.0", "chat:what.1", ".x", "chat:in"] {
            assert_eq!(text.parse::<LineageSpot>(), Err(UnknownSpot), "{text}");
        }
    }
}
