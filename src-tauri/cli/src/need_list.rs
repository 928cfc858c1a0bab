//! The needs of a flow, in lines for a person.

use plait_api::ErrorReply;
use plait_api::grants::NeedStatus;
use plait_llm::needs::{Need, NeedState, NeedUse};
use serde::Deserialize as _;

use crate::codes;
use crate::exit::CliError;

/// The error of a flow with undecided needs, with a line for each need. Other errors stay as they are.
pub(crate) fn list_needs(error: ErrorReply) -> CliError {
    if error.code != codes::GRANT_NEEDED {
        return error.into();
    }
    let Ok(needs) = Vec::<NeedStatus>::deserialize(&error.details["needs"]) else { return error.into() };
    let lines: Vec<_> = needs.iter().map(|one| format!("\n  {}", describe(one))).collect();
    let message = format!("This flow needs what nobody has decided about yet:{}", lines.concat());
    ErrorReply { message, ..error }.into()
}

/// A need in one line: `host=api.example.com (new): GET, POST in Parcels, Receipt`.
fn describe(status: &NeedStatus) -> String {
    let state = match status.state {
        NeedState::New => " (new)",
        NeedState::Changed => " (changed)",
        NeedState::Decided => "",
    };
    format!("{}{state}: {}", status.need.target, describe_uses(&status.need))
}

/// The node that needs it, and its purpose.
pub(crate) fn describe_uses(need: &Need) -> String {
    let name = |one: &NeedUse| {
        let node = one.title.clone().or_else(|| one.node.as_ref().map(ToString::to_string));
        let node = node.unwrap_or_else(|| "the flow's settings".to_owned());
        one.flow.as_ref().map_or_else(|| node.clone(), |flow| format!("{flow} › {node}"))
    };
    let mut whats: Vec<&str> = need.uses.iter().map(|one| one.what.as_str()).collect();
    let mut nodes: Vec<String> = need.uses.iter().map(name).collect();
    nodes.sort();
    nodes.dedup();
    whats.sort_unstable();
    whats.dedup();
    let seen = need.seen.as_ref().map(|seen| format!(" `{seen}`")).unwrap_or_default();
    format!("{}{seen} in {}", whats.join(", "), nodes.join(", "))
}
