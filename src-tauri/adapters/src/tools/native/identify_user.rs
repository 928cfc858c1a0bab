//! `identify_user`: the user of the run. A model can ask for it and cannot change it.

use plait_core::error::Fault;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::tool::{CallContext, NativeTool};

pub(super) struct IdentifyUser;

/// The arguments of `identify_user`: none.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Arguments {}

impl NativeTool for IdentifyUser {
    type Arguments = Arguments;
    const NAME: &'static str = "identify_user";
    const DESCRIPTION: &'static str = "Returns the name of the user whom this conversation belongs to.";

    async fn call(&self, _: Arguments, context: CallContext) -> Result<Value, Fault> {
        Ok(json!({ "user": context.site.user }))
    }
}
