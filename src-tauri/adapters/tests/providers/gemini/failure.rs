//! Failures specific to this protocol: its error responses, error events, and invalid responses.

use serde_json::{Value, json};

use super::{KIND, text_events};
use crate::server::{Answer, events, fault};

#[tokio::test]
async fn protocol_errors_are_mapped_to_codes() {
    for (status, name, code, retryable) in [
        (400, "INVALID_ARGUMENT", "provider.bad_request", false),
        (400, "FAILED_PRECONDITION", "provider.bad_request", false),
        (401, "UNAUTHENTICATED", "provider.unauthorized", false),
        (403, "PERMISSION_DENIED", "provider.unauthorized", false),
        (404, "NOT_FOUND", "provider.not_found", false),
        (429, "RESOURCE_EXHAUSTED", "provider.rate_limited", true),
        (500, "INTERNAL", "provider.server_error", true),
        (503, "UNAVAILABLE", "provider.server_error", true),
    ] {
        let error = json!({"error": {"code": status, "message": "So it is.", "status": name}});
        // Google also wraps it in a list.
        for body in [error.clone(), json!([error])] {
            let failure = fault(KIND, Answer::json(status, &body.to_string())).await;
            assert_eq!((failure.code.as_str(), failure.retryable), (code, retryable), "{name}: {failure}");
            assert!(failure.message.contains("So it is."), "{failure}");
        }
        let failure =
            fault(KIND, Answer::stream(events(&[text_events("Hi", "STOP").remove(0), error]))).await;
        assert_eq!((failure.code.as_str(), failure.retryable), (code, retryable), "{name}: {failure}");
        assert!(failure.message.contains("So it is."), "{failure}");
    }
}

#[tokio::test]
async fn wrong_key_is_reported_as_such() {
    let error = json!({"error": {
        "code": 400, "message": "API key not valid. Please pass a valid API key.", "status": "INVALID_ARGUMENT",
        "details": [{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}],
    }});
    let failure = fault(KIND, Answer::json(400, &error.to_string())).await;
    assert_eq!((failure.code.as_str(), failure.retryable), ("provider.unauthorized", false), "{failure}");
}

#[tokio::test]
async fn retry_delay_is_read_from_the_body() {
    let error = |delay: &str| {
        json!({"error": {"code": 429, "message": "Quota.", "status": "RESOURCE_EXHAUSTED", "details": [
            {"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": []},
            {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": delay},
        ]}})
    };
    for (delay, expected) in [("34s", Some(34_000)), ("0.25s", Some(250)), ("soon", None), ("-1s", None)] {
        let failure = fault(KIND, Answer::json(429, &error(delay).to_string())).await;
        assert_eq!(
            (failure.code.as_str(), failure.retry_after_ms),
            ("provider.rate_limited", expected),
            "{delay}"
        );
        let failure = fault(KIND, Answer::stream(events(&[error(delay)]))).await;
        assert_eq!(
            (failure.code.as_str(), failure.retry_after_ms),
            ("provider.rate_limited", expected),
            "{delay}"
        );
    }
    // The header has precedence.
    let failure = fault(KIND, Answer::json(429, &error("34s").to_string()).header("retry-after", "7")).await;
    assert_eq!(failure.retry_after_ms, Some(7_000));
}

#[tokio::test]
async fn invalid_responses_are_refused() {
    for body in ["{}", "[]", "nonsense", "", r#"{"candidates": []}"#, r#"{"candidates": [{"content": 7}]}"#] {
        assert_eq!(fault(KIND, Answer::json(200, body)).await.code, "provider.invalid_response", "{body}");
    }
    let odd: [Value; 3] = [
        json!({"candidates": 7}),
        json!({"candidates": [{"content": {"parts": [{"text": 7}]}}]}),
        json!({"candidates": [{"content": {"parts": [{"functionCall": "f"}]}}]}),
    ];
    for event in odd {
        let failure = fault(KIND, Answer::stream(events(std::slice::from_ref(&event)))).await;
        assert_eq!(
            (failure.code.as_str(), failure.retryable),
            ("provider.invalid_response", false),
            "{event}"
        );
        assert!(failure.hint.as_ref().is_some_and(|hint| hint.contains("Gemini")), "{failure:?}");
    }
    // Without a finish reason the reply is incomplete.
    let start = text_events("Hi", "STOP").remove(0);
    assert_eq!(fault(KIND, Answer::stream(events(&[start]))).await.code, "provider.cut_short");
    assert_eq!(fault(KIND, Answer::stream("")).await.code, "provider.cut_short");
}
