//! What only this protocol has of failures: its errors, within a stream and instead of one, and what it is not.

use serde_json::json;

use super::{KIND, begins, ends, goes_on, opens, saying, stops, stream_of};
use crate::server::{Answer, fault, outcome};

#[tokio::test]
async fn errors_instead_of_a_stream_and_within_it() {
    for (status, kind, code, retryable) in [
        (400, "invalid_request_error", "provider.bad_request", false),
        (401, "authentication_error", "provider.unauthorized", false),
        (402, "billing_error", "provider.rate_limited", false),
        (403, "permission_error", "provider.unauthorized", false),
        (404, "not_found_error", "provider.not_found", false),
        (413, "request_too_large", "provider.bad_request", false),
        (429, "rate_limit_error", "provider.rate_limited", true),
        (500, "api_error", "provider.server_error", true),
        (504, "timeout_error", "provider.server_error", true),
        (529, "overloaded_error", "provider.overloaded", true),
    ] {
        let error =
            json!({"type": "error", "error": {"type": kind, "message": "So it is."}, "request_id": "r"});
        let failure = fault(KIND, Answer::json(status, &error.to_string())).await;
        assert_eq!((failure.code.as_str(), failure.retryable), (code, retryable), "{kind}: {failure}");
        assert!(failure.message.contains("So it is."), "{failure}");
        let begun = &saying("Hi", "end_turn")[..3];
        let failure = fault(KIND, Answer::stream(stream_of(&[begun, &[error]].concat()))).await;
        // Within a stream there is no status, and a timeout is named as one.
        let code = if kind == "timeout_error" { "provider.timeout" } else { code };
        assert_eq!((failure.code.as_str(), failure.retryable), (code, retryable), "{kind}: {failure}");
        assert!(failure.message.contains("So it is."), "{failure}");
    }
    // One that does not say it is an event.
    let failure = fault(KIND, Answer::stream("data: {\"error\": {\"message\": \"gone\"}}\n\n")).await;
    assert_eq!(failure.code, "provider.server_error");
}

#[tokio::test]
async fn what_is_not_the_protocol() {
    for body in ["{}", "[]", "nonsense", "", r#"{"type": "message"}"#, r#"{"type": "message", "content": 7}"#]
    {
        assert_eq!(fault(KIND, Answer::json(200, body)).await.code, "provider.invalid_response", "{body}");
    }
    let text = opens(0, json!({"type": "text", "text": ""}));
    for events in [
        // A piece of nothing, of something else, a goodbye to nothing, a block without a place.
        vec![begins(&json!({})), goes_on(0, json!({"type": "text_delta", "text": "x"}))],
        vec![
            begins(&json!({})),
            text.clone(),
            goes_on(0, json!({"type": "input_json_delta", "partial_json": "{"})),
        ],
        vec![begins(&json!({})), text.clone(), goes_on(0, json!({"type": "text_delta", "text": 7}))],
        vec![begins(&json!({})), text, ends()],
        vec![json!({"type": "content_block_start", "content_block": {"type": "text"}})],
        vec![json!({"type": "message_delta"})],
    ] {
        let failure = fault(KIND, Answer::stream(stream_of(&events))).await;
        assert_eq!(
            (failure.code.as_str(), failure.retryable),
            ("provider.invalid_response", false),
            "{events:?}"
        );
        assert!(failure.hint.as_ref().is_some_and(|hint| hint.contains("Anthropic")), "{failure:?}");
    }
    // Without a reason it is cut, however orderly its end.
    let mut events = saying("Hi", "end_turn");
    events.truncate(4);
    events.push(json!({"type": "message_delta", "delta": {"stop_reason": null}, "usage": {}}));
    assert_eq!(fault(KIND, Answer::stream(stream_of(&events))).await.code, "provider.cut_short");
    let mut whole = saying("Hi", "end_turn");
    whole.insert(4, stops("end_turn", &json!({})));
    assert!(outcome(KIND, Answer::stream(stream_of(&whole))).await.is_ok());
}
