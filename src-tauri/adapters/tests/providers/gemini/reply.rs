//! What comes back: the same reply however the bytes arrive, signatures and ids in their places.

use plait_engine::models::TokenUsage;
use plait_engine::provider::{Chunk, ModelReply, StopReason};
use serde_json::{Value, json};

use super::{KIND, last, parts, saying};
use crate::asked::tool_call;
use crate::checks::{Recorded, all_of_it, holds_for_every_protocol};
use crate::server::{Answer, events, reply_to};

/// A stream as the provider sends it, with everything in it: thoughts, text beyond ASCII, a signed text, two calls of which
/// one has a signature and one an id, a part of a kind yet to come.
fn recorded(usage: &Value) -> Vec<Value> {
    let first = json!({"name": "calculator", "args": {"expression": "1+1"}});
    let second = json!({"id": "fc_2", "name": "current_time"});
    vec![
        parts(json!([{"text": "Größe…", "thought": true}])),
        parts(json!([{"text": "Schön 🙂"}])),
        parts(json!([{"text": " 日本"}, {"hologram": {"depth": 3}}, {"text": "語\n\"x\""}])),
        parts(json!([{"text": "", "thoughtSignature": "dGV4dA=="}])),
        parts(json!([{"functionCall": first, "thoughtSignature": "Y2FsbA+/="}])),
        last(json!([{"functionCall": second}]), "STOP", usage),
    ]
}

fn expected() -> ModelReply {
    ModelReply {
        text: "Schön 🙂 日本語\n\"x\"".into(),
        reasoning: Some("Größe…".into()),
        tool_calls: vec![
            tool_call("call_0", "calculator", json!({"expression": "1+1"})),
            tool_call("fc_2", "current_time", json!({})),
        ],
        stop_reason: StopReason::ToolCalls,
        // 12 of the prompt and 3 that tools of the provider read; 14 of the reply and 20 of thoughts.
        usage: Some(all_of_it(15, 34, 8, 20)),
        response_id: Some("r1".into()),
        provider_state: Some(json!({"gemini": [
            {"text": "Schön 🙂 日本語\n\"x\"".len()},
            {"text": 0, "thoughtSignature": "dGV4dA=="},
            {"call": null, "thoughtSignature": "Y2FsbA+/="},
            {"call": "fc_2"},
        ]})),
    }
}

fn recording(newline: &str, usage: &Value) -> Recorded {
    let bytes = events(&recorded(usage)).replace('\n', newline).into_bytes();
    Recorded {
        kind: KIND,
        answer: Answer::events,
        // There is no goodbye.
        whole: bytes.len(),
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

fn known(newline: &str) -> Recorded {
    let usage = json!({
        "promptTokenCount": 12, "toolUsePromptTokenCount": 3, "cachedContentTokenCount": 8,
        "candidatesTokenCount": 14, "thoughtsTokenCount": 20, "totalTokenCount": 49,
        "promptTokensDetails": [{"modality": "TEXT", "tokenCount": 12}],
    });
    recording(newline, &usage)
}

holds_for_every_protocol!(known, ["\n", "\r\n", "\r"]);

#[tokio::test]
async fn nonsense_usage() {
    let usage = |count: &Value| {
        json!({
            "promptTokenCount": count, "toolUsePromptTokenCount": count, "cachedContentTokenCount": count,
            "candidatesTokenCount": count, "thoughtsTokenCount": count,
        })
    };
    let with = |usage: &Value| recording("\n", usage).bytes;
    known("\n").survives_nonsense_in_its_usage(|count| with(&usage(count))).await;
    known("\n").survives_a_usage_that_is_none(with).await;
}

async fn said(all: &[Value]) -> ModelReply {
    reply_to(KIND, Answer::stream(events(all))).await.0
}

#[tokio::test]
async fn finish_reasons() {
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
        ("MALFORMED_FUNCTION_CALL", StopReason::Other("MALFORMED_FUNCTION_CALL".into())),
    ] {
        let reply = said(&saying("Hi", reason)).await;
        assert_eq!((reply.text.as_str(), reply.stop_reason), ("Hi", expected), "{reason}");
        assert_eq!(reply.usage, Some(TokenUsage::new(3, 5)));
        assert_eq!(reply.provider_state, None);
    }
}

#[tokio::test]
async fn what_is_withheld_asks_for_no_function() {
    let mut all = recorded(&json!({}));
    all[5]["candidates"][0]["finishReason"] = json!("SAFETY");
    let reply = said(&all).await;
    assert_eq!(reply.stop_reason, StopReason::ContentFilter);
    assert_eq!((reply.tool_calls, reply.provider_state), (vec![], None));
    // The question itself.
    let blocked = json!({
        "promptFeedback": {"blockReason": "PROHIBITED_CONTENT"},
        "usageMetadata": {"promptTokenCount": 9, "candidatesTokenCount": 0},
    });
    let reply = said(&[blocked]).await;
    assert_eq!((reply.text.as_str(), reply.stop_reason), ("", StopReason::ContentFilter));
    assert_eq!(reply.usage, Some(TokenUsage::new(9, 0)));
    // Feedback that blocks nothing is none.
    let mut all = saying("Hi", "STOP");
    all[0]["promptFeedback"] = json!({"safetyRatings": []});
    assert_eq!(said(&all).await.stop_reason, StopReason::End);
}

#[tokio::test]
async fn calls_without_ids_get_some_and_nothing_to_keep() {
    let f = |name: &str| json!({"functionCall": {"name": name, "args": null}});
    let reply = said(&[last(json!([f("a"), f("b")]), "STOP", &json!({}))]).await;
    let calls: Vec<_> = reply.tool_calls.iter().map(|call| (call.id.as_str(), call.name.as_str())).collect();
    assert_eq!(calls, [("call_0", "a"), ("call_1", "b")]);
    assert!(reply.tool_calls.iter().all(|call| call.arguments == json!({})));
    assert_eq!(reply.provider_state, None);
}

#[tokio::test]
async fn all_of_it_went_into_thoughts() {
    let usage = json!({"promptTokenCount": 3, "thoughtsTokenCount": 20});
    let reply = said(&[last(json!([]), "MAX_TOKENS", &usage)]).await;
    assert_eq!((reply.text.as_str(), reply.stop_reason), ("", StopReason::MaxTokens));
    assert_eq!(reply.usage, Some(all_of_it(3, 20, 0, 20)));
}

#[tokio::test]
async fn another_candidate_is_nobodys() {
    let mut all = saying("Hi", "STOP");
    all.insert(1, json!({"candidates": [{"index": 1, "content": {"parts": [{"text": "no"}]}}]}));
    all.push(json!({"candidates": [{"index": 0, "finishReason": "FINISH_REASON_UNSPECIFIED"}]}));
    let reply = said(&all).await;
    assert_eq!((reply.text.as_str(), reply.stop_reason), ("Hi", StopReason::End));
}

#[tokio::test]
async fn a_server_that_does_not_stream_is_understood() {
    let usage = json!({"promptTokenCount": 1, "candidatesTokenCount": 2});
    let whole = last(json!([{"text": "Hi"}]), "STOP", &usage);
    let (reply, chunks) = reply_to(KIND, Answer::json(200, &whole.to_string())).await;
    assert_eq!((reply.text.as_str(), reply.usage), ("Hi", Some(TokenUsage::new(1, 2))));
    assert_eq!(chunks, [Chunk::Text("Hi".into())]);
}
