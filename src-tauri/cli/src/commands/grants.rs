//! `plait grants`.

use std::ffi::{OsStr, OsString};
use std::io::Write as _;
use std::path::Path;

use clap::{Args, Subcommand};
use plait_api::grants::{FlowGrants, RevokeGrants, SetGrants, ShowGrants};
use plait_api::hosts::ReadPublished;
use plait_api::{Connection, ErrorReply};
use plait_core::flow::Flow;
use plait_llm::grant::{GrantDecision, GrantPattern, GrantRule};
use plait_llm::needs::NeedState;

use super::mcp::describe_pin;
use crate::codes;
use crate::exit::{CliError, ExitStatus};
use crate::flow_source::FlowSource;
use crate::format::{new_table, to_json};
use crate::grant_rules::parse;
use crate::need_list::describe_uses;
use crate::open_app::{self, Home};
use crate::terminal::{print_error, stdout};

#[derive(Debug, Args)]
#[command(after_help = "\
A flow can use a command (an MCP server), a host, a folder outside of what it ships with, or a tool that changes something only \
if you allow it. What you decide is kept in this data directory for the file of the flow, and never in the flow: a copy of it has \
no grants. A more exact rule wins over a less exact one; of rules about the same target, deny wins over ask, and ask over allow.

Examples:
  plait grants list my.flow.json
  plait grants allow my.flow.json host=api.example.com,folder=notes
  plait grants allow my.flow.json command=files 'tool=files/*'
  plait grants ask my.flow.json 'host=*'
  plait grants deny my.flow.json tool=write_file
  plait grants revoke my.flow.json host=api.example.com
  plait grants revoke my.flow.json --all")]
pub(crate) struct GrantsArgs {
    #[command(subcommand)]
    command: GrantsCommand,
}

#[derive(Debug, Subcommand)]
enum GrantsCommand {
    /// List what a flow needs and what is decided about it.
    List(ListArgs),
    /// Allow a flow what it needs.
    Allow(RuleArgs),
    /// Be asked before each use.
    Ask(RuleArgs),
    /// Deny a flow what it needs. Nodes that use it fail.
    Deny(RuleArgs),
    /// Remove rules. What they were about is asked again at the next run.
    Revoke(RevokeArgs),
}

#[derive(Debug, Args)]
struct ListArgs {
    /// Flow file, the ID of an example flow, or `-` for standard input. With `--host`, the name of a published flow.
    flow: OsString,
    /// Print as JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
struct RuleArgs {
    /// Flow file. With `--host`, the name of a published flow.
    flow: OsString,
    /// Targets, like `host=api.example.com,tool=files/*`. Folders are relative to that of the flow.
    #[arg(required = true, value_name = "KIND=TARGET,…")]
    targets: Vec<String>,
}

#[derive(Debug, Args)]
struct RevokeArgs {
    /// Flow file. With `--host`, the name of a published flow.
    flow: OsString,
    /// Targets of the rules.
    #[arg(required_unless_present = "all", value_name = "KIND=TARGET,…")]
    targets: Vec<String>,
    /// Remove all rules of the flow.
    #[arg(long, conflicts_with = "targets")]
    all: bool,
}

/// The flow that rules are about.
struct Subject {
    flow: Flow,
    path: Option<String>,
}

pub(crate) async fn execute(home: &Home, args: GrantsArgs) -> Result<ExitStatus, CliError> {
    match args.command {
        GrantsCommand::List(args) => list(home, &args).await?,
        GrantsCommand::Allow(args) => set(home, &args, GrantDecision::Allow).await?,
        GrantsCommand::Ask(args) => set(home, &args, GrantDecision::Ask).await?,
        GrantsCommand::Deny(args) => set(home, &args, GrantDecision::Deny).await?,
        GrantsCommand::Revoke(args) => revoke(home, &args).await?,
    }
    Ok(ExitStatus::Success)
}

async fn list(home: &Home, args: &ListArgs) -> Result<(), CliError> {
    let app = open_app::for_reading(home).await?;
    let grants = Subject::load(&app, &args.flow).await?.grants(&app).await?;
    if args.json {
        writeln!(stdout(), "{}", to_json(&grants)?)?;
        return Ok(());
    }
    if grants.needs.is_empty() {
        print_error("This flow needs no grants.\n");
    } else {
        let mut table = new_table(&["NEED", "DECISION", "WHAT FOR"]);
        for one in &grants.needs {
            let decision = match (&one.rule, one.state) {
                (_, NeedState::New) => "not decided".to_owned(),
                (Some(rule), NeedState::Changed) => format!("{} (changed since)", describe_decision(rule)),
                (Some(rule), NeedState::Decided) => describe_decision(rule),
                (None, _) => String::new(),
            };
            table.add_row([one.need.target.to_string(), decision, describe_uses(&one.need)]);
        }
        writeln!(stdout(), "{table}")?;
    }
    for rule in &grants.unused {
        writeln!(stdout(), "{} ({}, nothing needs it)", rule.target, describe_decision(rule))?;
    }
    for pin in &grants.pins {
        let changed = if pin.changed { ", changed since" } else { "" };
        writeln!(stdout(), "MCP server {}: {}{changed}", pin.server, describe_pin(&pin.pin))?;
    }
    Ok(())
}

fn describe_decision(rule: &GrantRule) -> String {
    let decision = match rule.decision {
        GrantDecision::Allow => "allow",
        GrantDecision::Ask => "ask",
        GrantDecision::Deny => "deny",
    };
    if rule.untrusted { format!("{decision}, also untrusted arguments") } else { decision.to_owned() }
}

async fn set(home: &Home, args: &RuleArgs, decision: GrantDecision) -> Result<(), CliError> {
    let app = open_app::for_writing(home).await?;
    let subject = Subject::load(&app, &args.flow).await?;
    let path = subject.file()?;
    let mut rules = Vec::new();
    for text in &args.targets {
        rules.extend(parse(text, decision, Some(Path::new(path)))?);
    }
    let FlowGrants { needs, needs_hash, .. } = subject.grants(&app).await?;
    // A rule covers the current needs. New needs are asked about.
    for rule in &mut rules {
        let covered: Vec<_> =
            needs.iter().filter(|one| rule.target.covers(&one.need.target.to_target())).collect();
        if !covered.is_empty() {
            rule.write = covered.iter().any(|one| one.need.write);
        }
        rule.needs_hash = Some(needs_hash.clone());
        let own = covered.iter().find(|one| one.need.target == rule.target);
        rule.seen = own.and_then(|one| one.need.seen.clone());
    }
    app.call(SetGrants { path: path.to_owned(), rules }).await?;
    app.close().await?;
    Ok(())
}

async fn revoke(home: &Home, args: &RevokeArgs) -> Result<(), CliError> {
    let app = open_app::for_writing(home).await?;
    let subject = Subject::load(&app, &args.flow).await?;
    let path = subject.file()?;
    let mut targets: Vec<GrantPattern> = Vec::new();
    for text in &args.targets {
        let rules = parse(text, GrantDecision::Deny, Some(Path::new(path)))?;
        targets.extend(rules.into_iter().map(|rule| rule.target));
    }
    let grants = subject.grants(&app).await?;
    let kept: Vec<_> = grants
        .needs
        .iter()
        .filter_map(|one| one.rule.as_ref())
        .chain(&grants.unused)
        .map(|rule| &rule.target)
        .collect();
    if let Some(unknown) = targets.iter().find(|target| !kept.contains(target)) {
        let message = format!("There is no rule `{unknown}` for this flow.");
        return Err(ErrorReply::new(codes::GRANT_INVALID, message)
            .hint("`plait grants list` shows the rules.")
            .into());
    }
    let targets = Some(targets).filter(|_| !args.all);
    app.call(RevokeGrants { path: path.to_owned(), targets }).await?;
    app.close().await?;
    Ok(())
}

impl Subject {
    /// The flow of a file or example of this machine, or what a host serves under a name.
    async fn load(app: &Connection, argument: &OsStr) -> Result<Self, CliError> {
        if app.host_name().is_some() {
            let name = argument.to_string_lossy().into_owned();
            let served = app.call_host(ReadPublished { name, version: None }).await?;
            return Ok(Self { flow: served.flow, path: served.about.path });
        }
        let source = FlowSource::load(argument)?;
        let path = source.path_text();
        Ok(Self { flow: source.into_flow(), path })
    }

    /// The file for which rules are kept. `grant.no_file`.
    fn file(&self) -> Result<&str, ErrorReply> {
        self.path.as_deref().ok_or_else(|| {
            let message = "Rules are kept for the file of a flow, and this flow has none.";
            ErrorReply::new(codes::GRANT_NO_FILE, message)
                .hint("Save the flow as a file, or allow what it needs for one run: plait run FLOW --allow …")
        })
    }

    async fn grants(&self, app: &Connection) -> Result<FlowGrants, ErrorReply> {
        app.call(ShowGrants { flow: self.flow.clone(), path: self.path.clone() }).await
    }
}
