//! `plait --host HOST run NAME`: runs a flow that a host serves.

use plait_api::ErrorReply;
use plait_api::flows::nodes_with_subflows;
use plait_api::hosts::{ReadPublished, VersionedFlow};
use plait_api::runs::answers::Answers;
use serde_json::json;

use super::{RunArgs, collect, conversations};
use crate::codes;
use crate::ctrl_c::CtrlC;
use crate::exit::{CliError, ExitStatus};
use crate::open_app::{self, Home};
use crate::run_follower::RunFollower;

pub(super) async fn execute(home: &Home, args: RunArgs) -> Result<ExitStatus, CliError> {
    refuse_other_options(&args)?;
    let app = open_app::of_host(home).await?;
    let name = args.flow.to_string_lossy().into_owned();
    let VersionedFlow { flow, .. } =
        app.call_host(ReadPublished { name: name.clone(), version: None }).await?;
    let answers = Answers::read(args.answer, nodes_with_subflows(&flow, None, &plait_nodes::registry()))?;
    let conversation = match &args.conversation {
        Some(conversation) => Some(conversations::open(&app, conversation, &flow, None).await?),
        None => None,
    };
    let ctrl_c = CtrlC::listen()?;
    let request = json!({
        "input": args.input,
        "set": collect(args.set),
        "conversation": conversation,
        "replies": args.replies.source(),
    });
    let run = app.run_published(&name, &request).await?;
    RunFollower::new(&app, run, ctrl_c, answers, args.json).follow().await
}

/// `usage.host` for options that change a flow: a flow that is served runs as it was published.
fn refuse_other_options(args: &RunArgs) -> Result<(), ErrorReply> {
    let given = [
        (!args.attach.is_empty(), "--attach"),
        (args.from.is_some(), "--from"),
        (args.to.is_some(), "--to"),
        (args.no_pins, "--no-pins"),
        (!args.breakpoints.is_empty(), "--break"),
        (args.record.is_some(), "--record"),
        (args.replay.is_some(), "--replay"),
    ];
    match given.iter().find(|(is_given, _)| *is_given) {
        None => Ok(()),
        Some((_, option)) => {
            let message =
                format!("A flow that a host serves runs as it was published: `{option}` has no effect.");
            Err(ErrorReply::new(codes::USAGE_HOST, message)
                .hint("Leave the option out, or run a file: `plait --host NAME run FILE`."))
        }
    }
}
