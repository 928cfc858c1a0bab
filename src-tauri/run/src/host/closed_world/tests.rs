use futures::executor::block_on;
use serde_json::json;

use super::*;
use plait_core::id::{Activation, Epoch};

/// A provider that decides all that it may decide.
struct Particular;

#[async_trait]
impl Provider for Particular {
    async fn call(&self, _: ModelRequest, _: &mut ChunkSink<'_>) -> Result<ModelReply, Fault> {
        panic!("a closed world asks nobody");
    }

    fn whole_hash(&self, request: &ModelRequest) -> Result<ReplyKey, Fault> {
        Ok(format!("whole {}", request.messages.len()).as_str().into())
    }

    fn message_form(&self) -> String {
        "form".to_owned()
    }

    fn http_request(&self, _: &ModelRequest) -> Result<Option<HttpRequest>, Fault> {
        let url = "http://127.0.0.1/v1".to_owned();
        Ok(Some(HttpRequest { url, headers: Vec::new(), key: None, body: json!({}) }))
    }

    fn returns_reasoning(&self) -> bool {
        true
    }

    fn schema_form(&self, _: &ModelRequest) -> Option<SchemaForm> {
        Some(SchemaForm::Words)
    }

    fn takes_attachment(&self, media_type: &str) -> bool {
        media_type == "image/png"
    }

    async fn models(&self) -> Result<Vec<String>, Fault> {
        panic!("a closed world asks nobody");
    }
}

struct Never;

#[async_trait]
impl Refusal for Never {
    async fn refuse(&self, asked: &str) -> Fault {
        Fault::new(crate::codes::RUN_NOT_RECORDED, asked)
    }
}

#[test]
fn closed_provider_says_of_itself_what_the_open_one_does_and_refuses_calls() {
    let open: Arc<dyn Provider> = Arc::new(Particular);
    let closed = Closed { open: open.clone(), refusal: Arc::new(Never) };
    let request = ModelRequest {
        activation: Activation { node: "chat".into(), epoch: Epoch::root() },
        attempt: 1,
        model: "scripted".to_owned(),
        system: None,
        messages: Vec::new(),
        tools: Vec::new(),
        temperature: None,
        max_tokens: None,
        window: None,
        response_schema: None,
        session: None,
        options: json!({}),
    };
    let said = |provider: &dyn Provider| {
        (
            provider.reply_key(&request),
            provider.whole_hash(&request),
            provider.message_form(),
            provider.http_request(&request),
            provider.returns_reasoning(),
            provider.schema_form(&request),
            [provider.takes_attachment("image/png"), provider.takes_attachment("audio/wav")],
        )
    };
    assert_eq!(said(&closed), said(&*open));

    let called = block_on(closed.call(request, &mut |_| {})).unwrap_err();
    assert_eq!(called.message, "The reply to this prompt");
    assert_eq!(block_on(closed.models()).unwrap_err().message, "The list of models");
}
