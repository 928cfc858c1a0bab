//! `plait redaction`: patterns of texts to redact besides keys.

use std::io::Write as _;

use clap::{Args, Subcommand};
use plait_api::settings::{GetSettings, SetSettings};
use plait_api::{Connection, ErrorReply, RedactionPattern};

use crate::codes;
use crate::exit::{CliError, ExitStatus};
use crate::format::to_json;
use crate::open_app::{self, Home};
use crate::terminal::{print_error, stdout};

#[derive(Debug, Args)]
#[command(after_help = "\
Keys are always redacted. A match of a pattern is replaced by its name in brackets, in everything that is stored, shown or sent.

Examples:
  plait redaction list
  plait redaction add customer 'C-[0-9]{6}'
  plait redaction rm customer")]
pub(crate) struct RedactionArgs {
    #[command(subcommand)]
    command: RedactionCommand,
}

#[derive(Debug, Subcommand)]
enum RedactionCommand {
    /// List the patterns.
    List(ListArgs),
    /// Add a pattern, or replace the one of this name.
    Add(AddArgs),
    /// Remove patterns.
    #[command(name = "rm", alias = "remove")]
    Remove(RemoveArgs),
}

#[derive(Debug, Args)]
struct ListArgs {
    /// Print the patterns as JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
struct AddArgs {
    /// What a match is replaced by, in brackets.
    name: String,
    /// Regular expression, without lookaround and backreferences.
    regex: String,
}

#[derive(Debug, Args)]
struct RemoveArgs {
    /// Names of patterns.
    #[arg(required = true)]
    names: Vec<String>,
}

pub(crate) async fn execute(home: &Home, args: RedactionArgs) -> Result<ExitStatus, CliError> {
    let app = open_app::for_writing(home).await?;
    let result = match args.command {
        RedactionCommand::List(args) => list(&app, &args).await,
        RedactionCommand::Add(args) => add(&app, args).await,
        RedactionCommand::Remove(args) => remove(&app, &args).await,
    };
    app.close().await?;
    result.map(|()| ExitStatus::Success)
}

async fn list(app: &Connection, args: &ListArgs) -> Result<(), CliError> {
    let patterns = app.call(GetSettings {}).await?.redaction.patterns;
    let mut out = stdout();
    if args.json {
        writeln!(out, "{}", to_json(&patterns)?)?;
        return Ok(());
    }
    if patterns.is_empty() {
        print_error("There are no patterns.\n");
    }
    patterns.iter().try_for_each(|one| writeln!(out, "{}  {}", one.name, one.regex))?;
    Ok(())
}

async fn add(app: &Connection, AddArgs { name, regex }: AddArgs) -> Result<(), CliError> {
    let mut settings = app.call(GetSettings {}).await?;
    let patterns = &mut settings.redaction.patterns;
    patterns.retain(|one| one.name != name);
    patterns.push(RedactionPattern { name: name.clone(), regex });
    // A pattern that can't be used would redact nothing.
    if let Some(fault) = settings.redaction.problems().into_iter().next() {
        return Err(ErrorReply::from(fault).into());
    }
    app.call(SetSettings { settings }).await?;
    writeln!(stdout(), "Matches are replaced by [{name}].")?;
    Ok(())
}

async fn remove(app: &Connection, args: &RemoveArgs) -> Result<(), CliError> {
    let mut settings = app.call(GetSettings {}).await?;
    let patterns = &mut settings.redaction.patterns;
    for name in &args.names {
        if !patterns.iter().any(|one| one.name == *name) {
            let message = format!("There is no pattern `{name}`.");
            return Err(ErrorReply::new(codes::SETTINGS_BAD_VALUE, message)
                .hint("`plait redaction list` shows them.")
                .into());
        }
        patterns.retain(|one| one.name != *name);
    }
    app.call(SetSettings { settings }).await?;
    args.names.iter().try_for_each(|name| writeln!(stdout(), "Removed {name}."))?;
    Ok(())
}
