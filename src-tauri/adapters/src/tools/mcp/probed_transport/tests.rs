use rmcp::model::ClientConfig;
use rmcp::service::{ClientLifecycleMode, RunningService, serve_client_with_lifecycle};
use rmcp::transport::async_rw::AsyncRwTransport;
use serde_json::{Value, json};
use tokio::io::{
    AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf,
};

use super::*;

/// A server on a pipe, played by a test.
struct Server {
    received: Lines<BufReader<ReadHalf<DuplexStream>>>,
    answers: WriteHalf<DuplexStream>,
}

impl Server {
    /// The next message, of this method.
    async fn receive(&mut self, method: &str) -> Value {
        let line = self.received.next_line().await.expect("a line").expect("it is open");
        let message: Value = serde_json::from_str(&line).expect("JSON");
        assert_eq!(message["method"], method, "{message}");
        message["id"].clone()
    }

    async fn answer(&mut self, id: Value, body: Value) {
        let mut message = json!({ "jsonrpc": "2.0", "id": id });
        message.as_object_mut().expect("an object").extend(body.as_object().expect("an object").clone());
        self.answers.write_all(format!("{message}\n").as_bytes()).await.expect("it is open");
    }
}

type Connected = Result<RunningService<RoleClient, ClientConfig>, rmcp::service::ClientInitializeError>;

/// A client that connects to a server on a pipe.
fn connect() -> (impl Future<Output = Connected>, Server) {
    let (here, there) = tokio::io::duplex(1 << 16);
    let (read, write) = tokio::io::split(here);
    let transport = ProbedTransport::new(AsyncRwTransport::new_client(read, write));
    let lifecycle = ClientLifecycleMode::Auto {
        preferred_versions: vec![ProtocolVersion::LATEST],
        legacy_version: Some(ProtocolVersion::LATEST_WITH_INITIALIZE),
    };
    let (received, answers) = tokio::io::split(there);
    let server = Server { received: BufReader::new(received).lines(), answers };
    (serve_client_with_lifecycle(ClientConfig::default(), transport, lifecycle), server)
}

fn unknown_method() -> Value {
    json!({ "error": { "code": -32601, "message": "Method not found" } })
}

fn initialized() -> Value {
    json!({ "result": {
        "protocolVersion": ProtocolVersion::LATEST_WITH_INITIALIZE.to_string(),
        "capabilities": { "tools": {} },
        "serverInfo": { "name": "s", "version": "1" },
    } })
}

fn discovered() -> Value {
    json!({ "result": {
        "resultType": "complete",
        "supportedVersions": [ProtocolVersion::LATEST.to_string()],
        "capabilities": { "tools": {} },
        "ttlMs": 0,
        "cacheScope": "private",
    } })
}

fn version(connected: &Connected) -> String {
    let service = connected.as_ref().expect("connected");
    service.peer().peer_info().expect("greeted").protocol_version.to_string()
}

#[tokio::test(start_paused = true)]
async fn server_that_starts_late_finds_both_requests() {
    let (client, mut server) = connect();
    let serve = async {
        tokio::time::sleep(Duration::from_secs(45)).await;
        let probe = server.receive("server/discover").await;
        server.answer(probe, unknown_method()).await;
        let initialize = server.receive("initialize").await;
        server.answer(initialize, initialized()).await;
        server.receive("notifications/initialized").await;
    };
    let (connected, ()) = tokio::join!(client, serve);
    assert_eq!(version(&connected), ProtocolVersion::LATEST_WITH_INITIALIZE.to_string());
}

#[tokio::test(start_paused = true)]
async fn server_that_ignores_the_probe_is_greeted_after_a_moment() {
    let (client, mut server) = connect();
    let start = Instant::now();
    let serve = async {
        server.receive("server/discover").await;
        let initialize = server.receive("initialize").await;
        // An error without an id may be about the probe.
        server.answer(Value::Null, unknown_method()).await;
        server.answer(initialize.to_string().into(), initialized()).await;
    };
    let (connected, ()) = tokio::join!(client, serve);
    assert_eq!(version(&connected), ProtocolVersion::LATEST_WITH_INITIALIZE.to_string());
    assert_eq!(start.elapsed(), PROBE_TIMEOUT);
}

#[tokio::test(start_paused = true)]
async fn server_that_answers_the_probe_is_not_initialized() {
    let (client, mut server) = connect();
    let serve = async {
        let probe = server.receive("server/discover").await;
        server.answer(probe, discovered()).await;
    };
    let (connected, ()) = tokio::join!(client, serve);
    assert_eq!(version(&connected), ProtocolVersion::LATEST.to_string());
}

#[tokio::test(start_paused = true)]
async fn late_server_that_knows_only_the_probe_is_used_as_it_answered_it() {
    let (client, mut server) = connect();
    let serve = async {
        tokio::time::sleep(Duration::from_secs(12)).await;
        let probe = server.receive("server/discover").await;
        server.answer(probe, discovered()).await;
        let initialize = server.receive("initialize").await;
        server.answer(initialize, unknown_method()).await;
    };
    let (connected, ()) = tokio::join!(client, serve);
    assert_eq!(version(&connected), ProtocolVersion::LATEST.to_string());
    let peer = connected.as_ref().expect("connected").peer().clone();
    let list = tokio::spawn(async move { peer.list_tools(None).await });
    server.receive("tools/list").await;
    list.abort();
}

#[tokio::test(start_paused = true)]
async fn refused_handshake_is_a_fault() {
    let (client, mut server) = connect();
    let serve = async {
        server.receive("server/discover").await;
        let initialize = server.receive("initialize").await;
        server.answer(initialize, unknown_method()).await;
    };
    let (connected, ()) = tokio::join!(client, serve);
    assert!(connected.is_err());
}
