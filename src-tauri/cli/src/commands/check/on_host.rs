//! `plait --host HOST check FLOW`: what a host lacks for a flow, before it is published or sent there.

use plait_api::ErrorReply;
use plait_api::flows::{CheckFlow, bundle_flow};
use plait_api::grants::{FlowGrants, ShowGrants};
use plait_api::hosts::publication_name;
use plait_llm::needs::NeedState;

use super::{CheckArgs, exit_status, print_json};
use crate::codes;
use crate::exit::{CliError, ExitStatus};
use crate::flow_source::FlowSource;
use crate::need_list::describe_uses;
use crate::open_app::{self, Home};
use crate::terminal::{print_error, print_styled};

pub(crate) async fn execute(home: &Home, args: &CheckArgs) -> Result<ExitStatus, CliError> {
    if args.against_waiting {
        let message = "`--against-waiting` is about runs of a file of this machine.";
        return Err(ErrorReply::new(codes::USAGE_HOST, message).hint("Leave out `--host`.").into());
    }
    let source = FlowSource::load(&args.flow)?;
    let app = open_app::of_host(home).await?;
    let path = source.path_text();
    let flow = bundle_flow(source.flow.clone(), path.as_deref(), &plait_nodes::registry())?;
    // The host has its own files: sub-flows went with the flow, and grants are kept for what `plait publish` would write.
    let file = path.as_deref().map(|path| format!("{}.flow.json", publication_name(path)));
    let checked = app.call(CheckFlow { flow: flow.clone(), path: None }).await?;
    let grants: FlowGrants = app.call(ShowGrants { flow, path: file }).await?;
    if args.json {
        return print_json(&checked.diagnostics);
    }
    print_styled(&source.render(&checked.diagnostics));
    let undecided = grants.needs.iter().filter(|one| !matches!(one.state, NeedState::Decided));
    for one in undecided {
        print_error(&format!(
            "Not decided on the host: {} ({})\n",
            one.need.target,
            describe_uses(&one.need)
        ));
    }
    print_error(&source.summary(&checked.diagnostics));
    Ok(exit_status(&checked.diagnostics))
}
