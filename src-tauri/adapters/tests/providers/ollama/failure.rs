//! Failures specific to this protocol: its errors and invalid responses.

use serde_json::json;

use super::{KIND, lines_of, stream};
use crate::server::{Answer, Step, call_once, fault};

#[tokio::test]
async fn errors_within_a_stream_are_mapped_to_codes() {
    let start = json!({"message": {"role": "assistant", "content": "Hi"}, "done": false});
    for error in
        [json!({"error": "model runner has unexpectedly stopped"}), json!({"error": {"message": "stopped"}})]
    {
        let error = fault(KIND, stream(&[start.clone(), error])).await;
        assert_eq!((error.code.as_str(), error.retryable), ("provider.server_error", true));
        assert!(error.message.contains("stopped"), "{error}");
    }
    let missing = Answer::json(404, r#"{"error": "model 'tiny' not found"}"#);
    let error = fault(KIND, missing).await;
    assert_eq!(error.code, "provider.not_found");
    assert!(error.message.contains("model 'tiny' not found"), "{error}");
}

#[tokio::test]
async fn invalid_responses_are_refused() {
    for text in [
        "{}\n",
        "[]\n",
        "7\n",
        "nonsense",
        "nonsense\n",
        // Chat completions.
        "{\"choices\": []}\n",
        "{\"message\": 7, \"done\": true}\n",
        "{\"message\": {\"tool_calls\": 7}, \"done\": true}\n",
    ] {
        let error = fault(KIND, Answer::lines(vec![Step::Send(text.into())])).await;
        assert_eq!((error.code.as_str(), error.retryable), ("provider.invalid_response", false), "{text}");
    }
    // Invalid UTF-8, in a complete line and in the last one.
    for bytes in [&b"{\"message\": {\"content\": \"\xff\"}, \"done\": true}\n"[..], b"\xff\xfe"] {
        let error = fault(KIND, Answer::lines(vec![Step::Send(bytes.into())])).await;
        assert_eq!(error.code, "provider.invalid_response");
    }
    let nothing_after = lines_of(&[json!({"message": {"content": "Hi"}, "done": true})]) + "nonsense\n";
    let reply = call_once(KIND, Answer::lines(vec![Step::Send(nothing_after.into())])).await;
    assert_eq!(reply.expect("a reply").text, "Hi");
}
