//! `plait dap`.

use clap::Args;
use plait_dap_server::{DapListener, serve_stdio};

use crate::ctrl_c::CtrlC;
use crate::exit::{CliError, ExitStatus};
use crate::open_app::{self, Home};
use crate::terminal::print_error;

#[derive(Debug, Args)]
#[command(after_help = "\
The editor starts the command and speaks the Debug Adapter Protocol over its standard input and output. With `--port`, the command waits \
on 127.0.0.1 for one editor, and ends with it; whoever connects first may run flows, so prefer the former. A session runs a flow \
(`launch`, with `program`, `input`, `values`, `answers`, `maxUsd`, `to`, `ignorePins`, `stopOnEntry`), or takes up a run of the store \
(`attach`, with `run`), also while the window has it open. Lines are nodes: a breakpoint in the lines of a node stops before it.

A run needs the grants that you gave its flow before. When the editor ends without saying so, a run stays where it is: attach to it again, \
or `plait resume`.

Examples:
  plait dap
  plait dap --port 4711")]
pub(crate) struct DapArgs {
    /// Wait for an editor at this port of 127.0.0.1; 0 lets the system choose one.
    #[arg(long, value_name = "PORT")]
    port: Option<u16>,
}

pub(crate) async fn execute(home: &Home, args: &DapArgs) -> Result<ExitStatus, CliError> {
    let opening = open_app::serving(home);
    let Some(port) = args.port else {
        serve_stdio(opening).await?;
        return Ok(ExitStatus::Success);
    };
    let listener = DapListener::listen(port).await?;
    print_error(&format!("Waiting for an editor at {}\nCtrl+C ends it.\n", listener.address()));
    let mut ctrl_c = CtrlC::listen()?;
    tokio::select! {
        served = listener.serve(opening) => served?,
        () = ctrl_c.pressed() => return Ok(ExitStatus::Canceled),
    }
    Ok(ExitStatus::Success)
}
