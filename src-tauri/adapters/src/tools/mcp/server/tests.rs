use plait_core::error::ErrorCode;

use super::*;
use crate::codes;
use crate::tools::mcp::entry::McpTransport;

fn server() -> Server {
    let transport = McpTransport::Stdio {
        command: "x".into(),
        args: Vec::new(),
        env: std::collections::BTreeMap::default(),
        cwd: None,
    };
    Server::new("broken", McpEntry { transport, send_context: false })
}

async fn attempt(server: &Server) -> ErrorCode {
    let fault = Fault::new(codes::MCP_CANNOT_START, "No such program.");
    server.connection(async { Err(fault) }).await.map(|_| ()).expect_err("fails").code
}

#[tokio::test(start_paused = true)]
async fn server_that_keeps_failing_is_left_alone_for_a_while() {
    let server = server();
    let start = Instant::now();
    for _ in 0..MAX_FAILURES {
        assert_eq!(attempt(&server).await, codes::MCP_CANNOT_START);
    }
    assert_eq!(start.elapsed(), FIRST_RETRY_DELAY * (1 + 2 + 4 + 8), "it waits longer each time");
    assert_eq!(attempt(&server).await, codes::MCP_BACKING_OFF);
    assert_eq!(server.phase(), McpServerPhase::Failed);
    tokio::time::sleep(COOL_DOWN).await;
    assert_eq!(attempt(&server).await, codes::MCP_CANNOT_START, "it is tried again");
    assert_eq!(attempt(&server).await, codes::MCP_BACKING_OFF);
    server.forgive().await;
    assert_eq!(attempt(&server).await, codes::MCP_CANNOT_START, "the person wants another attempt");
}

#[tokio::test(start_paused = true)]
async fn abandoned_start_leaves_the_server_idle() {
    let server = server();
    let start = server.connection(std::future::pending());
    let look = async {
        tokio::time::sleep(Duration::from_secs(12)).await;
        assert_eq!(
            (server.phase(), server.starting_for()),
            (McpServerPhase::Starting, Some(Duration::from_secs(12)))
        );
    };
    let start = tokio::time::timeout(Duration::from_secs(13), start);
    assert!(tokio::join!(start, look).0.is_err());
    assert_eq!(server.starting_for(), None);
    assert_eq!(server.phase(), McpServerPhase::Idle);
}
