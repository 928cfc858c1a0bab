//! The command line, as `--help` tells it.

mod models;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use serde_json::Value;

pub(crate) use models::{KeysArgs, KeysCommand, ProvidersArgs, ProvidersCommand, UsageArgs};

/// Runs, checks and inspects LLM flows without a window.
#[derive(Debug, Parser)]
#[command(name = "plait", version, about, max_term_width = 100)]
#[command(after_help = "\
Exit codes:
  0 finished   1 failed   2 bad usage or invalid flow   3 waiting for input   130 cancelled

Examples:
  plait run hello                          run an example flow; no key and no network needed
  plait run my.flow.json --json            one event per line, for scripts
  plait check my.flow.json                 what is wrong with a flow, and where
  plait keys set openai                    keep a key, and use that provider in your flows
  plait resume last --answer \"Yes, go on\"  answer the question a run waits on")]
pub(crate) struct Cli {
    /// Keep data (runs, settings) in this directory.
    #[arg(long, value_name = "DIR", env = "PLAIT_HOME", global = true)]
    pub(crate) home: Option<PathBuf>,

    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run a flow.
    Run(RunArgs),
    /// Go on with a run that waits or was interrupted.
    Resume(ResumeArgs),
    /// Stop a run that waits or was interrupted.
    Cancel(CancelArgs),
    /// Say what is wrong with a flow, and where.
    Check(CheckArgs),
    /// Print the JSON Schema of flow files.
    #[command(after_help = "Examples:\n  plait schema > flow.schema.json")]
    Schema,
    /// List the node types, or show one.
    Nodes(NodesArgs),
    /// List, show or remove runs.
    Runs(RunsArgs),
    /// List, show, export, rename, fork or remove conversations.
    Conversations(ConversationsArgs),
    /// Show what model calls used and cost, by day.
    Usage(UsageArgs),
    /// Count the tokens of a text.
    Tokens(TokensArgs),
    /// Set, remove or list the keys of model providers.
    Keys(KeysArgs),
    /// List model providers and what they offer, or test one.
    Providers(ProvidersArgs),
}

#[derive(Debug, Args)]
#[command(after_help = "\
On a terminal, a node that asks a question asks it here: end a line with \\ to go on with the next, press Ctrl+D to end
the pause. Without a terminal, and with no --answer left, the run stays waiting: exit code 3.

Examples:
  plait run hello
  plait run chat-loop --answer \"Hi there\" --answer \"What time is it?\"
  plait run my.flow.json --input \"Some text\" --set summary.style='\"terse\"'
  plait run my.flow.json --to draft --json
  plait run chat-loop --conversation new --answer \"I am Ada\"
  plait run chat-loop --conversation last --answer \"Who am I?\"")]
pub(crate) struct RunArgs {
    /// A flow file, or the id of an example flow.
    pub(crate) flow: String,
    /// Text for the run; nodes read it as the run's input.
    #[arg(long, value_name = "TEXT")]
    pub(crate) input: Option<String>,
    /// A value for an input port that no edge feeds.
    #[arg(long, value_name = "NODE.PORT=JSON", value_parser = parse_set)]
    pub(crate) set: Vec<SetValue>,
    /// Answers for the questions the run asks, in order.
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) answer: Vec<String>,
    /// Run only as far as this node.
    #[arg(long, value_name = "NODE")]
    pub(crate) to: Option<String>,
    /// Go on in a conversation, remembering it: its id, the beginning of it, `last` (the latest with this flow, or a
    /// new one) or `new`. Its id is said on standard error.
    #[arg(long, value_name = "ID")]
    pub(crate) conversation: Option<String>,
    /// Print one event per line and nothing else.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  plait resume last
  plait resume 0197 --answer \"Yes\"
  plait resume last --end")]
pub(crate) struct ResumeArgs {
    /// The run: its id, the beginning of it, or `last`.
    pub(crate) run: String,
    /// Answers for the questions the run asks, in order.
    #[arg(long, value_name = "TEXT", conflicts_with = "end", allow_hyphen_values = true)]
    pub(crate) answer: Vec<String>,
    /// End the pause instead of answering.
    #[arg(long)]
    pub(crate) end: bool,
    /// Print one event per line and nothing else.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  plait cancel last")]
pub(crate) struct CancelArgs {
    /// The run: its id, the beginning of it, or `last`.
    pub(crate) run: String,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  plait check my.flow.json\n  plait check my.flow.json --json | jq '.diagnostics[].code'"
)]
pub(crate) struct CheckArgs {
    /// A flow file, or the id of an example flow.
    pub(crate) flow: String,
    /// Print the findings as JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  plait nodes\n  plait nodes chat\n  plait nodes --json | jq '.[].type'")]
pub(crate) struct NodesArgs {
    /// A node type.
    #[arg(value_name = "TYPE")]
    pub(crate) node_type: Option<String>,
    /// Print the descriptions as JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  plait runs list\n  plait runs show last\n  plait runs rm 0197")]
pub(crate) struct RunsArgs {
    #[command(subcommand)]
    pub(crate) command: RunsCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum RunsCommand {
    /// List runs, newest first, and below each the runs it began.
    List {
        /// Show at most so many.
        #[arg(long, value_name = "N", default_value_t = 20)]
        limit: u32,
        /// Print the runs as JSON.
        #[arg(long)]
        json: bool,
    },
    /// Show what happened in a run.
    Show {
        /// The run: its id, the beginning of it, or `last`.
        run: String,
        /// Print its journal, one event per line.
        #[arg(long)]
        json: bool,
    },
    /// Remove runs and all that belongs to them, the runs they began included.
    Rm {
        /// The runs: ids, beginnings of ids, or `last`.
        #[arg(required = true)]
        run: Vec<String>,
    },
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  plait conversations list --search invoice
  plait conversations export 0197 > talk.md
  plait conversations fork 0197 5")]
pub(crate) struct ConversationsArgs {
    #[command(subcommand)]
    pub(crate) command: ConversationsCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ConversationsCommand {
    /// List conversations, the one that changed last first.
    List {
        /// Only those with this flow: its file, or the id of an example flow.
        #[arg(long, value_name = "FLOW")]
        flow: Option<String>,
        /// Only those in which all these words were said.
        #[arg(long, value_name = "WORDS")]
        search: Option<String>,
        /// Show at most so many.
        #[arg(long, value_name = "N", default_value_t = 20)]
        limit: u32,
        /// Print the conversations as JSON.
        #[arg(long)]
        json: bool,
    },
    /// Show what was said, with the number of each message.
    Show {
        /// The conversation: its id, the beginning of it, or `last`.
        conversation: String,
        /// Print one message per line as JSON.
        #[arg(long)]
        json: bool,
    },
    /// Print a conversation as Markdown or JSON.
    Export {
        /// The conversation: its id, the beginning of it, or `last`.
        conversation: String,
        /// As what.
        #[arg(long, value_enum, default_value_t = Format::Markdown)]
        format: Format,
        /// Write it to this file instead.
        #[arg(long, value_name = "FILE")]
        out: Option<String>,
    },
    /// Give a conversation another title.
    Rename {
        /// The conversation: its id, the beginning of it, or `last`.
        conversation: String,
        /// The title.
        title: String,
    },
    /// Begin another conversation from a message of this one, which stays as it is. Prints the new one's id.
    Fork {
        /// The conversation: its id, the beginning of it, or `last`.
        conversation: String,
        /// The last message of the fork, as `show` numbers them. A question is left out, to be asked anew.
        message: u64,
    },
    /// Delete conversations for good.
    Rm {
        /// The conversations: ids, beginnings of ids, or `last`.
        #[arg(required = true)]
        conversation: Vec<String>,
    },
}

/// What a conversation is exported as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Format {
    /// To read.
    Markdown,
    /// All that is kept of it.
    Json,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  plait tokens --model gpt-4o notes.md\n  git diff | plait tokens --model gpt-4o"
)]
pub(crate) struct TokensArgs {
    /// The model whose tokens to count.
    #[arg(long)]
    pub(crate) model: String,
    /// The file to count; standard input when absent.
    pub(crate) file: Option<PathBuf>,
    /// Print the counts as JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// One `--set`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SetValue {
    pub(crate) node: String,
    pub(crate) port: String,
    pub(crate) value: Value,
}

fn parse_set(text: &str) -> Result<SetValue, String> {
    let (place, json) = text.split_once('=').ok_or("expected NODE.PORT=JSON, with an `=`")?;
    // Ports have no dots in their names, nodes may.
    let (node, port) = place.rsplit_once('.').ok_or("expected NODE.PORT=JSON, with a `.` before the port")?;
    let value = serde_json::from_str(json).map_err(|error| {
        format!("`{json}` is not JSON ({error}); text needs quotes of its own: --set '{place}=\"some text\"'")
    })?;
    Ok(SetValue { node: node.to_owned(), port: port.to_owned(), value })
}

#[cfg(test)]
mod tests;
