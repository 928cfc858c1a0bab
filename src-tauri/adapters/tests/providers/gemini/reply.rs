//! What comes back: the same reply however the bytes arrive, signatures and ids in their places.

use plait_engine::context::ToolCall;
use plait_engine::provider::{Chunk, ModelReply, StopReason};
use plait_engine::run::TokenUsage;
use serde_json::{Value, json};

use super::{KIND, last, parts, saying};
use crate::checks::{Recorded, all_of_it};
use crate::server::{Answer, Server, call, events, outcome, request};

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
            ToolCall {
                id: "call_0".into(),
                name: "calculator".into(),
                arguments: json!({"expression": "1+1"}),
            },
            ToolCall { id: "fc_2".into(), name: "current_time".into(), arguments: json!({}) },
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

fn known() -> Value {
    json!({
        "promptTokenCount": 12, "toolUsePromptTokenCount": 3, "cachedContentTokenCount": 8,
        "candidatesTokenCount": 14, "thoughtsTokenCount": 20, "totalTokenCount": 49,
        "promptTokensDetails": [{"modality": "TEXT", "tokenCount": 12}],
    })
}

#[tokio::test]
async fn the_same_reply_wherever_the_bytes_are_split() {
    for newline in ["\n", "\r\n", "\r"] {
        recording(newline, &known()).is_the_same_wherever_it_is_split().await;
    }
}

#[tokio::test]
async fn a_cut_stream_is_never_a_shorter_reply() {
    recording("\n", &known()).is_a_fault_wherever_it_is_cut().await;
}

#[tokio::test]
async fn nonsense_usage() {
    let usage = |count: &Value| {
        json!({
            "promptTokenCount": count, "toolUsePromptTokenCount": count, "cachedContentTokenCount": count,
            "candidatesTokenCount": count, "thoughtsTokenCount": count,
        })
    };
    recording("\n", &known())
        .survives_nonsense_in_its_usage(|count| recording("\n", &usage(count)).bytes)
        .await;
    for nonsense in [json!(7), json!("x"), json!([]), json!(null)] {
        let answer = Answer::stream(recording("\n", &nonsense).bytes);
        assert_eq!(outcome(KIND, answer).await.expect("a reply").usage, None, "{nonsense}");
    }
}

#[tokio::test]
async fn failures_that_every_protocol_has() {
    recording("\n", &known()).fails_by_name().await;
}

#[tokio::test]
async fn dropping_the_call_closes_the_connection() {
    recording("\n", &known()).closes_the_connection_when_it_is_dropped().await;
}

async fn reply_to(all: &[Value]) -> ModelReply {
    outcome(KIND, Answer::stream(events(all))).await.expect("a reply")
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
        ("OTHER", StopReason::Other("OTHER".into())),
        ("MALFORMED_FUNCTION_CALL", StopReason::Other("MALFORMED_FUNCTION_CALL".into())),
    ] {
        let reply = reply_to(&saying("Hi", reason)).await;
        assert_eq!((reply.text.as_str(), reply.stop_reason), ("Hi", expected), "{reason}");
        assert_eq!(reply.usage, Some(TokenUsage::new(3, 5)));
        assert_eq!(reply.provider_state, None);
    }
}

#[tokio::test]
async fn what_is_withheld_asks_for_no_function() {
    let mut all = recorded(&known());
    all[5]["candidates"][0]["finishReason"] = json!("SAFETY");
    let reply = reply_to(&all).await;
    assert_eq!(reply.stop_reason, StopReason::ContentFilter);
    assert_eq!((reply.tool_calls, reply.provider_state), (vec![], None));
    // The question itself.
    let blocked = json!({
        "promptFeedback": {"blockReason": "PROHIBITED_CONTENT"},
        "usageMetadata": {"promptTokenCount": 9, "candidatesTokenCount": 0},
    });
    let reply = reply_to(&[blocked]).await;
    assert_eq!((reply.text.as_str(), reply.stop_reason), ("", StopReason::ContentFilter));
    assert_eq!(reply.usage, Some(TokenUsage::new(9, 0)));
    // Feedback that blocks nothing is none.
    let mut all = saying("Hi", "STOP");
    all[0]["promptFeedback"] = json!({"safetyRatings": []});
    assert_eq!(reply_to(&all).await.stop_reason, StopReason::End);
}

#[tokio::test]
async fn calls_without_ids_get_some_and_nothing_to_keep() {
    let f = |name: &str| json!({"functionCall": {"name": name, "args": null}});
    let reply = reply_to(&[last(json!([f("a"), f("b")]), "STOP", &json!({}))]).await;
    let calls: Vec<_> = reply.tool_calls.iter().map(|call| (call.id.as_str(), call.name.as_str())).collect();
    assert_eq!(calls, [("call_0", "a"), ("call_1", "b")]);
    assert!(reply.tool_calls.iter().all(|call| call.arguments == json!({})));
    assert_eq!(reply.provider_state, None);
}

#[tokio::test]
async fn all_of_it_went_into_thoughts() {
    let usage = json!({"promptTokenCount": 3, "thoughtsTokenCount": 20});
    let reply = reply_to(&[last(json!([]), "MAX_TOKENS", &usage)]).await;
    assert_eq!((reply.text.as_str(), reply.stop_reason), ("", StopReason::MaxTokens));
    assert_eq!(reply.usage, Some(all_of_it(3, 20, 0, 20)));
}

#[tokio::test]
async fn another_candidate_is_nobodys() {
    let mut all = saying("Hi", "STOP");
    all.insert(1, json!({"candidates": [{"index": 1, "content": {"parts": [{"text": "no"}]}}]}));
    all.push(json!({"candidates": [{"index": 0, "finishReason": "FINISH_REASON_UNSPECIFIED"}]}));
    let reply = reply_to(&all).await;
    assert_eq!((reply.text.as_str(), reply.stop_reason), ("Hi", StopReason::End));
}

#[tokio::test]
async fn a_server_that_does_not_stream_is_understood() {
    let usage = json!({"promptTokenCount": 1, "candidatesTokenCount": 2});
    let whole = last(json!([{"text": "Hi"}]), "STOP", &usage);
    let server = Server::saying([Answer::json(200, &whole.to_string())]).await;
    let (reply, chunks) = call(&*server.provider(KIND), request()).await;
    let reply = reply.expect("a reply");
    assert_eq!((reply.text.as_str(), reply.usage), ("Hi", Some(TokenUsage::new(1, 2))));
    assert_eq!(chunks, [Chunk::Text("Hi".into())]);
}
