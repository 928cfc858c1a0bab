//! The start of a connection with a server that does not answer the SDK's probe.
//!
//! The SDK first asks for `server/discover`, which older servers do not know. It waits ten seconds for the answer, and takes one
//! that comes later for the answer to `initialize`. Most servers that do not answer are only slow to start. So here the probe
//! counts as refused after a moment: the SDK sends `initialize`, and a server that starts late finds both requests. It is used as it
//! answers `initialize`; one that knows only the probe is used as it answered that.

use std::time::Duration;

use rmcp::RoleClient;
use rmcp::model::{
    ClientNotification, ClientRequest, DiscoverResult, ErrorCode, ErrorData, Implementation,
    InitializeResult, JsonRpcMessage, ProtocolVersion, RequestId, ServerResult,
};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::time::Instant;

/// How long an answer to the probe is awaited before `initialize` is sent as well.
const PROBE_TIMEOUT: Duration = Duration::from_secs(1);

/// A transport whose probe is not waited for.
pub(super) struct ProbedTransport<T> {
    inner: T,
    stage: Stage,
}

/// How far the start of the connection is.
enum Stage {
    /// No probe was sent.
    New,
    /// The probe is unanswered, and nothing else was sent.
    Probing {
        probe: RequestId,
        until: Instant,
    },
    /// The probe counts as refused. What the server still answers to it is kept.
    Abandoned {
        probe: RequestId,
        initialize: Option<RequestId>,
        discovered: Option<Box<DiscoverResult>>,
    },
    /// The server refused `initialize` and had answered the probe. It gets no notification that it is initialized.
    Discovered,
    Open,
}

impl<T> ProbedTransport<T> {
    pub(super) fn new(inner: T) -> Self {
        Self { inner, stage: Stage::New }
    }

    /// Notes what the SDK sends. Returns whether it goes to the server.
    fn on_send(&mut self, message: &TxJsonRpcMessage<RoleClient>) -> bool {
        match message {
            JsonRpcMessage::Request(request) => match (&request.request, &mut self.stage) {
                (ClientRequest::DiscoverRequest(_), Stage::New | Stage::Probing { .. }) => {
                    let until = Instant::now() + PROBE_TIMEOUT;
                    self.stage = Stage::Probing { probe: request.id.clone(), until };
                }
                (ClientRequest::InitializeRequest(_), Stage::Abandoned { initialize, .. }) => {
                    *initialize = Some(request.id.clone());
                }
                (_, stage) => *stage = Stage::Open,
            },
            JsonRpcMessage::Notification(sent) if matches!(self.stage, Stage::Discovered) => {
                self.stage = Stage::Open;
                return !matches!(sent.notification, ClientNotification::InitializedNotification(_));
            }
            _ => {}
        }
        true
    }

    /// The refusal that stands for the answer to a probe whose time is over.
    fn abandon(&mut self, probe: RequestId) -> RxJsonRpcMessage<RoleClient> {
        let answer = refusal(&probe);
        self.stage = Stage::Abandoned { probe, initialize: None, discovered: None };
        answer
    }

    /// The message that the SDK receives in place of one of the server, if it receives any.
    fn on_receive(&mut self, message: RxJsonRpcMessage<RoleClient>) -> Option<RxJsonRpcMessage<RoleClient>> {
        let Stage::Abandoned { probe, initialize, discovered } = &mut self.stage else {
            return Some(message);
        };
        match message {
            JsonRpcMessage::Response(response) if is_same(probe, &response.id) => {
                if let ServerResult::DiscoverResult(result) = response.result {
                    *discovered = Some(Box::new(result));
                }
                None
            }
            JsonRpcMessage::Error(error) if error.id.as_ref().is_none_or(|id| is_same(probe, id)) => None,
            JsonRpcMessage::Error(error) => {
                let is_answer =
                    initialize.as_ref().zip(error.id.as_ref()).is_some_and(|(sent, id)| is_same(sent, id));
                match discovered.take().filter(|_| is_answer).and_then(|result| to_initialized(*result)) {
                    Some(result) => {
                        let id = error.id.unwrap_or_else(|| probe.clone());
                        self.stage = Stage::Discovered;
                        Some(JsonRpcMessage::response(ServerResult::InitializeResult(result), id))
                    }
                    None => Some(JsonRpcMessage::Error(error)),
                }
            }
            message => Some(message),
        }
    }
}

impl<T: Transport<RoleClient>> Transport<RoleClient> for ProbedTransport<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let sending = self.on_send(&item).then(|| self.inner.send(item));
        async move {
            match sending {
                Some(sending) => sending.await,
                None => Ok(()),
            }
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        loop {
            let message = match &self.stage {
                Stage::Probing { probe, until } => {
                    let (probe, until) = (probe.clone(), *until);
                    tokio::select! {
                        biased;
                        message = self.inner.receive() => message?,
                        () = tokio::time::sleep_until(until) => return Some(self.abandon(probe)),
                    }
                }
                _ => self.inner.receive().await?,
            };
            if let Some(message) = self.on_receive(message) {
                return Some(message);
            }
        }
    }

    fn close(&mut self) -> impl Future<Output = Result<(), Self::Error>> + Send {
        self.inner.close()
    }
}

/// Servers may answer a number with its text.
fn is_same(sent: &RequestId, answered: &RequestId) -> bool {
    sent.to_string() == answered.to_string()
}

fn refusal(probe: &RequestId) -> RxJsonRpcMessage<RoleClient> {
    let error = ErrorData::new(ErrorCode::METHOD_NOT_FOUND, "The probe was not answered in time.", None);
    JsonRpcMessage::error(error, Some(probe.clone()))
}

/// What a server said of itself in the answer to the probe, if it speaks the current protocol.
fn to_initialized(discovered: DiscoverResult) -> Option<InitializeResult> {
    if !discovered.supported_versions.contains(&ProtocolVersion::LATEST) {
        return None;
    }
    let info = discovered.server_info().unwrap_or_else(|| Implementation::new(String::new(), String::new()));
    let mut result = InitializeResult::new(discovered.capabilities)
        .with_protocol_version(ProtocolVersion::LATEST)
        .with_server_info(info);
    result.instructions = discovered.instructions;
    Some(result)
}

#[cfg(test)]
mod tests;
