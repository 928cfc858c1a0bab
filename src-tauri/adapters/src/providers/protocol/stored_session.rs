//! A provider whose server can store conversations, of any protocol. By default the server stores nothing;
//! [`stored_replies`](super::stored_replies) describes when it does.

use std::sync::Arc;

use async_trait::async_trait;
use plait_core::error::Fault;
use plait_core::id::ReplyKey;
use plait_llm::provider::{ChunkSink, HttpRequest, ModelReply, ModelRequest, Provider, SchemaForm};
use serde::ser::{Serialize, SerializeMap as _, Serializer};
use serde_json::{Map, Value};

use super::stored_replies::{PrefixHashes, StoredReplies};
use crate::providers::http::{ErrorContext, Framing, HttpClient, ResponseBody, wants_session};

/// The differences between protocols with servers that store conversations.
#[async_trait]
pub(in crate::providers) trait SessionProtocol: Send + Sync + 'static {
    /// Below the base URL.
    const PATH: &'static str;
    const FRAMING: Framing;
    /// The field with the instructions.
    const INSTRUCTIONS: &'static str;
    /// The field with the id of the reply that a request continues from.
    const PREVIOUS_ID: &'static str;

    /// Fault `provider.bad_options`.
    fn encode(&self, request: &ModelRequest) -> Result<RequestDraft, Fault>;

    /// The items that a reply becomes once it is part of the conversation.
    fn encode_reply(&self, reply: &ModelReply) -> Vec<Value>;

    async fn read_reply(
        &self,
        response: ResponseBody,
        context: &ErrorContext,
        sink: &mut ChunkSink<'_>,
    ) -> Result<ModelReply, Fault>;

    fn schema_form(&self, request: &ModelRequest) -> Option<SchemaForm>;

    fn takes_attachment(&self, _media_type: &str) -> bool {
        true
    }

    async fn models(&self, client: &HttpClient) -> Result<Vec<String>, Fault>;
}

/// A request before it is decided how much of the conversation it carries.
pub(in crate::providers) struct RequestDraft {
    /// Everything but the conversation.
    pub(in crate::providers) body: Map<String, Value>,
    /// The conversation.
    pub(in crate::providers) items: Vec<Value>,
}

/// The body as it is sent.
struct Body<'a> {
    rest: &'a Map<String, Value>,
    store: bool,
    /// The field of the reply that it continues from, and the id of that reply.
    previous: Option<(&'static str, &'a str)>,
    input: &'a [Value],
}

impl Serialize for Body<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut body = serializer.serialize_map(None)?;
        for (key, value) in self.rest {
            body.serialize_entry(key, value)?;
        }
        body.serialize_entry("store", &self.store)?;
        if let Some((field, id)) = self.previous {
            body.serialize_entry(field, id)?;
        }
        body.serialize_entry("input", self.input)?;
        body.end()
    }
}

impl RequestDraft {
    fn full_body(&self, store: bool) -> Body<'_> {
        Body { rest: &self.body, store, previous: None, input: &self.items }
    }

    /// The body that continues from a stored reply, with the items after it.
    fn continuation<'a>(&'a self, field: &'static str, id: &'a str, from: usize) -> Body<'a> {
        let input = self.items.get(from..).unwrap_or_default();
        Body { rest: &self.body, store: true, previous: Some((field, id)), input }
    }
}

/// A provider of such a protocol.
pub(in crate::providers) struct StoredSessionProvider<P> {
    client: Arc<HttpClient>,
    protocol: P,
    /// Whether the provider stores conversations unless the call's options say otherwise.
    stores_conversations: bool,
    stored: StoredReplies,
}

impl<P: SessionProtocol> StoredSessionProvider<P> {
    pub(in crate::providers) fn new(
        client: Arc<HttpClient>,
        protocol: P,
        stores_conversations: bool,
    ) -> Self {
        Self { client, protocol, stores_conversations, stored: StoredReplies::default() }
    }

    async fn post(&self, body: Body<'_>, context: &ErrorContext) -> Result<ResponseBody, Fault> {
        self.client.post(P::PATH, "", P::FRAMING, &body, context).await
    }

    /// The hashes of a request with these fields besides the conversation that determine the reply.
    fn prefix(session: &str, draft: &RequestDraft) -> PrefixHashes {
        let fixed = ["model", P::INSTRUCTIONS, "tools"].map(|key| draft.body.get(key));
        PrefixHashes::new(session, &fixed, &draft.items)
    }

    /// Sends only what follows the longest stored part of the conversation, or everything if nothing is stored.
    async fn send(
        &self,
        draft: &RequestDraft,
        prefix: Option<&PrefixHashes>,
        context: &ErrorContext,
    ) -> Result<ResponseBody, Fault> {
        let Some(stored) = prefix.and_then(|prefix| self.stored.find(prefix)) else {
            return self.post(draft.full_body(prefix.is_some()), context).await;
        };
        match self.post(draft.continuation(P::PREVIOUS_ID, &stored.id, stored.items), context).await {
            Err(fault) if self.stored.forget_after(&stored, &fault) => {
                self.post(draft.full_body(true), context).await
            }
            response => response,
        }
    }

    fn stores(&self, request: &ModelRequest) -> Result<bool, Fault> {
        Ok(wants_session(&request.options)?.unwrap_or(self.stores_conversations))
    }
}

#[async_trait]
impl<P: SessionProtocol> Provider for StoredSessionProvider<P> {
    async fn call(&self, request: ModelRequest, sink: &mut ChunkSink<'_>) -> Result<ModelReply, Fault> {
        let context = self.client.error_context(Some(&request.model));
        let stores = self.stores(&request)?;
        let draft = self.protocol.encode(&request)?;
        let session = request.session.as_deref().filter(|_| stores);
        let prefix = session.map(|session| Self::prefix(session, &draft));
        let response = self.send(&draft, prefix.as_ref(), &context).await?;
        let reply = self.protocol.read_reply(response, &context, sink).await?;
        if let (Some(prefix), Some(id)) = (prefix, &reply.response_id) {
            self.stored.insert(prefix, &self.protocol.encode_reply(&reply), id);
        }
        Ok(reply)
    }

    fn whole_hash(&self, request: &ModelRequest) -> Result<ReplyKey, Fault> {
        self.client.hash_request(&self.protocol.encode(request)?.full_body(false))
    }

    fn http_request(&self, request: &ModelRequest) -> Result<Option<HttpRequest>, Fault> {
        let stores = self.stores(request)?;
        let draft = self.protocol.encode(request)?;
        self.client.describe(P::PATH, "", P::FRAMING, &draft.full_body(stores)).map(Some)
    }

    fn schema_form(&self, request: &ModelRequest) -> Option<SchemaForm> {
        self.protocol.schema_form(request)
    }

    fn takes_attachment(&self, media_type: &str) -> bool {
        self.protocol.takes_attachment(media_type)
    }

    async fn models(&self) -> Result<Vec<String>, Fault> {
        self.protocol.models(&self.client).await
    }
}
