//! What went wrong with a connection, as a coded fault that says it in the person's terms.

use std::time::Duration;

use plait_core::error::Fault;
use rmcp::ServiceError;
use rmcp::service::ClientInitializeError;
use rmcp::transport::streamable_http_client::StreamableHttpError;

use super::log::{ServerLog, cut};
use super::process::ServerProcess;
use super::stdio_guard::StdoutGuard;
use crate::codes;
use crate::net::{innermost_cause, with_causes};

const MAX_REASON_BYTES: usize = 2_000;

pub(super) struct ConnectionFaults<'a> {
    pub(super) server: &'a str,
    pub(super) process: Option<&'a ServerProcess>,
    pub(super) guard: Option<&'a StdoutGuard>,
    pub(super) log: &'a ServerLog,
}

impl ConnectionFaults<'_> {
    pub(super) async fn of_handshake(&self, error: &ClientInitializeError) -> Fault {
        if let Some(fault) = self.of_http(error) {
            return fault;
        }
        match error {
            ClientInitializeError::ConnectionClosed(_) | ClientInitializeError::TransportError { .. }
                if self.process.is_some() =>
            {
                self.of_end().await
            }
            other => {
                let message = format!(
                    "The MCP server `{}` did not complete the handshake: {}.",
                    self.server,
                    cut(&other.to_string(), MAX_REASON_BYTES)
                );
                self.with_last_words(Fault::new(codes::MCP_NO_HANDSHAKE, message))
            }
        }
    }

    pub(super) fn of_silent_handshake(&self, timeout: Duration) -> Fault {
        let message =
            format!("The MCP server `{}` did not answer within {} seconds.", self.server, timeout.as_secs());
        self.with_last_words(Fault::new(codes::MCP_NO_HANDSHAKE, message))
    }

    pub(super) async fn of_call(&self, error: &ServiceError) -> Fault {
        if let Some(fault) = self.of_http(error) {
            return fault;
        }
        match error {
            ServiceError::McpError(error) => self.of_refusal(&error.message),
            ServiceError::TransportClosed | ServiceError::TransportSend(_) => self.of_end().await,
            ServiceError::Cancelled { .. } => self.of_refusal("it canceled the request"),
            _ => self.of_unexpected("an answer"),
        }
    }

    pub(super) fn of_refusal(&self, reason: &str) -> Fault {
        let reason = cut(reason, MAX_REASON_BYTES);
        Fault::new(codes::MCP_REFUSED, format!("The MCP server `{}` refused: {reason}", self.server))
    }

    pub(super) fn of_unexpected(&self, what: &str) -> Fault {
        let message = format!("The MCP server `{}` sent {what} that cannot be used.", self.server);
        self.with_last_words(Fault::new(codes::MCP_INVALID_MESSAGE, message))
    }

    pub(super) fn of_oversized(&self, max_bytes: usize) -> Fault {
        let message = format!(
            "The MCP server `{}` sent a message of more than {} MB, which was dropped.",
            self.server,
            max_bytes >> 20
        );
        Fault::new(codes::MCP_TOO_LARGE, message).hint("Ask the tool for less.")
    }

    pub(super) fn of_silent_call(&self, what: &str, timeout: Duration) -> Fault {
        let message = format!(
            "The MCP server `{}` did not answer within {} ms: {what}.",
            self.server,
            timeout.as_millis()
        );
        self.with_last_words(Fault::new(codes::MCP_TIMEOUT, message)).retryable()
    }

    /// The server ended, or Plait closed the pipe.
    async fn of_end(&self) -> Fault {
        match self.guard.and_then(StdoutGuard::verdict) {
            Some(code) if code == codes::MCP_TOO_LARGE => {
                let message =
                    format!("The MCP server `{}` wrote without end; its connection was closed.", self.server);
                return Fault::new(codes::MCP_TOO_LARGE, message);
            }
            Some(_) => {
                let message = format!(
                    "The MCP server `{}` wrote what is no message; its connection was closed.",
                    self.server
                );
                return self.with_last_words(Fault::new(codes::MCP_INVALID_MESSAGE, message));
            }
            None => {}
        }
        let exit = match self.process {
            Some(process) => process.exit().await,
            None => None,
        };
        let how = exit.map_or_else(String::new, |exit| format!(" ({exit})"));
        let message = format!("The MCP server `{}` ended before it answered{how}.", self.server);
        self.with_last_words(Fault::new(codes::MCP_ENDED, message)).retryable()
    }

    /// What an HTTP transport met.
    fn of_http(&self, error: &(dyn std::error::Error + 'static)) -> Option<Fault> {
        let mut source = Some(error);
        while let Some(current) = source {
            if let Some(http) = current.downcast_ref::<StreamableHttpError<reqwest::Error>>() {
                return Some(self.of_http_error(http));
            }
            source = match current.downcast_ref::<ServiceError>() {
                Some(ServiceError::TransportSend(error)) => Some(error.error.as_ref()),
                _ => match current.downcast_ref::<ClientInitializeError>() {
                    Some(ClientInitializeError::TransportError { error, .. }) => Some(error.error.as_ref()),
                    Some(ClientInitializeError::LegacyFallbackFailed { fallback, .. }) => Some(&**fallback),
                    _ => current.source(),
                },
            };
        }
        None
    }

    fn of_http_error(&self, error: &StreamableHttpError<reqwest::Error>) -> Fault {
        let server = self.server;
        match error {
            StreamableHttpError::AuthRequired(_) | StreamableHttpError::InsufficientScope(_) => {
                let message = format!("The MCP server `{server}` refuses the request: it is not authorized.");
                Fault::new(codes::MCP_UNAUTHORIZED, message)
                    .hint("Check the header `Authorization` of the server's entry.")
            }
            StreamableHttpError::HttpStatus(status) => {
                let message =
                    format!("The MCP server `{server}` answered with HTTP status {}.", status.status);
                Fault::new(codes::MCP_UNREACHABLE, message).retryable()
            }
            StreamableHttpError::ResponseBodyTooLarge { max_size } => self.of_oversized(*max_size),
            StreamableHttpError::Client(error) => {
                let reason = innermost_cause(error);
                let message = format!(
                    "The MCP server `{server}` cannot be reached: {}.",
                    cut(&reason, MAX_REASON_BYTES)
                );
                with_causes(Fault::new(codes::MCP_UNREACHABLE, message).retryable(), error)
            }
            other => {
                let reason = cut(&other.to_string(), MAX_REASON_BYTES);
                let is_refused = ["401", "403"].iter().any(|status| reason.contains(status));
                let code = if is_refused { codes::MCP_UNAUTHORIZED } else { codes::MCP_INVALID_MESSAGE };
                Fault::new(
                    code,
                    format!("The MCP server `{server}` answered with what cannot be used: {reason}."),
                )
            }
        }
    }

    fn with_last_words(&self, fault: Fault) -> Fault {
        match self.log.last_words() {
            Some(words) => fault.hint(format!("Its log ends with: {words}")),
            None => fault,
        }
    }
}
