//! The native tool trait, and the adapter that makes a tool callable by the host. A tool's schema is derived from its
//! arguments type; models receive it, and calls are validated against it.

use std::sync::Arc;

use futures::future::BoxFuture;
use plait_core::error::Fault;
use plait_core::flow::FolderAccess;
use plait_llm::grant::CallGrants;
use plait_llm::long_term_memory::MemoryStore;
use plait_llm::tool::{CallSite, OriginSink, ToolContext, ToolEffect, ToolInvocation, ToolSpec};
use schemars::JsonSchema;
use serde::Deserialize as _;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::tools::bad_arguments::bad_arguments;

/// The environment of a native tool's call, besides its arguments.
pub(super) struct CallContext {
    /// The folder of the flow's file. None for a flow that was never saved.
    pub(super) folder: Option<String>,
    /// The folders that the flow declares.
    pub(super) folders: Arc<[FolderAccess]>,
    /// For whom the tool is called, and from where.
    pub(super) site: Arc<CallSite>,
    /// What the run remembers of its user.
    pub(super) memories: Arc<dyn MemoryStore>,
    /// The grants of the call.
    pub(super) grants: CallGrants,
    /// The conversation that the tool is called from. Only tools of tests use it.
    #[cfg_attr(not(test), expect(dead_code, reason = "the contract of native tools"))]
    pub(super) conversation: Arc<ToolContext>,
    /// Receives where the result comes from.
    pub(super) origins: OriginSink,
}

impl CallContext {
    fn of(call: &ToolInvocation) -> Self {
        Self {
            folder: call.folder.clone(),
            folders: Arc::clone(&call.folders),
            site: Arc::clone(&call.site),
            memories: Arc::clone(&call.memories),
            grants: call.grants.clone(),
            conversation: Arc::clone(&call.context),
            origins: call.origins.clone(),
        }
    }
}

/// A native tool. Each implementation has its own file.
pub(super) trait NativeTool: Send + Sync + 'static {
    type Arguments: DeserializeOwned + JsonSchema + Send;
    const NAME: &'static str;
    /// The description for the model.
    const DESCRIPTION: &'static str;

    /// The effect of a call outside of the run.
    const EFFECT: ToolEffect = ToolEffect::Read;

    /// Executes a call.
    fn call(
        &self,
        arguments: Self::Arguments,
        context: CallContext,
    ) -> impl Future<Output = Result<Value, Fault>> + Send;
}

type Call = dyn Fn(ToolInvocation) -> BoxFuture<'static, Result<Value, Fault>> + Send + Sync;

/// A tool as the host stores it.
pub(super) struct RegisteredTool {
    pub(super) spec: ToolSpec,
    /// None if the schema is invalid. A test rules that out, and deserializing the arguments checks them anyway.
    schema: Option<jsonschema::Validator>,
    call: Box<Call>,
}

impl RegisteredTool {
    pub(super) fn new<T: NativeTool>(tool: T) -> Self {
        let mut parameters = schemars::schema_for!(T::Arguments).to_value();
        if let Some(schema) = parameters.as_object_mut() {
            // Of no use to a model, and they cost tokens.
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
                tool.call(arguments, CallContext::of(&call)).await
            })
        };
        let mut spec = ToolSpec::new(T::NAME, T::DESCRIPTION, parameters, "native");
        spec.effect = T::EFFECT;
        Self { spec, schema, call: Box::new(call) }
    }

    /// Validates arguments against the schema. Fault `tool.bad_arguments`, which lists every error.
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
