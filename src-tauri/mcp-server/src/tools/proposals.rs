use crate::server::PlaitServer;
use rmcp::handler::server::router::tool::ToolRouter;
impl PlaitServer {
    pub(crate) fn proposal_tools() -> ToolRouter<Self> {
        ToolRouter::new()
    }
}
