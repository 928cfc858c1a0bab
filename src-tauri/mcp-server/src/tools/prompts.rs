//! Tools that read what models received, and where texts come from.

use plait_api::ErrorReply;
use plait_api::lens::{FollowText, LineageDirection, SearchPrompts, ShowPrompts};
use plait_api::runs::ShowRun;
use plait_core::id::{Epoch, NodeId};
use plait_insight::lineage::LineageSpot;
use rmcp::handler::server::wrapper::Parameters;
use rmcp::{tool, tool_router};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{check_node, named_run};
use crate::codes;
use crate::reply::{self, Reply};
use crate::server::PlaitServer;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct PromptsArguments {
    /// The ID of a run, or how it begins.
    run: String,
    /// Only calls of this node.
    #[serde(default)]
    node: Option<String>,
    /// Where the page begins: the `next` of the page before.
    #[serde(default)]
    from: usize,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct PromptArguments {
    /// The ID of a run, or how it begins.
    run: String,
    /// The number of the event of the prompt, `seq`, as `list_prompts` gives it.
    seq: u64,
    /// Where the page begins: the `next` of the page before.
    #[serde(default)]
    from: usize,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SearchArguments {
    /// The ID of a run, or how it begins.
    run: String,
    /// The text to look for, in any case.
    text: String,
}

/// Which way a text is followed.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
enum Direction {
    /// To where it comes from.
    #[default]
    From,
    /// To where it went.
    To,
}

/// A place where a text stands.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "camelCase", deny_unknown_fields)]
enum Place {
    /// The value of an output of a node.
    Output { port: String },
    /// A message of a prompt: which model call of the node, and which message, each from 0.
    Message { call: usize, message: usize },
    /// The reply to a prompt: which model call of the node, from 0.
    Reply { call: usize },
    /// The result of a tool call of the node, from 0.
    ToolResult { tool: usize },
}

impl Place {
    fn at(self, node: NodeId, epoch: Epoch) -> LineageSpot {
        match self {
            Self::Output { port } => LineageSpot::Output { node, epoch, port: port.into() },
            Self::Message { call, message } => LineageSpot::Message { node, epoch, call, message },
            Self::Reply { call } => LineageSpot::Reply { node, epoch, call },
            Self::ToolResult { tool } => LineageSpot::ToolResult { node, epoch, tool },
        }
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct FollowArguments {
    /// The ID of a run, or how it begins.
    run: String,
    /// The node.
    node: String,
    /// Its iteration, as its events give it; empty outside of loops and cycles.
    #[serde(default)]
    epoch: Vec<u32>,
    /// Where the text stands at the node.
    place: Place,
    /// The part of the text to follow; all of it without one.
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    direction: Direction,
}

#[tool_router(router = prompt_tools, vis = "pub(crate)")]
impl PlaitServer {
    /// List the model calls of a run: what was sent, what was left out and why, tokens, cost and reply. Long texts are cut: `read_prompt`
    /// reads a call whole.
    #[tool(annotations(read_only_hint = true, open_world_hint = false))]
    async fn list_prompts(&self, Parameters(arguments): Parameters<PromptsArguments>) -> Reply {
        let app = self.app().await?;
        let run = named_run(&app, &arguments.run).await?;
        if let Some(node) = &arguments.node {
            check_node(&app.call(ShowRun { run: run.clone() }).await?, Some(node))?;
        }
        let node = arguments.node.map(NodeId::from);
        let prompts = app.call(ShowPrompts { run, node, epoch: None, call: None }).await?;
        reply::list(&prompts.calls, arguments.from)
    }

    /// Read one model call whole, in pages of text: every message as it was sent, and the reply.
    #[tool(annotations(read_only_hint = true, open_world_hint = false))]
    async fn read_prompt(&self, Parameters(arguments): Parameters<PromptArguments>) -> Reply {
        let app = self.app().await?;
        let run = named_run(&app, &arguments.run).await?;
        let prompts = app.call(ShowPrompts { run: run.clone(), node: None, epoch: None, call: None }).await?;
        let call = prompts.calls.iter().find(|call| call.seq == arguments.seq).ok_or_else(|| {
            let message = format!("Run {run} has no prompt at event {}.", arguments.seq);
            ErrorReply::new(codes::AGENT_NO_EVENT, message).hint("`list_prompts` lists them.")
        })?;
        reply::json_text(call, arguments.from)
    }

    /// Find where a text occurs in the prompts and replies of a run and the runs of its sub-flows.
    #[tool(annotations(read_only_hint = true, open_world_hint = false))]
    async fn search_prompts(&self, Parameters(arguments): Parameters<SearchArguments>) -> Reply {
        let app = self.app().await?;
        let run = named_run(&app, &arguments.run).await?;
        if arguments.text.is_empty() {
            return Err(ErrorReply::new(codes::COMMAND_ARGUMENTS, "The text to look for is empty.").into());
        }
        reply::value(&app.call(SearchPrompts { run, text: arguments.text }).await?)
    }

    /// Follow a text of a run back to the person, file, page or model that it comes from, or forward to where it went.
    #[tool(annotations(read_only_hint = true, open_world_hint = false))]
    async fn follow_text(&self, Parameters(arguments): Parameters<FollowArguments>) -> Reply {
        let app = self.app().await?;
        let run = named_run(&app, &arguments.run).await?;
        let spot = arguments.place.at(NodeId::from(arguments.node), Epoch::from(arguments.epoch.as_slice()));
        let direction = match arguments.direction {
            Direction::From => LineageDirection::From,
            Direction::To => LineageDirection::To,
        };
        let follow = FollowText { run, spot, direction, range: None, text: arguments.text, occurrence: 0 };
        reply::value(&app.call(follow).await?)
    }
}
