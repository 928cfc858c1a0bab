//! `plait mcp serve`.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use clap::{Args, ValueEnum};
use plait_api::ErrorReply;
use plait_mcp_server::{HttpServer, PlaitServer, ServeOptions, ServedFlow, nano_usd};

use crate::codes;
use crate::ctrl_c::CtrlC;
use crate::exit::{CliError, ExitStatus};
use crate::flow_source::FlowSource;
use crate::open_app::{self, Home};
use crate::terminal::print_error;

#[derive(Debug, Args)]
#[command(after_help = "\
The client starts the command and speaks MCP over its standard input and output. With `--http`, the server listens on this machine \
instead, and prints its address and the token that clients send. By default agents read: flows, recorded runs, what models received, \
where texts come from. They never give grants, approve tool calls or see keys. Runs that an agent began are interrupted when its client \
ends; `plait resume` goes on with them.

Examples:
  plait mcp serve
  plait mcp serve --allow run --spend 1.00
  plait mcp serve --allow propose
  plait mcp serve --flow summarize.flow.json
  plait mcp serve --http")]
pub(super) struct ServeArgs {
    /// What agents may do beside reading: `run` flows, within `--spend`; `propose` edits of flows, which you accept or drop. Several are
    /// separated by commas.
    #[arg(long, value_enum, value_name = "WHAT", value_delimiter = ',')]
    allow: Vec<Allowed>,
    /// What the runs that agents begin may cost together, in US dollars, until this command ends.
    #[arg(long, value_name = "USD", value_parser = parse_usd, required_if_eq("allow", "run"))]
    spend: Option<f64>,
    /// Serve only this flow, as one tool: its input and the answers to its questions are the arguments. It runs with the grants that you
    /// gave it before.
    #[arg(long, value_name = "FILE", conflicts_with = "allow")]
    flow: Option<OsString>,
    /// Listen on 127.0.0.1 instead, at this port or at one that the system chooses.
    #[arg(long, value_name = "PORT", num_args = 0..=1, default_missing_value = "0")]
    http: Option<u16>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Allowed {
    Run,
    Propose,
}

fn parse_usd(text: &str) -> Result<f64, String> {
    let usd: f64 = text.parse().map_err(|_| "expected an amount, such as 1.00".to_owned())?;
    if usd.is_finite() && usd > 0.0 { Ok(usd) } else { Err("expected an amount above 0".to_owned()) }
}

/// Reads the flow to serve. Whether it can run is said when it is called: what it needs may be installed meanwhile.
fn served_flow(name: &OsStr, is_limited: bool) -> Result<ServedFlow, CliError> {
    let source = FlowSource::load(name)?;
    let stem = Path::new(name).file_name().unwrap_or(name).to_string_lossy();
    let name = stem.split('.').next().unwrap_or_default().to_owned();
    let path = source.path_text();
    Ok(ServedFlow { flow: source.into_flow(), path, name, is_limited })
}

pub(super) async fn execute(home: &Home, args: ServeArgs) -> Result<ExitStatus, CliError> {
    let flow = match &args.flow {
        Some(name) => Some(served_flow(name, args.spend.is_some())?),
        None => None,
    };
    if args.spend.is_some() && !args.allow.contains(&Allowed::Run) && flow.is_none() {
        let message = "`--spend` limits what runs cost, and agents may run nothing here.";
        return Err(ErrorReply::new(codes::USAGE_INPUT, message)
            .hint("Add `--allow run` or `--flow FILE`.")
            .into());
    }
    let opened_home = home.clone();
    let server = PlaitServer::new(ServeOptions {
        opening: Box::new(move || open_app::serving(&opened_home)),
        spend_nano_usd: args.spend.map(nano_usd),
        proposes: args.allow.contains(&Allowed::Propose),
        flow,
    });
    match args.http {
        None => server.serve_stdio().await?,
        Some(port) => {
            let server = HttpServer::listen(server, port).await?;
            print_error(&format!(
                "Serving MCP at {}\nClients send: Authorization: Bearer {}\nCtrl+C ends it.\n",
                server.url(),
                server.token()
            ));
            let mut ctrl_c = CtrlC::listen()?;
            server.serve(async move { ctrl_c.pressed().await }).await?;
        }
    }
    Ok(ExitStatus::Success)
}
