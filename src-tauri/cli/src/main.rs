//! `plait`: runs, checks and inspects flows without a window. Reads the command line, calls the commands, shows what they
//! say. Refuses to decide anything about flows or runs itself.

mod args;
mod ask;
mod check;
mod conversations;
mod diagnostics;
mod failure;
mod follow;
mod interrupt;
mod keys;
mod locate;
mod nodes;
mod progress;
mod providers;
mod run;
mod runs;
mod schema;
mod source;
mod table;
mod terminal;
mod tokens;
mod usage;

use std::process::ExitCode;
use std::time::Duration;

use clap::Parser as _;
use plait_api::ErrorReply;

use args::{Cli, Command};
use failure::{Ending, Failure};

fn main() -> ExitCode {
    match carry_out(Cli::parse()) {
        Ok(ending) => ending.into(),
        Err(failure) => failure.tell(),
    }
}

fn carry_out(cli: Cli) -> Result<Ending, Failure> {
    // What needs no store works while a window has it open.
    match cli.command {
        Command::Check(args) => check::check(&args),
        Command::Schema => schema::schema(),
        Command::Nodes(args) => nodes::nodes(&args),
        Command::Tokens(args) => tokens::tokens(&args),
        Command::Run(args) => {
            let home = plait_api::data_dir(cli.home)?;
            block_on(run::run(&home, args))
        }
        Command::Resume(args) => {
            let home = plait_api::data_dir(cli.home)?;
            block_on(run::resume(&home, args))
        }
        Command::Cancel(args) => {
            let home = plait_api::data_dir(cli.home)?;
            block_on(run::cancel(&home, &args))
        }
        Command::Conversations(args) => {
            let home = plait_api::data_dir(cli.home)?;
            block_on(conversations::conversations(&home, args))
        }
        Command::Runs(args) => {
            let home = plait_api::data_dir(cli.home)?;
            block_on(runs::runs(&home, args))
        }
        Command::Keys(args) => {
            let home = plait_api::data_dir(cli.home)?;
            block_on(keys::keys(&home, args))
        }
        Command::Providers(args) => {
            let home = plait_api::data_dir(cli.home)?;
            block_on(providers::providers(&home, args))
        }
        Command::Usage(args) => {
            let home = plait_api::data_dir(cli.home)?;
            block_on(usage::usage(&home, args))
        }
    }
}

fn block_on(work: impl Future<Output = Result<Ending, Failure>>) -> Result<Ending, Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(|error| {
        ErrorReply::new("app.no_threads", format!("The system gives no threads to work with: {error}."))
    })?;
    let ending = runtime.block_on(work);
    // A question that nobody will answer any more must not keep the process.
    runtime.shutdown_timeout(Duration::from_millis(100));
    ending
}
