//! Responses that were recorded, read as the protocol of a provider reads them. Sends nothing.

use std::io;
use std::sync::Arc;

use bytes::Bytes;
use futures::stream::BoxStream;
use plait_core::error::Fault;
use plait_core::id::{Activation, Epoch};
use plait_llm::context::{Message, Role};
use plait_llm::provider::{ChunkSink, ModelReply, ModelRequest};
use reqwest::Body;
use reqwest::header::{CONTENT_TYPE, HeaderValue};
use serde_json::Value;

use super::http::HttpClient;
use super::{ProviderSettings, RegisteredProvider, protocol_config};
use crate::codes;
use crate::keys::KeyStore;

/// A response that was recorded.
pub struct RecordedResponse {
    pub status: u16,
    pub content_type: String,
    /// Its bytes as they arrived. An error where they were cut off.
    pub chunks: BoxStream<'static, io::Result<Bytes>>,
}

/// The reply in a response to a call of `model`, or the fault of a call that gets this response. A chunk is taken when the parts of those
/// before it have been passed to `sink`.
pub async fn decode_response(
    name: &str,
    settings: &ProviderSettings,
    model: &str,
    response: RecordedResponse,
    sink: &mut ChunkSink<'_>,
) -> Result<ModelReply, Fault> {
    let Some(config) = protocol_config(settings.kind) else {
        return Err(Fault::new(codes::PROVIDER_UNKNOWN, format!("The provider `{name}` has no protocol.")));
    };
    let client = Arc::new(HttpClient::new(config, name, settings, &KeyStore::in_memory())?);
    let mut recorded = hyper::Response::new(Body::wrap_stream(response.chunks));
    *recorded.status_mut() = hyper::StatusCode::from_u16(response.status).unwrap_or_default();
    if let Ok(value) = HeaderValue::from_str(&response.content_type) {
        recorded.headers_mut().insert(CONTENT_TYPE, value);
    }
    client.answer_with(recorded.into());
    let activation = Activation { node: "".into(), epoch: Epoch::root() };
    let message = Message::plain("".into(), Role::User, "", activation.clone(), 0);
    let request = ModelRequest {
        activation,
        attempt: 1,
        model: model.to_owned(),
        system: None,
        messages: vec![Arc::new(message)],
        tools: Vec::new(),
        temperature: None,
        max_tokens: None,
        window: None,
        response_schema: None,
        session: None,
        options: Value::Null,
    };
    RegisteredProvider::over(settings, client).call(request, sink).await
}
