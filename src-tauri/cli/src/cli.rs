//! The command line: global options, and the table of commands.
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{CommandFactory as _, Parser, Subcommand, ValueEnum as _};
use plait_api::{ErrorReply, data_dir};

use crate::codes;
use crate::commands::{
    cancel, check, completions, config, conversations, dap, debug, diff, doctor, export, forecast, grants,
    hosts, import, keys, knowledge, lens, man, mcp, memory, models, new, nodes, proposals, providers,
    publish, record, redaction, replay, rerun, resume, retry, run, runs, schema, test, tokens, tools, usage,
    users, watch,
};
use crate::exit::{CliError, ExitStatus};
use crate::open_app::Home;
use crate::terminal::ColorChoice;

/// How long the process waits for background tasks when a command is done. A read from the terminal may never end.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_millis(100);

/// Run, check and inspect LLM flows from the command line.
#[derive(Debug, Parser)]
#[command(name = "plait", version, about, max_term_width = 100)]
#[command(after_help = "\
Exit codes:
  0 success   1 failure   2 invalid usage or flow   3 waiting for input   130 canceled

Examples:
  plait run hello                          Run an example flow, without a key or network
  plait run my.flow.json --json            Print one event per line, for scripts
  plait check my.flow.json                 Check a flow for problems
  plait forecast my.flow.json              See how prompts grow and what a run may cost, before it runs
  plait new --loop chat.yaml               Begin a pipeline: a flow as a list of steps in YAML
  plait keys set openai                    Store the key of a provider
  plait resume last --answer \"Yes, go on\"  Answer the question that a run waits on")]
pub(crate) struct Cli {
    /// Data directory for runs, settings and keys.
    #[arg(long, value_name = "DIR", env = "PLAIT_HOME", global = true)]
    home: Option<PathBuf>,

    /// The user that runs, conversations and memories belong to, if not the current one.
    #[arg(long, value_name = "NAME", global = true)]
    user: Option<String>,

    /// Work with a host of the list of hosts (`plait hosts`) in place of the data directory.
    #[arg(long, value_name = "NAME", global = true)]
    host: Option<String>,

    // Read before the command line is parsed, by `color_choice`.
    /// When to use color. `auto` means in a terminal, unless `NO_COLOR` is set.
    #[arg(long, value_enum, value_name = "WHEN", default_value_t, global = true)]
    color: ColorChoice,

    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run a flow.
    Run(run::RunArgs),
    /// Resume a run that is waiting or was interrupted.
    Resume(resume::ResumeArgs),
    /// Continue a run that failed as a new run, which reuses its replies and answers.
    Retry(retry::RetryArgs),
    /// Run again what a run ran, or an edited flow, and reuse what still matches. The bill comes first.
    Rerun(rerun::RerunArgs),
    /// Run again what a recording or a run has, without network: nothing is asked, bought or done outside.
    Replay(replay::ReplayArgs),
    /// Record a program that calls models: what it sent and received becomes a run, and a first draft of a flow.
    Record(record::RecordArgs),
    /// Run the tests of flows, or make one of a run.
    Test(test::TestArgs),
    /// Cancel a run that is waiting or was interrupted.
    Cancel(cancel::CancelArgs),
    /// Watch a run of the window or of another terminal, live.
    Watch(watch::WatchArgs),
    /// Do what the debugger's prompt does, once: step, continue, set breakpoints.
    Debug(debug::DebugArgs),
    /// Serve an editor that speaks the Debug Adapter Protocol.
    Dap(dap::DapArgs),
    /// Check a flow for problems without running it.
    Check(check::CheckArgs),
    /// Show how prompts will grow, when they no longer fit the window, and what a run may cost.
    Forecast(forecast::ForecastArgs),
    /// Import a flow of another tool, with a report of what was translated.
    Import(import::ImportArgs),
    /// Write a new flow or pipeline to begin with.
    New(new::NewArgs),
    /// Print the JSON Schema of flow files, or of pipelines.
    Schema(schema::SchemaArgs),
    /// List node types, or show one.
    Nodes(nodes::NodesArgs),
    /// List, show or remove runs.
    Runs(runs::RunsArgs),
    /// Show what models were sent, and trace runs.
    Lens(lens::LensArgs),
    /// Say what differs between two runs, or between two flows.
    Diff(diff::DiffArgs),
    /// List, show, accept or drop edits of flows that agents propose.
    Proposals(proposals::ProposalsArgs),
    /// Export a run to other tools.
    Export(export::ExportArgs),
    /// List, show, export, rename, fork or remove conversations.
    Conversations(conversations::ConversationsArgs),
    /// Add, index, search or remove knowledge bases.
    Knowledge(knowledge::KnowledgeArgs),
    /// List, search, add, change, erase or export what flows remember of a user.
    Memory(memory::MemoryArgs),
    /// List, add, switch or remove users.
    Users(users::UsersArgs),
    /// List, allow, deny or revoke what a flow may use.
    Grants(grants::GrantsArgs),
    /// Show, set or explain settings: which value holds, and where it comes from.
    Config(config::ConfigArgs),
    /// Show the token usage and cost of model calls by day.
    Usage(usage::UsageArgs),
    /// Count the tokens of a text.
    Tokens(tokens::TokensArgs),
    /// List, set or remove the keys of model providers.
    Keys(keys::KeysArgs),
    /// Add, change, list or test model providers, or list their models.
    Providers(providers::ProvidersArgs),
    /// List, set or remove windows and prices of models.
    Models(models::ModelsArgs),
    /// List, add or remove patterns of what is redacted besides keys.
    Redaction(redaction::RedactionArgs),
    /// List, set or remove what tools may reach and send: hosts that are not public, and secrets.
    Tools(tools::ToolsArgs),
    /// List, add, test or remove MCP servers, whose tools flows can use.
    Mcp(mcp::McpArgs),
    /// Check the data directory for damage, and repair what can be repaired.
    Doctor(doctor::DoctorArgs),
    /// List, add or remove hosts of other machines.
    Hosts(hosts::HostsArgs),
    /// Publish a flow on a host, as its next version.
    Publish(publish::PublishArgs),
    /// List what a host serves, serve an earlier version again, or serve a flow no longer.
    Published(publish::PublishedArgs),
    /// Print the completions of a shell.
    Completions(completions::CompletionsArgs),
    /// Print the manual page, or write those of all commands.
    Man(man::ManArgs),
}

impl Command {
    /// `usage.host` for a command that works on this machine alone: with its files, or with keys, which are not sent.
    fn refuse_without_host(&self) -> Result<(), ErrorReply> {
        match self {
            Self::Run(_)
            | Self::Resume(_)
            | Self::Retry(_)
            | Self::Rerun(_)
            | Self::Cancel(_)
            | Self::Watch(_)
            | Self::Debug(_)
            | Self::Runs(_)
            | Self::Lens(_)
            | Self::Diff(_)
            | Self::Check(_)
            | Self::Forecast(_)
            | Self::Conversations(_)
            | Self::Knowledge(_)
            | Self::Memory(_)
            | Self::Users(_)
            | Self::Grants(_)
            | Self::Config(_)
            | Self::Usage(_)
            | Self::Providers(_)
            | Self::Models(_)
            | Self::Tools(_)
            | Self::Redaction(_)
            | Self::Proposals(_)
            | Self::Publish(_)
            | Self::Published(_) => Ok(()),
            Self::Mcp(args) if !args.is_server() => Ok(()),
            _ => Err(ErrorReply::new(codes::USAGE_HOST, "This command works on this machine alone.")
                .hint("Leave out `--host`.")),
        }
    }
}

impl Cli {
    /// Executes the command.
    pub(crate) fn execute(self) -> Result<ExitStatus, CliError> {
        let user = self.user;
        let is_on_host = self.host.is_some();
        if is_on_host {
            self.command.refuse_without_host()?;
        }
        let host = self.host;
        let home = || Ok::<_, ErrorReply>(Home { path: data_dir(self.home)?, user, host });
        match self.command {
            // These need no store, so they also work while a window has it open.
            Command::Check(args) if is_on_host => block_on(check::on_host::execute(&home()?, &args)),
            Command::Check(args) if args.against_waiting => {
                block_on(check::execute_against_waiting(&home()?, &args))
            }
            Command::Check(args) => check::execute(&home()?, &args),
            Command::New(args) => new::execute(&args),
            Command::Schema(args) => schema::execute(&args),
            Command::Nodes(args) => nodes::execute(&args),
            Command::Tokens(args) => tokens::execute(&args),
            Command::Completions(args) => completions::execute(&args, Self::command()),
            Command::Man(args) => man::execute(&args, Self::command()),

            Command::Import(args) => block_on(import::execute(&home()?, args)),
            Command::Forecast(args) => block_on(forecast::execute(&home()?, args)),
            Command::Doctor(args) => doctor::execute(&home()?, &args),
            Command::Run(args) => block_on(run::execute(&home()?, args)),
            Command::Resume(args) => block_on(resume::execute(&home()?, args)),
            Command::Retry(args) => block_on(retry::execute(&home()?, args)),
            Command::Rerun(args) => block_on(rerun::execute(&home()?, args)),
            Command::Replay(args) => block_on(replay::execute(&home()?, args)),
            Command::Record(args) => block_on(record::execute(&home()?, args)),
            Command::Test(args) => block_on(test::execute(&home()?, args)),
            Command::Watch(args) => block_on(watch::execute(&home()?, args)),
            Command::Debug(args) => block_on(debug::execute(&home()?, args)),
            Command::Dap(args) => block_on(dap::execute(&home()?, &args)),
            Command::Cancel(args) => block_on(cancel::execute(&home()?, &args)),
            Command::Runs(args) => block_on(runs::execute(&home()?, args)),
            Command::Lens(args) => block_on(lens::execute(&home()?, args)),
            Command::Diff(args) => block_on(diff::execute(&home()?, args)),
            Command::Proposals(args) => block_on(proposals::execute(&home()?, args)),
            Command::Export(args) => block_on(export::execute(&home()?, args)),
            Command::Conversations(args) => block_on(conversations::execute(&home()?, args)),
            Command::Knowledge(args) => block_on(knowledge::execute(&home()?, args)),
            Command::Memory(args) => block_on(memory::execute(&home()?, args)),
            Command::Users(args) => block_on(users::execute(&home()?, args)),
            Command::Grants(args) => block_on(grants::execute(&home()?, args)),
            Command::Config(args) => block_on(config::execute(&home()?, args)),
            Command::Usage(args) => block_on(usage::execute(&home()?, &args)),
            Command::Keys(args) => block_on(keys::execute(&home()?, args)),
            Command::Mcp(args) => block_on(mcp::execute(&home()?, args)),
            Command::Providers(args) => block_on(providers::execute(&home()?, args)),
            Command::Models(args) => block_on(models::execute(&home()?, args)),
            Command::Tools(args) => block_on(tools::execute(&home()?, args)),
            Command::Redaction(args) => block_on(redaction::execute(&home()?, args)),
            Command::Hosts(args) => block_on(hosts::execute(&home()?, args)),
            Command::Publish(args) => block_on(publish::publish(&home()?, args)),
            Command::Published(args) => block_on(publish::published(&home()?, args)),
        }
    }
}

/// The value of `--color` among arguments that are not parsed yet; `auto` where it is missing or wrong, which parsing reports.
pub(crate) fn color_choice(args: impl IntoIterator<Item = OsString>) -> ColorChoice {
    let mut choice = ColorChoice::default();
    let mut args = args.into_iter().skip(1).take_while(|arg| arg != "--");
    while let Some(arg) = args.next() {
        let arg = arg.to_string_lossy();
        let value = match arg.strip_prefix("--color") {
            Some("") => args.next().map(|value| value.to_string_lossy().into_owned()),
            Some(rest) => rest.strip_prefix('=').map(str::to_owned),
            None => None,
        };
        if let Some(parsed) = value.and_then(|value| ColorChoice::from_str(&value, false).ok()) {
            choice = parsed;
        }
    }
    choice
}

fn block_on(command: impl Future<Output = Result<ExitStatus, CliError>>) -> Result<ExitStatus, CliError> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(|error| {
        ErrorReply::new(codes::APP_NO_THREADS, format!("The worker threads could not be started: {error}."))
    })?;
    let result = runtime.block_on(command);
    runtime.shutdown_timeout(SHUTDOWN_TIMEOUT);
    result
}

#[cfg(test)]
mod tests;
