//! Failures specific to this protocol: its errors and invalid responses.

use plait_llm::models::TokenUsage;
use plait_llm::provider::StopReason;
use serde_json::json;

use super::{KIND, stream_of};
use crate::server::{Answer, fault, reply_to};

#[tokio::test]
async fn statuses_are_mapped_to_codes() {
    let error = |message: &str, code: &str| {
        json!({"error": {"message": message, "type": "x", "code": code}}).to_string()
    };
    for (status, body, code, retryable) in [
        (400, error("max_tokens is too large.", "bad"), "provider.bad_request", false),
        (400, error("Filtered", "content_filter"), "provider.content_filtered", false),
        (401, error("Wrong key", "invalid_api_key"), "provider.unauthorized", false),
        (403, "forbidden".to_owned(), "provider.unauthorized", false),
        (404, r#"{"error": "model not found"}"#.to_owned(), "provider.not_found", false),
        (408, String::new(), "provider.timeout", true),
        (422, r#"{"detail": "Unprocessable"}"#.to_owned(), "provider.bad_request", false),
        (429, error("Slow down", "rate_limit_exceeded"), "provider.rate_limited", true),
        (429, error("No credit", "insufficient_quota"), "provider.rate_limited", false),
        (500, "<html>oops</html>".to_owned(), "provider.server_error", true),
        (
            503,
            r#"{"error": {"message": "Loading model", "code": 503}}"#.to_owned(),
            "provider.server_error",
            true,
        ),
        (301, String::new(), "provider.bad_settings", false),
    ] {
        let fault = fault(KIND, Answer::json(status, &body)).await;
        assert_eq!((fault.code.as_str(), fault.retryable), (code, retryable), "{status} {body}");
        assert_eq!(fault.retry_after_ms, None);
    }
}

#[tokio::test]
async fn server_message_is_reported_and_truncated() {
    let error =
        fault(KIND, Answer::json(400, r#"{"error": {"message": "max_tokens is\n too large."}}"#)).await;
    assert!(error.message.contains("400 Bad Request: max_tokens is too large."), "{error}");
    let error = fault(KIND, Answer::json(404, r#"{"error": "model 'tiny' not found"}"#)).await;
    assert!(error.message.contains("model 'tiny' not found"), "{error}");
    let long = fault(KIND, Answer::json(500, &"ä".repeat(1 << 20))).await;
    assert!(long.message.len() < 2_000, "{}", long.message.len());
}

#[tokio::test]
async fn invalid_responses_are_refused() {
    for body in ["{}", "[]", "nonsense", "", r#"{"choices": [{"message": 7}]}"#, r#"{"choices": []}"#] {
        assert_eq!(fault(KIND, Answer::json(200, body)).await.code, "provider.invalid_response", "{body}");
    }
    for stream in [
        &b"data: nonsense\n\n"[..],
        b"data: {\"choices\": 7}\n\n",
        b"data: [DONE]\n\n",
        b"data: \xff\xfe\n\n",
        b"data: {\"choices\": [{\"delta\": \"x\"}]}\n\n",
    ] {
        let error = fault(KIND, Answer::stream(stream)).await;
        assert_eq!(error.code, "provider.invalid_response", "{}", String::from_utf8_lossy(stream));
        assert!(!error.retryable);
    }
}

#[tokio::test]
async fn errors_within_a_stream_are_mapped_to_codes() {
    let start = json!({"choices": [{"index": 0, "delta": {"content": "Hi"}}]});
    for (error, code, retryable) in [
        (json!({"message": "Out of memory", "type": "server_error"}), "provider.server_error", true),
        (json!({"message": "Slow down", "code": "rate_limit_exceeded"}), "provider.rate_limited", true),
        (
            json!({"message": "Too long", "type": "BadRequestError", "code": 400}),
            "provider.bad_request",
            false,
        ),
        (json!("gone"), "provider.server_error", true),
    ] {
        let error = fault(KIND, Answer::stream(stream_of(&[start.clone(), json!({"error": error})]))).await;
        assert_eq!((error.code.as_str(), error.retryable), (code, retryable), "{error}");
    }
}

#[tokio::test]
async fn withheld_reply_says_so_with_its_usage() {
    let usage = json!({"prompt_tokens": 30, "completion_tokens": 2});
    for reason in ["content_filter", "CONTENT_FILTER"] {
        let filtered =
            json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}], "usage": usage});
        let (reply, _) = reply_to(KIND, Answer::stream(stream_of(&[filtered]))).await;
        assert_eq!(reply.stop_reason, StopReason::ContentFilter);
        assert_eq!(reply.usage, Some(TokenUsage::new(30, 2)));
    }
    let refused = json!({"choices": [{"index": 0, "delta": {"refusal": "I can't."}, "finish_reason": "stop"}], "usage": usage});
    let (reply, _) = reply_to(KIND, Answer::stream(stream_of(&[refused]))).await;
    assert_eq!((reply.stop_reason, reply.text.as_str()), (StopReason::ContentFilter, "I can't."));
    assert_eq!(reply.usage, Some(TokenUsage::new(30, 2)));
}
