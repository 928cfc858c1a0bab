//! `plait lens curl`.

use std::io::Write as _;

use clap::Args;
use plait_api::Connection;
use plait_api::lens::{CallRequest, GetCallRequest};

use super::{CallArgs, no_call, select_calls};
use crate::exit::CliError;
use crate::terminal::{print_error, stdout};

/// Without --call, the first call.
#[derive(Debug, Args)]
pub(super) struct CurlArgs {
    #[command(flatten)]
    calls: CallArgs,
}

pub(super) async fn execute(app: &Connection, args: &CurlArgs) -> Result<(), CliError> {
    let (prompts, calls) = select_calls(app, &args.calls).await?;
    let run = prompts.run;
    let Some((_, call)) = calls.into_iter().next() else {
        return Err(no_call(&run, args.calls.node.as_deref(), 1).into());
    };
    let command = GetCallRequest { run, node: call.node, epoch: call.epoch, call: call.call };
    let CallRequest { curl, exact } = app.call(command).await?;
    writeln!(stdout(), "{curl}")?;
    if !exact {
        print_error(
            "This may differ from what was sent: the model did not reply, messages are missing, or the provider's settings \
             have changed.\n",
        );
    }
    Ok(())
}
