//! The server over HTTP, on this machine only, for clients with the token.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse as _, Response};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use plait_api::ErrorReply;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use subtle::ConstantTimeEq as _;
use tokio::net::TcpListener;

use crate::codes;
use crate::server::PlaitServer;

/// The bytes of a token. 32 random bytes can't be guessed.
const TOKEN_BYTES: usize = 32;
/// The path that clients post to.
const PATH: &str = "/mcp";

/// A server that listens.
pub struct HttpServer {
    server: PlaitServer,
    listener: TcpListener,
    address: SocketAddr,
    token: Arc<str>,
}

impl HttpServer {
    /// Listens on 127.0.0.1; port 0 lets the system choose one. `agent.address`.
    pub async fn listen(server: PlaitServer, port: u16) -> Result<Self, ErrorReply> {
        let cannot = |error: std::io::Error| {
            let message = format!("The server cannot listen on 127.0.0.1:{port}: {error}.");
            ErrorReply::new(codes::AGENT_ADDRESS, message).hint("Choose another port with `--http PORT`.")
        };
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await.map_err(cannot)?;
        let address = listener.local_addr().map_err(cannot)?;
        let mut bytes = [0; TOKEN_BYTES];
        getrandom::fill(&mut bytes).map_err(|error| {
            ErrorReply::new(codes::AGENT_ADDRESS, format!("The system gives no random numbers: {error}."))
        })?;
        let token = URL_SAFE_NO_PAD.encode(bytes).into();
        Ok(Self { server, listener, address, token })
    }

    /// Where clients post to.
    pub fn url(&self) -> String {
        format!("http://{}{PATH}", self.address)
    }

    /// What they send as `Authorization: Bearer TOKEN`. Another user of this machine does not know it.
    pub fn token(&self) -> &str {
        &self.token
    }

    /// Serves until `end` resolves, and closes the data directory. The errors of closing.
    pub async fn serve(self, end: impl Future<Output = ()> + Send + 'static) -> Result<(), ErrorReply> {
        let Self { server, listener, token, .. } = self;
        let config = StreamableHttpServerConfig::default().enforce_origin_validation();
        let cancellation = config.cancellation_token.clone();
        let of_client = server.clone();
        let service = StreamableHttpService::new(
            move || Ok(of_client.clone()),
            Arc::new(LocalSessionManager::default()),
            config,
        );
        let router = Router::new()
            .nest_service(PATH, service)
            .layer(middleware::from_fn_with_state(token, require_token));
        let ends = async move {
            end.await;
            cancellation.cancel();
        };
        let served = axum::serve(listener, router).with_graceful_shutdown(ends).await;
        server.close().await?;
        served.map_err(|error| {
            ErrorReply::new(codes::AGENT_ADDRESS, format!("The server cannot go on listening: {error}."))
        })
    }
}

/// Lets only requests with the token through.
async fn require_token(State(token): State<Arc<str>>, request: Request, next: Next) -> Response {
    let given = request.headers().get(header::AUTHORIZATION).map(HeaderValue::as_bytes);
    let given = given.and_then(|value| value.strip_prefix(b"Bearer ")).unwrap_or_default();
    if bool::from(given.ct_eq(token.as_bytes())) {
        return next.run(request).await;
    }
    let message = "The request has no token, or another one: `plait mcp serve` prints it when it starts.\n";
    (StatusCode::UNAUTHORIZED, message).into_response()
}
