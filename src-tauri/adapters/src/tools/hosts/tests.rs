use futures::executor::block_on;
use serde_json::json;

use super::*;
use crate::codes;

/// Answers each call with its own name, and lists one tool.
struct Named(&'static str);

#[async_trait]
impl ToolHost for Named {
    fn list(&self) -> Vec<ToolSpec> {
        vec![ToolSpec::new(self.0, "", json!({}), self.0)]
    }

    async fn list_server(&self, server: &str) -> Result<Vec<ToolSpec>, Fault> {
        Ok(vec![ToolSpec::new(server, "", json!({}), format!("{}:{server}", self.0))])
    }

    async fn call(&self, _: ToolInvocation) -> Result<Value, Fault> {
        Ok(self.0.into())
    }
}

fn hosts() -> ToolHosts {
    ToolHosts::default().with("native", Arc::new(Named("native"))).with(MCP, Arc::new(Named(MCP)))
}

fn call(source: &str) -> Result<Value, Fault> {
    block_on(hosts().call(ToolInvocation::new(ToolSpec::new("tool", "", json!({}), source), json!({}))))
}

#[test]
fn hosts_route_by_the_kind_of_source() {
    assert_eq!(call("native").expect("native"), json!("native"));
    assert_eq!(call("mcp:files").expect("mcp"), json!("mcp"));
    let fault = call("mcpx:files").expect_err("no such host");
    assert_eq!(fault.code, codes::TOOL_UNKNOWN);
    assert!(fault.message.contains("`mcpx:files`"), "{}", fault.message);
}

#[test]
fn hosts_list_all_tools_by_name_and_ask_the_mcp_host_for_servers() {
    let names: Vec<_> = hosts().list().into_iter().map(|tool| tool.name).collect();
    assert_eq!(names, ["mcp", "native"]);
    let tools = block_on(hosts().list_server("files")).expect("tools");
    assert_eq!((tools[0].name.as_str(), tools[0].source.as_str()), ("files", "mcp:files"));
    let none = block_on(ToolHosts::default().list_server("files")).expect_err("no MCP host");
    assert_eq!(none.code, codes::MCP_UNKNOWN_SERVER);
}
