//! Failures specific to this protocol: its errors and invalid responses.

use serde_json::json;

use super::{KIND, start, stream_of, text_delta};
use crate::server::{Answer, fault};

#[tokio::test]
async fn errors_within_a_stream_are_mapped_to_codes() {
    let output = start(0, &json!({"type": "model_output"}));
    let error = json!({"code": "server_error", "message": "It broke."});
    let event = json!({"event_type": "error", "error": error});
    let failed = json!({"event_type": "interaction.completed", "interaction": {"status": "failed", "errors": [error]}});
    let step = start(1, &json!({"type": "model_output", "error": {"code": 13, "message": "It broke."}}));
    for last in [event, failed, step] {
        let stream = stream_of(&[output.clone(), text_delta(0, "Hi"), last.clone()]);
        let error = fault(KIND, Answer::stream(stream)).await;
        assert_eq!(error.code, "provider.server_error", "{last}");
        assert!(error.message.contains("It broke"), "{error}");
    }
    let mute = json!({"event_type": "interaction.completed", "interaction": {"status": "failed"}});
    assert_eq!(fault(KIND, Answer::stream(stream_of(&[mute]))).await.code, "provider.server_error");
}

#[tokio::test]
async fn invalid_responses_are_refused() {
    for body in ["{}", "[]", "nonsense", "", r#"{"steps": 7}"#, r#"{"candidates": []}"#] {
        assert_eq!(fault(KIND, Answer::json(200, body)).await.code, "provider.invalid_response", "{body}");
    }
    for stream in [
        "data: {\"event_type\": 7}\n\n",
        "data: {\"event_type\": \"step.delta\", \"delta\": 7}\n\n",
        "data: {\"event_type\": \"step.start\", \"step\": [7]}\n\n",
    ] {
        let error = fault(KIND, Answer::stream(stream)).await;
        assert_eq!((error.code.as_str(), error.retryable), ("provider.invalid_response", false), "{stream}");
    }
    // An end mark without a final event.
    let goodbye = format!(
        "{}event: done\ndata: [DONE]\n\n",
        stream_of(&[start(0, &json!({"type": "model_output"})), text_delta(0, "Hi")])
    );
    assert_eq!(fault(KIND, Answer::stream(goodbye)).await.code, "provider.cut_short");
}
