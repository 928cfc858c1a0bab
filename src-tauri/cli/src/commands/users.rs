//! `plait users`.

use std::io::Write as _;

use clap::{Args, Subcommand};
use plait_api::Connection;
use plait_api::users::{AddUser, ListUsers, RemoveUser, SwitchUser};

use crate::exit::{CliError, ExitStatus};
use crate::format::to_json;
use crate::open_app::{self, Home};
use crate::terminal::{print_error, stdout};

#[derive(Debug, Args)]
#[command(after_help = "\
Runs, conversations and long-term memories belong to a user. The current user is the one of new runs and of lists, unless \
`--user` names another. Users are no accounts: everyone who can read the data directory can read everything in it.

Examples:
  plait users add ada --switch
  plait run hello --user ada
  plait users switch local
  plait users rm ada")]
pub(crate) struct UsersArgs {
    #[command(subcommand)]
    command: UsersCommand,
}

#[derive(Debug, Subcommand)]
enum UsersCommand {
    /// List users; a star marks the current one.
    List(ListArgs),
    /// Make a user the current one.
    #[command(visible_alias = "use")]
    Switch(NameArgs),
    /// Add a user.
    Add(AddArgs),
    /// Remove a user. The user's runs and conversations stay.
    #[command(visible_alias = "remove")]
    Rm(RemoveArgs),
}

#[derive(Debug, Args)]
struct ListArgs {
    /// Print the users as JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
struct NameArgs {
    /// The user's name.
    name: String,
}

#[derive(Debug, Args)]
struct AddArgs {
    /// The user's name.
    name: String,
    /// Make the new user the current one.
    #[arg(long)]
    switch: bool,
}

#[derive(Debug, Args)]
struct RemoveArgs {
    /// The user's name.
    name: String,
    /// Erase the user's long-term memories, too.
    #[arg(long)]
    erase_memories: bool,
}

pub(crate) async fn execute(home: &Home, args: UsersArgs) -> Result<ExitStatus, CliError> {
    let app = match &args.command {
        UsersCommand::List(_) => open_app::for_reading(home).await?,
        _ => open_app::for_writing(home).await?,
    };
    match args.command {
        UsersCommand::List(args) => list(&app, &args).await?,
        UsersCommand::Switch(NameArgs { name }) => {
            let users = app.call(SwitchUser { name }).await?;
            print_error(&format!("The current user is {}.\n", users.current));
        }
        UsersCommand::Add(AddArgs { name, switch }) => {
            let users = app.call(AddUser { name: name.clone(), switch }).await?;
            print_error(&format!("Added user {}. The current user is {}.\n", name.trim(), users.current));
        }
        UsersCommand::Rm(RemoveArgs { name, erase_memories }) => {
            app.call(RemoveUser { name: name.clone(), erase_memories }).await?;
            print_error(&format!("Removed user {}. Runs and conversations of the user stay.\n", name.trim()));
        }
    }
    app.close().await?;
    Ok(ExitStatus::Success)
}

async fn list(app: &Connection, args: &ListArgs) -> Result<(), CliError> {
    let users = app.call(ListUsers {}).await?;
    let mut out = stdout();
    if args.json {
        writeln!(out, "{}", to_json(&users)?)?;
        return Ok(());
    }
    for name in &users.names {
        let mark = if *name == users.current { '*' } else { ' ' };
        writeln!(out, "{mark} {name}")?;
    }
    Ok(())
}
