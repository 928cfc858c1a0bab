//! `plait hosts`.

use std::io::Write as _;

use clap::{Args, Subcommand};
use plait_api::ErrorReply;
use plait_api::hosts::HostList;

use super::keys::read_secret;
use crate::codes;
use crate::exit::{CliError, ExitStatus};
use crate::format::{new_table, to_json};
use crate::open_app::Home;
use crate::terminal::{print_error, stdout};

#[derive(Debug, Args)]
#[command(after_help = "\
A host serves the flows of another machine: `plait-server serve`. With `--host NAME`, the commands about runs work there. The token is \
read from standard input or from a hidden prompt, and stored as the keys of providers are.

Examples:
  plait hosts add team https://plait.example.com
  plait --host team run support-bot --input \"My order is late\"
  plait --host team runs list
  plait hosts rm team")]
pub(crate) struct HostsArgs {
    #[command(subcommand)]
    command: HostsCommand,
}

#[derive(Debug, Subcommand)]
enum HostsCommand {
    /// List hosts and their addresses.
    List(ListArgs),
    /// Add a host, with a token from standard input or a hidden prompt.
    Add(AddArgs),
    /// Remove a host and its token.
    #[command(visible_alias = "remove")]
    Rm(RemoveArgs),
}

#[derive(Debug, Args)]
struct ListArgs {
    /// Print the hosts as JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
struct AddArgs {
    /// A name to call the host by.
    name: String,
    /// Its address. Without encryption (`http://`) only this machine.
    url: String,
}

#[derive(Debug, Args)]
struct RemoveArgs {
    /// The name of the host.
    name: String,
}

pub(crate) async fn execute(home: &Home, args: HostsArgs) -> Result<ExitStatus, CliError> {
    let hosts = HostList::open(&home.path);
    match args.command {
        HostsCommand::List(ListArgs { json }) => {
            let list = hosts.list().map_err(ErrorReply::from)?;
            let mut out = stdout();
            if json {
                writeln!(out, "{}", to_json(&list)?)?;
            } else {
                let mut table = new_table(&["Host", "Address"]);
                for (name, entry) in list {
                    table.add_row([name, entry.url]);
                }
                writeln!(out, "{}", table.trim_fmt())?;
            }
        }
        HostsCommand::Add(AddArgs { name, url }) => {
            hosts.check(&name, &url).map_err(ErrorReply::from)?;
            let prompt = format!("Token for {name}");
            let token = tokio::task::spawn_blocking(move || read_secret(&prompt))
                .await
                .unwrap_or_else(|error| Err(std::io::Error::other(error)))
                .map_err(|error| {
                    ErrorReply::new(codes::USAGE_INPUT, format!("Could not read the token: {error}."))
                })?;
            hosts.add(&name, &url, &token).await.map_err(ErrorReply::from)?;
            print_error(&format!("Added the host {name}.\n"));
        }
        HostsCommand::Rm(RemoveArgs { name }) => {
            hosts.remove(&name).await.map_err(ErrorReply::from)?;
            print_error(&format!("Removed the host {name}.\n"));
        }
    }
    Ok(ExitStatus::Success)
}
