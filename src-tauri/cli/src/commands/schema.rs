//! `plait schema`.

use std::io::Write as _;

use clap::Args;
use plait_api::flows::flow_schema;
use plait_api::suites::suite_schema;
use plait_formats::pipeline;

use crate::exit::{CliError, ExitStatus};
use crate::terminal::stdout;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  plait schema > flow.schema.json
  plait schema --pipeline > pipeline.schema.json
  plait schema --suite > suite.schema.json

An editor with a YAML language server checks a pipeline whose first line is
  # yaml-language-server: $schema=pipeline.schema.json")]
pub(crate) struct SchemaArgs {
    /// The schema of pipelines, in YAML.
    #[arg(long)]
    pipeline: bool,
    /// The schema of suites of flow tests.
    #[arg(long, conflicts_with = "pipeline")]
    suite: bool,
}

pub(crate) fn execute(args: &SchemaArgs) -> Result<ExitStatus, CliError> {
    let schema = match args {
        SchemaArgs { pipeline: true, .. } => pipeline::schema(),
        SchemaArgs { suite: true, .. } => suite_schema(),
        _ => flow_schema(&plait_nodes::registry()),
    };
    writeln!(stdout(), "{schema:#}")?;
    Ok(ExitStatus::Success)
}
