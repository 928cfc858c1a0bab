//! Decoding of replies.

use plait_llm::models::TokenUsage;
use plait_llm::provider::{Chunk, ModelReply, StopReason};
use serde_json::{Value, json};

use super::{KIND, final_event, parts, text_events};
use crate::protocol_checks::{RecordedStream, full_usage, holds_for_every_protocol};
use crate::requests::tool_call;
use crate::server::{Answer, events, fault, reply_to};

/// A complete stream: thoughts, text beyond ASCII, a signed text, two calls, one with a signature and one with an id, a
/// part of an unknown kind.
fn recorded_events(usage: &Value) -> Vec<Value> {
    let first = json!({"name": "calculator", "args": {"expression": "1+1"}});
    let second = json!({"id": "fc_2", "name": "current_time"});
    vec![
        parts(json!([{"text": "Größe…", "thought": true}])),
        parts(json!([{"text": "Schön 🙂"}])),
        parts(json!([{"text": " 日本"}, {"hologram": {"depth": 3}}, {"text": "語\n\"x\""}])),
        parts(json!([{"text": "", "thoughtSignature": "dGV4dA=="}])),
        parts(json!([{"functionCall": first, "thoughtSignature": "Y2FsbA+/="}])),
        final_event(json!([{"functionCall": second}]), "STOP", usage),
    ]
}

fn expected() -> ModelReply {
    ModelReply {
        attachments: Vec::new(),
        text: "Schön 🙂 日本語\n\"x\"".into(),
        reasoning: Some("Größe…".into()),
        tool_calls: vec![
            tool_call("call_0", "calculator", json!({"expression": "1+1"})),
            tool_call("fc_2", "current_time", json!({})),
        ],
        stop_reason: StopReason::ToolCalls,
        // 12 of the prompt and 3 of the provider's tools; 14 of the reply and 20 of thoughts.
        usage: Some(full_usage(15, 34, 8, 20)),
        response_id: Some("r1".into()),
        provider_state: Some(json!({"gemini": [
            {"text": "Schön 🙂 日本語\n\"x\"".len()},
            {"text": 0, "thoughtSignature": "dGV4dA=="},
            {"call": null, "thoughtSignature": "Y2FsbA+/="},
            {"call": "fc_2"},
        ]})),
    }
}

fn recording(newline: &str, usage: &Value) -> RecordedStream {
    let bytes = events(&recorded_events(usage)).replace('\n', newline).into_bytes();
    RecordedStream {
        kind: KIND,
        answer: Answer::events,
        // There is no end event.
        complete_len: bytes.len(),
        bytes,
        reply: expected(),
        chunks: vec![
            Chunk::Reasoning("Größe…".into()),
            Chunk::Text("Schön 🙂".into()),
            Chunk::Text(" 日本".into()),
            Chunk::Text("語\n\"x\"".into()),
        ],
    }
}

fn default_recording(newline: &str) -> RecordedStream {
    let usage = json!({
        "promptTokenCount": 12, "toolUsePromptTokenCount": 3, "cachedContentTokenCount": 8,
        "candidatesTokenCount": 14, "thoughtsTokenCount": 20, "totalTokenCount": 49,
        "promptTokensDetails": [{"modality": "TEXT", "tokenCount": 12}],
    });
    recording(newline, &usage)
}

holds_for_every_protocol!(default_recording, ["\n", "\r\n", "\r"]);

#[tokio::test]
async fn invalid_usage_is_ignored() {
    let usage = |count: &Value| {
        json!({
            "promptTokenCount": count, "toolUsePromptTokenCount": count, "cachedContentTokenCount": count,
            "candidatesTokenCount": count, "thoughtsTokenCount": count,
        })
    };
    let with = |usage: &Value| recording("\n", usage).bytes;
    default_recording("\n").check_invalid_usage(|count| with(&usage(count))).await;
    default_recording("\n").check_missing_usage(with).await;
}

async fn decode(all: &[Value]) -> ModelReply {
    reply_to(KIND, Answer::stream(events(all))).await.0
}

#[tokio::test]
async fn finish_reasons_are_mapped() {
    for (reason, expected) in [
        ("STOP", StopReason::End),
        ("MAX_TOKENS", StopReason::MaxTokens),
        ("SAFETY", StopReason::ContentFilter),
        ("RECITATION", StopReason::ContentFilter),
        ("BLOCKLIST", StopReason::ContentFilter),
        ("PROHIBITED_CONTENT", StopReason::ContentFilter),
        ("SPII", StopReason::ContentFilter),
        ("IMAGE_SAFETY", StopReason::ContentFilter),
        ("IMAGE_PROHIBITED_CONTENT", StopReason::ContentFilter),
        ("IMAGE_RECITATION", StopReason::ContentFilter),
        ("MODEL_ARMOR", StopReason::ContentFilter),
        ("JAILBREAK", StopReason::ContentFilter),
        ("OTHER", StopReason::Other("OTHER".into())),
        ("MALFORMED_FUNCTION_CALL", StopReason::MalformedToolCall),
        ("LANGUAGE", StopReason::UnsupportedLanguage),
    ] {
        let reply = decode(&text_events("Hi", reason)).await;
        assert_eq!((reply.text.as_str(), reply.stop_reason), ("Hi", expected), "{reason}");
        assert_eq!(reply.usage, Some(TokenUsage::new(3, 5)));
        assert_eq!(reply.provider_state, None);
    }
}

#[tokio::test]
async fn withheld_reply_has_no_tool_calls() {
    let mut all = recorded_events(&json!({}));
    all[5]["candidates"][0]["finishReason"] = json!("SAFETY");
    let reply = decode(&all).await;
    assert_eq!(reply.stop_reason, StopReason::ContentFilter);
    assert_eq!((reply.tool_calls, reply.provider_state), (vec![], None));
    // The prompt itself is blocked.
    let blocked = json!({
        "promptFeedback": {"blockReason": "PROHIBITED_CONTENT"},
        "usageMetadata": {"promptTokenCount": 9, "candidatesTokenCount": 0},
    });
    let reply = decode(&[blocked]).await;
    assert_eq!((reply.text.as_str(), reply.stop_reason), ("", StopReason::ContentFilter));
    assert_eq!(reply.usage, Some(TokenUsage::new(9, 0)));
    // Feedback without a block reason is ignored.
    let mut all = text_events("Hi", "STOP");
    all[0]["promptFeedback"] = json!({"safetyRatings": []});
    assert_eq!(decode(&all).await.stop_reason, StopReason::End);
}

#[tokio::test]
async fn calls_without_ids_get_generated_ids() {
    let f = |name: &str| json!({"functionCall": {"name": name, "args": null}});
    let reply = decode(&[final_event(json!([f("a"), f("b")]), "STOP", &json!({}))]).await;
    let calls: Vec<_> = reply.tool_calls.iter().map(|call| (call.id.as_str(), call.name.as_str())).collect();
    assert_eq!(calls, [("call_0", "a"), ("call_1", "b")]);
    assert!(reply.tool_calls.iter().all(|call| call.arguments == json!({})));
    assert_eq!(reply.provider_state, None);
}

#[tokio::test]
async fn reply_can_consist_of_thoughts_only() {
    let usage = json!({"promptTokenCount": 3, "thoughtsTokenCount": 20});
    let reply = decode(&[final_event(json!([]), "MAX_TOKENS", &usage)]).await;
    assert_eq!((reply.text.as_str(), reply.stop_reason), ("", StopReason::MaxTokens));
    assert_eq!(reply.usage, Some(full_usage(3, 20, 0, 20)));
}

#[tokio::test]
async fn other_candidates_are_ignored() {
    let mut all = text_events("Hi", "STOP");
    all.insert(1, json!({"candidates": [{"index": 1, "content": {"parts": [{"text": "no"}]}}]}));
    all.push(json!({"candidates": [{"index": 0, "finishReason": "FINISH_REASON_UNSPECIFIED"}]}));
    let reply = decode(&all).await;
    assert_eq!((reply.text.as_str(), reply.stop_reason), ("Hi", StopReason::End));
}

#[tokio::test]
async fn unstreamed_reply_is_decoded() {
    let usage = json!({"promptTokenCount": 1, "candidatesTokenCount": 2});
    let whole = final_event(json!([{"text": "Hi"}]), "STOP", &usage);
    let (reply, chunks) = reply_to(KIND, Answer::json(200, &whole.to_string())).await;
    assert_eq!((reply.text.as_str(), reply.usage), ("Hi", Some(TokenUsage::new(1, 2))));
    assert_eq!(chunks, [Chunk::Text("Hi".into())]);
}

/// A PNG of one white pixel, in base64.
const PIXEL: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mP8/x8AAwMCAO+ip1sAAAAASUVORK5CYII=";

#[tokio::test]
async fn images_are_parts_of_the_reply_and_drafts_are_not() {
    let image =
        |is_draft: bool| json!({"inlineData": {"mimeType": "image/png", "data": PIXEL}, "thought": is_draft});
    let reply = decode(&[
        parts(json!([{"text": "Here: "}, image(true)])),
        parts(json!([image(false)])),
        final_event(json!([{"text": "Done."}]), "STOP", &json!({})),
    ])
    .await;
    assert_eq!((reply.text.as_str(), reply.stop_reason), ("Here: Done.", StopReason::End));
    let [image] = &reply.attachments[..] else { panic!("{:?}", reply.attachments) };
    assert_eq!((image.name.as_str(), image.media_type.as_str()), ("image-1.png", "image/png"));
    assert_eq!(
        (image.width, image.bytes, image.data.as_ref().map(|data| data.len())),
        (Some(1), 68, Some(68))
    );
}

#[tokio::test]
async fn image_that_cannot_be_read_is_an_invalid_response() {
    for data in ["no base64!", "AAAA"] {
        let image = json!({"inlineData": {"mimeType": "image/png", "data": data}});
        let answer = Answer::stream(events(&[final_event(json!([image]), "STOP", &json!({}))]));
        let found = fault(KIND, answer).await;
        assert_eq!(found.code, "provider.invalid_response", "{data}");
        assert!(found.message.contains("an image that can't be read"), "{}", found.message);
    }
}
