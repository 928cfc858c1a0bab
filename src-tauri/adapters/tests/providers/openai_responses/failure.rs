//! Failures specific to this protocol: its errors and invalid responses.

use plait_llm::models::TokenUsage;
use plait_llm::provider::StopReason;
use serde_json::json;

use super::{KIND, delta, stream_of};
use crate::server::{Answer, fault, reply_to};

#[tokio::test]
async fn errors_within_a_stream_are_mapped_to_codes() {
    for (code, expected, retryable) in [
        ("server_error", "provider.server_error", true),
        ("rate_limit_exceeded", "provider.rate_limited", true),
        ("insufficient_quota", "provider.rate_limited", false),
        ("invalid_prompt", "provider.bad_request", false),
        ("context_length_exceeded", "provider.context_exceeded", false),
    ] {
        let error = json!({"code": code, "message": "It broke."});
        let failed =
            json!({"type": "response.failed", "response": {"id": "r", "status": "failed", "error": error}});
        let plain = json!({"type": "error", "code": code, "message": "It broke.", "param": null});
        let nested = json!({"type": "error", "error": error});
        for event in [failed, plain, nested] {
            let error = fault(KIND, Answer::stream(stream_of(&[delta(0, "Hi"), event.clone()]))).await;
            assert_eq!((error.code.as_str(), error.retryable), (expected, retryable), "{event}");
            assert!(error.message.contains("It broke"), "{error}");
        }
    }
    let mute = json!({"type": "response.failed", "response": {"status": "failed", "error": null}});
    assert_eq!(fault(KIND, Answer::stream(stream_of(&[mute]))).await.code, "provider.server_error");
}

#[tokio::test]
async fn withheld_reply_says_so_with_its_usage() {
    for reason in ["content_filter", "CONTENT_FILTER"] {
        let usage = json!({"input_tokens": 30, "output_tokens": 2});
        let filtered = json!({"type": "response.incomplete", "response": {"status": "incomplete", "incomplete_details": {"reason": reason}, "usage": usage}});
        let (reply, _) = reply_to(KIND, Answer::stream(stream_of(&[delta(0, "Hi"), filtered]))).await;
        assert_eq!(reply.stop_reason, StopReason::ContentFilter);
        assert_eq!(reply.usage, Some(TokenUsage::new(30, 2)));
    }
    let end = json!({"type": "response.completed", "response": {"status": "completed"}});
    let pieces = json!({"type": "response.refusal.delta", "output_index": 0, "delta": "I can't."});
    let message = json!({"type": "message", "content": [{"type": "refusal", "refusal": "I can't."}]});
    let whole = json!({"type": "response.output_item.done", "output_index": 0, "item": message});
    for events in [vec![pieces.clone()], vec![whole.clone()], vec![pieces, whole]] {
        let answer = Answer::stream(stream_of(&[events, vec![end.clone()]].concat()));
        let (reply, _) = reply_to(KIND, answer).await;
        assert_eq!((reply.stop_reason, reply.text.as_str()), (StopReason::ContentFilter, "I can't."));
    }
}

#[tokio::test]
async fn invalid_responses_are_refused() {
    for body in
        ["{}", "[]", "nonsense", "", r#"{"output": 7}"#, r#"{"object": "chat.completion", "choices": []}"#]
    {
        assert_eq!(fault(KIND, Answer::json(200, body)).await.code, "provider.invalid_response", "{body}");
    }
    for stream in [
        // Chat completions.
        "data: {\"choices\": []}\n\n",
        "data: {\"type\": 7}\n\n",
        "data: {\"type\": \"response.output_text.delta\", \"delta\": 7}\n\n",
        "data: {\"type\": \"response.output_item.done\", \"item\": [7]}\n\n",
        "data: {\"type\": \"response.completed\"}\n\n",
    ] {
        let error = fault(KIND, Answer::stream(stream)).await;
        assert_eq!((error.code.as_str(), error.retryable), ("provider.invalid_response", false), "{stream}");
    }
    // An end mark without a final event.
    let goodbye = format!("{}data: [DONE]\n\n", stream_of(&[delta(0, "Hi")]));
    assert_eq!(fault(KIND, Answer::stream(goodbye)).await.code, "provider.cut_short");
}
