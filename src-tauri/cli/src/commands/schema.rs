//! `plait schema`.

use std::io::Write as _;

use clap::Args;
use plait_api::flows::flow_schema;
use plait_formats::pipeline;

use crate::exit::{CliError, ExitStatus};
use crate::terminal::stdout;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  plait schema > flow.schema.json
  plait schema --pipeline > pipeline.schema.json

An editor with a YAML language server checks a pipeline whose first line is
  # yaml-language-server: $schema=pipeline.schema.json")]
pub(crate) struct SchemaArgs {
    /// The schema of pipelines, in YAML.
    #[arg(long)]
    pipeline: bool,
}

pub(crate) fn execute(args: &SchemaArgs) -> Result<ExitStatus, CliError> {
    let schema = if args.pipeline { pipeline::schema() } else { flow_schema(&plait_nodes::registry()) };
    writeln!(stdout(), "{schema:#}")?;
    Ok(ExitStatus::Success)
}
