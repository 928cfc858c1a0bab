//! `plait schema`: the JSON Schema of flow files.

use std::io::Write as _;

use plait_api::engine::nodes;
use plait_api::flows::flow_schema;

use crate::failure::{Ending, Failure};

pub(crate) fn schema() -> Result<Ending, Failure> {
    writeln!(std::io::stdout(), "{:#}", flow_schema(&nodes::registry()))?;
    Ok(Ending::Finished)
}
