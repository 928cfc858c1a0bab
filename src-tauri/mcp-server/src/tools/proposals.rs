//! Tools that propose edits of flows. The person decides on them; no tool here writes a flow's file.

use plait_api::ErrorReply;
use plait_api::flows::ReadFlow;
use plait_api::proposals::{ListProposals, MAX_NOTE_CHARS, ProposeFlow, ShownProposal};
use rmcp::handler::server::wrapper::Parameters;
use rmcp::{tool, tool_router};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::named_flow;
use crate::codes;
use crate::reply::{self, Reply};
use crate::server::PlaitServer;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ProposeArguments {
    /// The flow file (`.flow.json`) or pipeline (`.yaml`) to edit.
    flow: String,
    /// The whole text of the edited file.
    text: String,
    /// What the edit is for, in one or two sentences. The person reads it beside the difference.
    note: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ProposalsArguments {
    /// Only the proposed edits of this flow file.
    #[serde(default)]
    flow: Option<String>,
    /// Where the page begins: the `next` of the page before.
    #[serde(default)]
    from: usize,
}

#[tool_router(router = proposal_tools, vis = "pub(crate)")]
impl PlaitServer {
    /// Propose an edit of a flow: the person sees what differs, and accepts or drops it. The file is not changed. The reply says what
    /// differs by meaning, and the problems of the edited flow: if there are new ones, propose a better edit.
    #[tool(annotations(read_only_hint = false, destructive_hint = false, open_world_hint = false))]
    async fn propose_edit(&self, Parameters(arguments): Parameters<ProposeArguments>) -> Reply {
        let ProposeArguments { flow: name, text, note } = arguments;
        let app = self.app().await?;
        let Some(path) = named_flow(&app, &name).await?.path else {
            let message = format!("`{name}` is an example flow, which nobody can edit.");
            return Err(ErrorReply::new(codes::AGENT_NOT_A_FLOW, message)
                .hint("Propose an edit of a flow file. `list_flows` lists them.")
                .into());
        };
        let read = ReadFlow { path: None, text: Some(text), name: Some(path.clone()) };
        let flow = app.call(read).await?;
        if note.trim().is_empty() || note.chars().count() > MAX_NOTE_CHARS {
            let message = format!("The note has from 1 to {MAX_NOTE_CHARS} characters.");
            return Err(ErrorReply::new(codes::COMMAND_ARGUMENTS, message).into());
        }
        let ShownProposal { proposal, diff, diagnostics, .. } =
            app.call(ProposeFlow { path, flow, note }).await?;
        reply::value(&json!({
            "proposal": proposal.id,
            "status": "The person decides on it. The file is unchanged until then.",
            "changes": diff.changes,
            "problems": diagnostics,
        }))
    }

    /// List the proposed edits that the person has not decided on. One that is gone was accepted or dropped: `read_flow` says which.
    #[tool(annotations(read_only_hint = true, open_world_hint = false))]
    async fn list_proposals(&self, Parameters(arguments): Parameters<ProposalsArguments>) -> Reply {
        let app = self.app().await?;
        let path = match arguments.flow {
            Some(name) => named_flow(&app, &name).await?.path,
            None => None,
        };
        reply::list(&app.call(ListProposals { path }).await?, arguments.from)
    }
}
