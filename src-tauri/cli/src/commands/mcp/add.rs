//! `plait mcp add`.

use std::io::{Read as _, Write as _};
use std::path::PathBuf;

use clap::Args;
use plait_api::mcp::AddMcpServers;
use plait_api::{Connection, ErrorReply};
use serde_json::json;

use crate::codes;
use crate::exit::{CliError, ExitStatus};
use crate::terminal::stdout;

const MAX_JSON_BYTES: u64 = 1 << 20;

#[derive(Debug, Args)]
#[command(after_help = "\
Secrets belong into `env` or `headers` of a JSON file: they go to the key store. On the command line, name a variable of \
the environment instead, in single quotes: --header 'Authorization=Bearer ${TOKEN}'")]
pub(super) struct AddArgs {
    /// Name of the server. Needed unless the JSON has names.
    name: Option<String>,
    /// Read the servers from a JSON file, as other clients have it, or from standard input (`-`).
    #[arg(long, value_name = "FILE", conflicts_with_all = ["url", "command"])]
    json: Option<PathBuf>,
    /// URL of a server that speaks streamable HTTP.
    #[arg(long, conflicts_with = "command")]
    url: Option<String>,
    /// Header for the server at the URL, for example `'Authorization=Bearer ${TOKEN}'`.
    #[arg(long = "header", value_name = "NAME=VALUE", requires = "url", value_parser = name_and_value)]
    headers: Vec<(String, String)>,
    /// Variable for the server's process.
    #[arg(long = "env", value_name = "NAME=VALUE", conflicts_with_all = ["url", "json"], value_parser = name_and_value)]
    env: Vec<(String, String)>,
    /// Replace servers of the same name.
    #[arg(long)]
    replace: bool,
    /// Command that starts the server, with its arguments, after `--`.
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<String>,
}

fn name_and_value(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("write it as NAME=VALUE")?;
    Ok((name.to_owned(), value.to_owned()))
}

pub(super) async fn execute(app: &Connection, args: AddArgs) -> Result<ExitStatus, CliError> {
    let AddArgs { name, json, url, headers, env, replace, command } = args;
    let document = match (json, url, command.split_first()) {
        (Some(path), _, _) => read(&path)?,
        (None, Some(url), _) => json!({ "url": url, "headers": table(headers) }).to_string(),
        (None, None, Some((program, args))) => {
            json!({ "command": program, "args": args, "env": table(env) }).to_string()
        }
        (None, None, None) => {
            return Err(ErrorReply::new(codes::MCP_ENTRY_INVALID, "There is no server to add.")
                .hint("Give a command after `--`, a `--url`, or a `--json` file.")
                .into());
        }
    };
    let report = app.call(AddMcpServers { json: document, name, replace }).await?;
    let mut out = stdout();
    for name in &report.added {
        writeln!(out, "Added {name}. Test it with `plait mcp test {name}`.")?;
    }
    if !report.secrets.is_empty() {
        writeln!(out, "In the key store: {}.", report.secrets.join(", "))?;
    }
    if !report.ignored.is_empty() {
        writeln!(out, "Not used by Plait: {}.", report.ignored.join(", "))?;
    }
    Ok(ExitStatus::Success)
}

fn table(values: Vec<(String, String)>) -> serde_json::Map<String, serde_json::Value> {
    values.into_iter().map(|(name, value)| (name, value.into())).collect()
}

fn read(path: &std::path::Path) -> Result<String, CliError> {
    let mut text = String::new();
    let read = if path.as_os_str() == "-" {
        std::io::stdin().lock().take(MAX_JSON_BYTES + 1).read_to_string(&mut text)
    } else {
        std::fs::File::open(path).and_then(|file| file.take(MAX_JSON_BYTES + 1).read_to_string(&mut text))
    };
    read.map_err(|error| {
        let message = format!("`{}` cannot be read: {error}.", path.display());
        CliError::from(ErrorReply::new(codes::MCP_ENTRY_INVALID, message))
    })?;
    Ok(text)
}
