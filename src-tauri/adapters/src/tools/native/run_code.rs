//! `run_code`: a JavaScript program in a worker process that can reach nothing.

use plait_core::error::Fault;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::tool::{CallContext, NativeTool};
use crate::tools::environment::ToolEnvironment;
use crate::workers::{Job, Program};

pub(super) struct RunCode(pub(super) ToolEnvironment);

/// The arguments of `run_code`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Arguments {
    /// JavaScript: the body of a function with the parameter `input`. It must `return` its result, a JSON value.
    code: String,
    /// The value of `input`.
    #[serde(default)]
    input: Value,
}

impl NativeTool for RunCode {
    type Arguments = Arguments;
    const NAME: &'static str = "run_code";
    const DESCRIPTION: &'static str = "Runs a JavaScript program in a sandbox without files, network and modules, for at most \
        5 seconds. Returns an object: `result` is what the program returned, `log` the lines it wrote with console.log.";

    async fn call(&self, arguments: Arguments, _: CallContext) -> Result<Value, Fault> {
        let Arguments { code, input } = arguments;
        self.0.execute(Job::RunProgram(Program { code, input })).await
    }
}
