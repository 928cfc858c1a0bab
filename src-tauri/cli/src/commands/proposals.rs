//! `plait proposals`: the edits of flows that agents propose.

use std::fmt::Write as _;
use std::io::Write as _;

use clap::{Args, Subcommand};
use plait_api::proposals::{AcceptProposal, DropProposal, ListProposals, ShowProposal, ShownProposal};
use plait_core::diagnostic::Severity;

use super::diff::flows_text;
use crate::exit::{CliError, ExitStatus};
use crate::format::{first_line, format_time, new_table, to_json};
use crate::open_app::{self, Home};
use crate::printable::printable;
use crate::terminal::{print_error, print_styled_output, stdout};

#[derive(Debug, Args)]
#[command(after_help = "\
Agents propose edits if their server was started with `plait mcp serve --allow propose`. They never write the flow's file: you look at what \
would change, and accept or drop it, here or in the window.

Examples:
  plait proposals list
  plait proposals show 3fa1
  plait proposals accept 3fa1")]
pub(crate) struct ProposalsArgs {
    #[command(subcommand)]
    command: ProposalsCommand,
}

#[derive(Debug, Subcommand)]
enum ProposalsCommand {
    /// List the proposed edits that wait for a decision.
    List {
        /// Print them as JSON.
        #[arg(long)]
        json: bool,
    },
    /// Show what a proposed edit changes in the flow's file, and the problems of the edited flow.
    Show {
        /// The ID of the proposed edit, or how it begins.
        id: String,
        /// Print it as JSON, with the edited flow.
        #[arg(long)]
        json: bool,
    },
    /// Write the edited flow to its file.
    Accept {
        /// The ID of the proposed edit, or how it begins.
        id: String,
        /// Write it also over what changed in the file since it was proposed.
        #[arg(long)]
        replace: bool,
    },
    /// Drop a proposed edit. The file is not changed.
    Drop {
        /// The ID of the proposed edit, or how it begins.
        id: String,
    },
}

pub(crate) async fn execute(home: &Home, args: ProposalsArgs) -> Result<ExitStatus, CliError> {
    match args.command {
        ProposalsCommand::List { json } => list(home, json).await?,
        ProposalsCommand::Show { id, json } => {
            let app = open_app::for_reading(home).await?;
            let shown = app.call(ShowProposal { id }).await?;
            app.close().await?;
            if json {
                writeln!(stdout(), "{}", to_json(&shown)?)?;
            } else {
                print_styled_output(&text(&shown));
            }
        }
        ProposalsCommand::Accept { id, replace } => {
            let app = open_app::for_writing(home).await?;
            let saved = app.call(AcceptProposal { id, replace }).await;
            open_app::close(&app).await?;
            print_error(&format!("Saved {}.\n", saved?.path));
        }
        ProposalsCommand::Drop { id } => {
            let app = open_app::for_writing(home).await?;
            let dropped = app.call(DropProposal { id }).await;
            open_app::close(&app).await?;
            print_error(&format!("Dropped the proposed edit of {}.\n", dropped?.path));
        }
    }
    Ok(ExitStatus::Success)
}

async fn list(home: &Home, json: bool) -> Result<(), CliError> {
    let app = open_app::for_reading(home).await?;
    let proposals = app.call(ListProposals::default()).await?;
    app.close().await?;
    let mut out = stdout();
    if json {
        writeln!(out, "{}", to_json(&proposals)?)?;
        return Ok(());
    }
    if proposals.is_empty() {
        print_error("No proposed edits.\n");
        return Ok(());
    }
    let mut table = new_table(&["ID", "Proposed", "Flow", "What for"]);
    for proposal in &proposals {
        table.add_row([
            proposal.id.clone(),
            format_time(proposal.at),
            proposal.path.clone(),
            first_line(&printable(&proposal.note), 80),
        ]);
    }
    writeln!(out, "{}", table.trim_fmt())?;
    Ok(())
}

/// What a proposed edit is for, what it changes and what is wrong with it.
fn text(ShownProposal { proposal, diff, diagnostics, is_outdated, .. }: &ShownProposal) -> String {
    let mut text = format!("{}\nProposed {}", proposal.path, format_time(proposal.at));
    if !proposal.note.is_empty() {
        let _ = write!(text, ": {}", printable(&proposal.note));
    }
    text.push_str("\n\n");
    if *is_outdated {
        text.push_str("The file was changed since. What follows is the difference from how it is now.\n\n");
    }
    text.push_str(&flows_text(diff));
    let errors = diagnostics.iter().filter(|found| found.severity == Severity::Error);
    for problem in errors {
        let _ = write!(text, "\nproblem: {} [{}]", printable(&problem.message), problem.code);
    }
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text
}
