//! `lens.request`.
use plait_core::id::{Activation, Epoch, NodeId, RunId};
use plait_llm::provider::is_whole_hash;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::curl::curl_command;
use super::{LensService, read_lens};
use crate::ErrorReply;
use crate::blocking::run_blocking;
use crate::codes;
use crate::command::Command;

/// `lens.request`: the HTTP request of a model call as a curl command, with a variable in place of the key. `run.unknown`,
/// `lens.no_call`, `lens.no_request`, `provider.unknown`.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct GetCallRequest {
    pub run: RunId,
    pub node: NodeId,
    #[serde(default)]
    #[ts(optional, as = "Option<Epoch>")]
    pub epoch: Epoch,
    /// Which of the activation's model calls, from 0.
    #[serde(default)]
    #[ts(type = "number")]
    pub call: usize,
}

/// The request of a model call.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct CallRequest {
    /// The command, for a POSIX shell.
    pub curl: String,
    /// Whether the request is proven to be the one that was sent, by its key. It is not if messages are missing, if the
    /// provider's settings changed, or if the model never replied.
    pub exact: bool,
}

impl Command for GetCallRequest {
    const NAME: &'static str = "lens.request";
    type Service = LensService;
    type Reply = CallRequest;

    async fn run(self, service: &LensService) -> Result<CallRequest, ErrorReply> {
        let Self { run, node, epoch, call } = self;
        let activation = Activation { node, epoch };
        let (store, wanted) = (service.store.clone(), activation.clone());
        let rebuilt = run_blocking(move || {
            store.run(&run)?;
            Ok(read_lens(&store, &run)?.request(&wanted, call))
        })
        .await?;
        let rebuilt = rebuilt.ok_or_else(|| no_call(&activation, call))?;
        let provider = service.providers.callable().get(&rebuilt.provider)?;
        let request = provider.http_request(&rebuilt.request)?.ok_or_else(|| {
            let message = format!("The provider `{}` sends no HTTP request.", rebuilt.provider);
            ErrorReply::new(codes::LENS_NO_REQUEST, message)
        })?;
        let key = match &rebuilt.key {
            Some(sent) if is_whole_hash(sent) => provider.whole_hash(&rebuilt.request)?,
            _ => provider.reply_key(&rebuilt.request)?,
        };
        let exact = !rebuilt.is_incomplete && rebuilt.key.is_some_and(|sent| sent == key);
        Ok(CallRequest { curl: curl_command(&request), exact })
    }
}

fn no_call(activation: &Activation, call: usize) -> ErrorReply {
    let message = format!("The run has no model call {} of `{activation}`.", call + 1);
    ErrorReply::new(codes::LENS_NO_CALL, message).hint("`plait lens show RUN` lists the calls.")
}
