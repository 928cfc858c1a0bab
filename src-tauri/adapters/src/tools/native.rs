//! What a native tool is, and the step from one to what the host calls: its schema, made from its arguments, is both
//! what the model is shown and what calls are checked against.

use futures::future::BoxFuture;
use plait_engine::error::{ErrorCode, Fault};
use plait_engine::tool::{ToolInvocation, ToolSpec};
use schemars::JsonSchema;
use serde::Deserialize as _;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// A native tool. One implementation, one file.
pub(super) trait NativeTool: Send + Sync + 'static {
    /// Its arguments.
    type Arguments: DeserializeOwned + JsonSchema + Send;
    const NAME: &'static str;
    /// What it does, for the model.
    const DESCRIPTION: &'static str;

    /// Carries out a call. `folder` is that of the flow's file.
    fn call(
        &self,
        arguments: Self::Arguments,
        folder: Option<String>,
    ) -> impl Future<Output = Result<Value, Fault>> + Send;
}

type Call = dyn Fn(ToolInvocation) -> BoxFuture<'static, Result<Value, Fault>> + Send + Sync;

/// A tool as the host holds it.
pub(super) struct Registered {
    pub(super) spec: ToolSpec,
    /// None if the schema were no schema; a test keeps that from happening, and reading the arguments checks them anyway.
    schema: Option<jsonschema::Validator>,
    call: Box<Call>,
}

impl Registered {
    pub(super) fn new<T: NativeTool>(tool: T) -> Self {
        let mut parameters = schemars::schema_for!(T::Arguments).to_value();
        if let Some(schema) = parameters.as_object_mut() {
            // For people and validators; to a model they are tokens that say nothing.
            schema.remove("$schema");
            schema.remove("title");
        }
        let schema = jsonschema::validator_for(&parameters).ok();
        let tool = std::sync::Arc::new(tool);
        let call = move |call: ToolInvocation| -> BoxFuture<'static, _> {
            let tool = std::sync::Arc::clone(&tool);
            Box::pin(async move {
                let arguments = T::Arguments::deserialize(&call.arguments)
                    .map_err(|error| bad_arguments(T::NAME, &[error.to_string()]))?;
                tool.call(arguments, call.folder).await
            })
        };
        Self {
            spec: ToolSpec {
                name: T::NAME.to_owned(),
                description: T::DESCRIPTION.to_owned(),
                parameters,
                source: "native".to_owned(),
                instructions: None,
            },
            schema,
            call: Box::new(call),
        }
    }

    /// Checks arguments against the schema. Fault `tool.bad_arguments`, naming each thing that is wrong.
    pub(super) fn check(&self, arguments: &Value) -> Result<(), Fault> {
        let Some(schema) = &self.schema else { return Ok(()) };
        let problems: Vec<String> = schema
            .iter_errors(arguments)
            .map(|error| match error.instance_path().to_string() {
                at if at.is_empty() => error.to_string(),
                at => format!("{error} (at {at})"),
            })
            .collect();
        if problems.is_empty() { Ok(()) } else { Err(bad_arguments(&self.spec.name, &problems)) }
    }

    pub(super) fn call(&self, call: ToolInvocation) -> BoxFuture<'static, Result<Value, Fault>> {
        (self.call)(call)
    }

    #[cfg(test)]
    pub(super) fn has_schema(&self) -> bool {
        self.schema.is_some()
    }
}

/// The fault for arguments a tool does not take.
pub(super) fn bad_arguments(tool: &str, problems: &[String]) -> Fault {
    Fault::new(
        ErrorCode::ToolBadArguments,
        format!("The arguments of `{tool}` are wrong: {}.", problems.join("; ")),
    )
    .hint("Call it again with arguments that follow its schema.")
}
