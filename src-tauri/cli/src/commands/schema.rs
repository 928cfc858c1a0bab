//! `plait schema`.

use std::io::Write as _;

use plait_api::engine::nodes;
use plait_api::flows::flow_schema;

use crate::exit::{CliError, ExitStatus};
use crate::terminal::stdout;

pub(crate) fn execute() -> Result<ExitStatus, CliError> {
    writeln!(stdout(), "{:#}", flow_schema(&nodes::registry()))?;
    Ok(ExitStatus::Success)
}
