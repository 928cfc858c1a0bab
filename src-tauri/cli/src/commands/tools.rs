//! `plait tools`: what tools may reach and send: hosts that are not public, and secrets for headers of HTTP tools.

use std::io::Write as _;

use clap::{Args, Subcommand};
use plait_api::settings::{GetSettings, SetSettings};
use plait_api::{Connection, ErrorReply, ToolSecret};

use crate::codes;
use crate::exit::{CliError, ExitStatus};
use crate::format::to_json;
use crate::open_app::{self, Home};
use crate::terminal::{print_error, stdout};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  plait tools hosts add localhost:8080
  plait tools secrets set GITHUB https://api.github.com GITHUB_TOKEN")]
pub(crate) struct ToolsArgs {
    #[command(subcommand)]
    command: ToolsCommand,
}

#[derive(Debug, Subcommand)]
enum ToolsCommand {
    /// List, add or remove hosts that tools may reach although their addresses are not public.
    Hosts(HostsArgs),
    /// List, set or remove secrets that headers of HTTP tools may name.
    Secrets(SecretsArgs),
}

#[derive(Debug, Args)]
#[command(after_help = "\
Tools reach public addresses only: a flow or a model could choose an address of this machine or its network. Grants for hosts hold \
besides.

Examples:
  plait tools hosts list
  plait tools hosts add localhost:8080 192.168.0.10
  plait tools hosts rm localhost:8080")]
struct HostsArgs {
    #[command(subcommand)]
    command: HostsCommand,
}

#[derive(Debug, Subcommand)]
enum HostsCommand {
    /// List the hosts.
    List(ListArgs),
    /// Add hosts.
    Add(HostNames),
    /// Remove hosts.
    #[command(name = "rm", alias = "remove")]
    Remove(HostNames),
}

#[derive(Debug, Args)]
struct HostNames {
    /// Hosts as `NAME` or `NAME:PORT`; without a port, all ports.
    #[arg(required = true, value_name = "HOST")]
    hosts: Vec<String>,
}

#[derive(Debug, Args)]
#[command(after_help = "\
A header of an HTTP tool names a secret as `${NAME}`. It is sent to its origin only, and read from the environment when it is sent: \
the settings hold the name of the variable, never the secret.

Examples:
  plait tools secrets list
  plait tools secrets set GITHUB https://api.github.com GITHUB_TOKEN
  plait tools secrets rm GITHUB")]
struct SecretsArgs {
    #[command(subcommand)]
    command: SecretsCommand,
}

#[derive(Debug, Subcommand)]
enum SecretsCommand {
    /// List the secrets: where each may be sent, and the variable that holds it.
    List(ListArgs),
    /// Set where a secret may be sent and which variable holds it.
    Set(SetSecretArgs),
    /// Remove secrets.
    #[command(name = "rm", alias = "remove")]
    Remove(RemoveSecretsArgs),
}

#[derive(Debug, Args)]
struct ListArgs {
    /// Print as JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
struct SetSecretArgs {
    /// Name of the secret, in letters, digits and `_`.
    name: String,
    /// Scheme, host and port that it may be sent to, like `https://api.github.com`.
    origin: String,
    /// Environment variables that may hold it, separated by commas. Without any, the stored key of the provider with this name and
    /// origin is sent.
    variable: Option<String>,
}

#[derive(Debug, Args)]
struct RemoveSecretsArgs {
    /// Names of secrets.
    #[arg(required = true)]
    names: Vec<String>,
}

pub(crate) async fn execute(home: &Home, args: ToolsArgs) -> Result<ExitStatus, CliError> {
    let app = open_app::for_writing(home).await?;
    let result = match args.command {
        ToolsCommand::Hosts(HostsArgs { command }) => match command {
            HostsCommand::List(args) => list_hosts(&app, &args).await,
            HostsCommand::Add(names) => add_hosts(&app, names.hosts).await,
            HostsCommand::Remove(names) => remove_hosts(&app, &names.hosts).await,
        },
        ToolsCommand::Secrets(SecretsArgs { command }) => match command {
            SecretsCommand::List(args) => list_secrets(&app, &args).await,
            SecretsCommand::Set(args) => set_secret(&app, args).await,
            SecretsCommand::Remove(args) => remove_secrets(&app, &args.names).await,
        },
    };
    app.close().await?;
    result.map(|()| ExitStatus::Success)
}

async fn list_hosts(app: &Connection, args: &ListArgs) -> Result<(), CliError> {
    let hosts = app.call(GetSettings {}).await?.tools.allowed_hosts;
    let mut out = stdout();
    if args.json {
        writeln!(out, "{}", to_json(&hosts)?)?;
        return Ok(());
    }
    if hosts.is_empty() {
        print_error("Tools may reach public addresses only.\n");
    }
    hosts.iter().try_for_each(|host| writeln!(out, "{host}"))?;
    Ok(())
}

async fn add_hosts(app: &Connection, hosts: Vec<String>) -> Result<(), CliError> {
    let mut settings = app.call(GetSettings {}).await?;
    let allowed = &mut settings.tools.allowed_hosts;
    for host in &hosts {
        if !allowed.contains(host) {
            allowed.push(host.clone());
        }
    }
    app.call(SetSettings { settings }).await?;
    hosts.iter().try_for_each(|host| writeln!(stdout(), "Tools may reach {host}."))?;
    Ok(())
}

async fn remove_hosts(app: &Connection, hosts: &[String]) -> Result<(), CliError> {
    let mut settings = app.call(GetSettings {}).await?;
    let allowed = &mut settings.tools.allowed_hosts;
    for host in hosts {
        if !allowed.contains(host) {
            return Err(unknown("host", host, "plait tools hosts list"));
        }
        allowed.retain(|one| one != host);
    }
    app.call(SetSettings { settings }).await?;
    hosts.iter().try_for_each(|host| writeln!(stdout(), "Removed {host}."))?;
    Ok(())
}

async fn list_secrets(app: &Connection, args: &ListArgs) -> Result<(), CliError> {
    let secrets = app.call(GetSettings {}).await?.tools.secrets;
    let mut out = stdout();
    if args.json {
        writeln!(out, "{}", to_json(&secrets)?)?;
        return Ok(());
    }
    if secrets.is_empty() {
        print_error("There are no secrets for tools.\n");
    }
    for (name, ToolSecret { origin, variable }) in &secrets {
        match variable {
            Some(variable) => writeln!(out, "{name}  from {variable}, to {origin}")?,
            None => writeln!(out, "{name}  the key of the provider, to {origin}")?,
        }
    }
    Ok(())
}

async fn set_secret(app: &Connection, args: SetSecretArgs) -> Result<(), CliError> {
    let SetSecretArgs { name, origin, variable } = args;
    let mut settings = app.call(GetSettings {}).await?;
    settings.tools.secrets.insert(name.clone(), ToolSecret { origin: origin.clone(), variable });
    app.call(SetSettings { settings }).await?;
    writeln!(stdout(), "Headers of HTTP tools may send ${{{name}}} to {origin}.")?;
    Ok(())
}

async fn remove_secrets(app: &Connection, names: &[String]) -> Result<(), CliError> {
    let mut settings = app.call(GetSettings {}).await?;
    for name in names {
        if settings.tools.secrets.remove(name).is_none() {
            return Err(unknown("secret", name, "plait tools secrets list"));
        }
    }
    app.call(SetSettings { settings }).await?;
    names.iter().try_for_each(|name| writeln!(stdout(), "Removed {name}."))?;
    Ok(())
}

fn unknown(what: &str, name: &str, list: &str) -> CliError {
    let message = format!("There is no {what} `{name}`.");
    ErrorReply::new(codes::SETTINGS_BAD_VALUE, message).hint(format!("`{list}` shows them.")).into()
}
