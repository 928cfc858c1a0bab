//! Failures specific to this protocol: its error responses, error events, and invalid responses.

use serde_json::json;

use super::{
    KIND, block_delta, block_start, message_delta, message_start, message_stop, stream_of, text_events,
};
use crate::server::{Answer, call_once, fault};

#[tokio::test]
async fn protocol_errors_are_mapped_to_codes() {
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
        let start = &text_events("Hi", "end_turn")[..3];
        let failure = fault(KIND, Answer::stream(stream_of(&[start, &[error]].concat()))).await;
        // Within a stream there is no status; a timeout has its own code.
        let code = if kind == "timeout_error" { "provider.timeout" } else { code };
        assert_eq!((failure.code.as_str(), failure.retryable), (code, retryable), "{kind}: {failure}");
        assert!(failure.message.contains("So it is."), "{failure}");
    }
    // An error without a `type`.
    let failure = fault(KIND, Answer::stream("data: {\"error\": {\"message\": \"gone\"}}\n\n")).await;
    assert_eq!(failure.code, "provider.server_error");
}

#[tokio::test]
async fn invalid_responses_are_refused() {
    for body in ["{}", "[]", "nonsense", "", r#"{"type": "message"}"#, r#"{"type": "message", "content": 7}"#]
    {
        assert_eq!(fault(KIND, Answer::json(200, body)).await.code, "provider.invalid_response", "{body}");
    }
    let text = block_start(0, json!({"type": "text", "text": ""}));
    for events in [
        // A delta of no block or of another kind, the end of a stream without a stop reason, a block without an index.
        vec![message_start(&json!({})), block_delta(0, json!({"type": "text_delta", "text": "x"}))],
        vec![
            message_start(&json!({})),
            text.clone(),
            block_delta(0, json!({"type": "input_json_delta", "partial_json": "{"})),
        ],
        vec![
            message_start(&json!({})),
            text.clone(),
            block_delta(0, json!({"type": "text_delta", "text": 7})),
        ],
        vec![message_start(&json!({})), text, message_stop()],
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
    // Without a stop reason the reply is incomplete.
    let mut events = text_events("Hi", "end_turn");
    events.truncate(4);
    events.push(json!({"type": "message_delta", "delta": {"stop_reason": null}, "usage": {}}));
    assert_eq!(fault(KIND, Answer::stream(stream_of(&events))).await.code, "provider.cut_short");
    let mut whole = text_events("Hi", "end_turn");
    whole.insert(4, message_delta("end_turn", &json!({})));
    assert!(call_once(KIND, Answer::stream(stream_of(&whole))).await.is_ok());
}
