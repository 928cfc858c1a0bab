//! Calls HTTP tools: builds the request from the tool's binding and the arguments, and turns the answer into a value.

mod render;
mod request;
mod response;
mod secrets;

use async_trait::async_trait;
use plait_core::error::Fault;
use plait_core::origin::Origin;
use plait_llm::http_tool::HttpBinding;
use plait_llm::tool::{ToolHost, ToolInvocation, ToolSpec};
use serde::Deserialize as _;
use serde_json::Value;

use super::environment::ToolEnvironment;
use crate::codes;
use crate::net::host_of;
pub(super) use response::{check_status, decode_text};

/// The host of HTTP tools. It has none of its own: flows declare them.
#[derive(Clone)]
pub struct HttpTools(ToolEnvironment);

impl HttpTools {
    /// Requests go through the client of `environment`.
    pub fn new(environment: &ToolEnvironment) -> Self {
        Self(environment.clone())
    }
}

#[async_trait]
impl ToolHost for HttpTools {
    fn list(&self) -> Vec<ToolSpec> {
        Vec::new()
    }

    async fn call(&self, call: ToolInvocation) -> Result<Value, Fault> {
        let binding = HttpBinding::deserialize(&call.tool.binding).map_err(|error| {
            let message = format!("The request of the tool `{}` can't be read: {error}.", call.tool.name);
            Fault::new(codes::TOOLS_BAD_DECLARATION, message)
        })?;
        let mut request = request::build(&binding, &call.tool.name, &call.arguments, &call.context)?;
        secrets::insert(&self.0, &binding, &call.arguments, &mut request).await?;
        call.origins.add(Origin::Host(host_of(&request.url)));
        let response = self.0.client.send(request, &call.grants).await?;
        call.origins.add(Origin::Host(host_of(&response.url)));
        response::to_value(&binding, &response)
    }
}

#[cfg(test)]
mod tests;
