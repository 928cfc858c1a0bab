//! Replies that servers have sent and no protocol describes: finish reasons without a meaning, empty events, nulls, headers in
//! capitals, compressed bodies.

use std::io::Write as _;

use flate2::Compression;
use plait_adapters::providers::ProviderKind::{
    self, Anthropic, Gemini, GeminiInteractions, Ollama, OpenAi, OpenAiResponses,
};
use plait_llm::context::{Message, Role};
use plait_llm::provider::{ModelReply, ModelRequest, StopReason};
use serde_json::{Value, json};

use crate::requests::{assistant_with_calls, message, to_shared, tool_message};
use crate::server::{Answer, Server, Step, call, call_once, events, fault, reply_to, request};

fn chunk(content: &str, finish_reason: &Value) -> Value {
    json!({"choices": [{"index": 0, "delta": {"content": content}, "finish_reason": finish_reason}]})
}

/// A stream of each protocol with the reply `Hi`.
fn hi(kind: ProviderKind) -> String {
    match kind {
        OpenAi => events(&[chunk("Hi", &json!("stop"))]),
        OpenAiResponses => events(&[
            json!({"type": "response.output_text.delta", "output_index": 0, "delta": "Hi"}),
            json!({"type": "response.completed", "response": {"status": "completed"}}),
        ]),
        Gemini => events(&[
            json!({"candidates": [{"content": {"parts": [{"text": "Hi"}]}, "finishReason": "STOP"}]}),
        ]),
        GeminiInteractions => events(&[
            json!({"event_type": "step.start", "index": 0, "step": {"type": "model_output"}}),
            json!({"event_type": "step.delta", "index": 0, "delta": {"type": "text", "text": "Hi"}}),
            json!({"event_type": "interaction.completed", "interaction": {"status": "completed"}}),
        ]),
        Anthropic => events(&[
            json!({"type": "message_start", "message": {"content": []}}),
            json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": "Hi"}}),
            json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}}),
            json!({"type": "message_stop"}),
        ]),
        Ollama | ProviderKind::Offline => {
            format!("{}\n", json!({"message": {"content": "Hi"}, "done": true, "done_reason": "stop"}))
        }
    }
}

const ALL: [ProviderKind; 6] = [OpenAi, OpenAiResponses, Gemini, GeminiInteractions, Anthropic, Ollama];

fn with_type(kind: ProviderKind, media_type: &str, body: impl Into<Vec<u8>>) -> Answer {
    let _ = kind;
    let headers = vec![("content-type", media_type.to_owned())];
    Answer { status: 200, headers, steps: vec![Step::Send(body.into())] }
}

fn media_type(kind: ProviderKind) -> &'static str {
    if kind == Ollama { "application/x-ndjson" } else { "text/event-stream" }
}

#[tokio::test]
async fn blank_finish_reason_ends_nothing() {
    for blank in ["", "null", " "] {
        let half = events(&[chunk("The dose is 5", &json!(blank))]);
        for steps in
            [vec![Step::Send(half.clone().into())], vec![Step::Send(half.clone().into()), Step::Disconnect]]
        {
            let error = fault(OpenAi, Answer::events(steps)).await;
            assert_eq!((error.code.as_str(), error.retryable), ("provider.cut_short", true), "{blank:?}");
        }
        let whole = format!("{half}{}", events(&[chunk("00 mg.", &json!("stop"))]));
        let (reply, _) = reply_to(OpenAi, Answer::stream(whole)).await;
        assert_eq!((reply.text.as_str(), reply.stop_reason), ("The dose is 500 mg.", StopReason::End));
    }
}

#[tokio::test]
async fn media_type_is_read_in_any_case() {
    for kind in ALL {
        let header = format!("{}; Charset=UTF-8", media_type(kind).to_uppercase());
        assert_eq!(reply_to(kind, with_type(kind, &header, hi(kind))).await.0.text, "Hi", "{kind:?}");
    }
}

#[tokio::test]
async fn compressed_reply_is_decoded() {
    let gzip = |text: &str| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(text.as_bytes()).expect("written");
        encoder.finish().expect("finished")
    };
    let deflate = |text: &str| {
        let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(text.as_bytes()).expect("written");
        encoder.finish().expect("finished")
    };
    let brotli = |text: &str| {
        let mut encoded = Vec::new();
        brotli::BrotliCompress(
            &mut text.as_bytes(),
            &mut encoded,
            &brotli::enc::BrotliEncoderParams::default(),
        )
        .expect("encoded");
        encoded
    };
    for kind in ALL {
        for (name, body) in
            [("gzip", gzip(&hi(kind))), ("deflate", deflate(&hi(kind))), ("br", brotli(&hi(kind)))]
        {
            let answer = with_type(kind, media_type(kind), body.clone()).header("content-encoding", name);
            assert_eq!(reply_to(kind, answer).await.0.text, "Hi", "{kind:?} {name}");
            // A body that was cut off is no shorter reply.
            let cut =
                with_type(kind, media_type(kind), &body[..body.len() / 2]).header("content-encoding", name);
            assert!(call_once(kind, cut).await.is_err(), "{kind:?} {name}");
        }
    }
}

#[tokio::test]
async fn empty_events_are_skipped() {
    for kind in [OpenAi, OpenAiResponses, Gemini, GeminiInteractions, Anthropic] {
        let stream = format!("data:\n\ndata: \n\n{}data:\n\n", hi(kind));
        assert_eq!(reply_to(kind, Answer::stream(stream)).await.0.text, "Hi", "{kind:?}");
    }
}

#[tokio::test]
async fn last_blank_line_may_be_missing() {
    for kind in ALL {
        let whole = hi(kind);
        let answer = with_type(kind, media_type(kind), whole.trim_end());
        assert_eq!(reply_to(kind, answer).await.0.text, "Hi", "{kind:?}");
    }
}

#[tokio::test]
async fn error_of_older_vllm_in_a_stream_is_a_fault() {
    let error = json!({"object": "error", "message": "Too long.", "type": "BadRequestError", "param": null, "code": 400});
    let stream = events(&[chunk("Hi", &json!(null)), error]);
    let fault = fault(OpenAi, Answer::stream(stream)).await;
    assert_eq!(fault.code, "provider.bad_request", "{fault}");
    assert!(fault.message.contains("Too long"), "{fault}");
}

#[tokio::test]
async fn null_arguments_of_a_tool_call_are_none() {
    let called = |arguments: Value| {
        let function = json!({"name": "now", "arguments": arguments});
        let delta = json!({"tool_calls": [{"index": 0, "id": "a", "function": function}]});
        events(&[json!({"choices": [{"index": 0, "delta": delta, "finish_reason": "tool_calls"}]})])
    };
    let part = json!({"functionCall": {"name": "now", "args": null}});
    let message = json!({"tool_calls": [{"function": {"name": "now", "arguments": null}}]});
    for (kind, body) in [
        (OpenAi, called(json!("null"))),
        (OpenAi, called(Value::Null)),
        (Gemini, events(&[json!({"candidates": [{"content": {"parts": [part]}, "finishReason": "STOP"}]})])),
        (Ollama, format!("{}\n", json!({"message": message, "done": true, "done_reason": "stop"}))),
    ] {
        let (reply, _) = reply_to(kind, with_type(kind, media_type(kind), body)).await;
        assert_eq!(reply.tool_calls[0].arguments, json!({}), "{kind:?}");
    }
}

#[tokio::test]
async fn halves_of_a_character_are_joined() {
    let half = |half: &str| {
        format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"{half}\"}}}}]}}\n\n")
    };
    let body = format!("{}{}{}", half("a\\ud83d"), half("\\ude00b"), events(&[chunk("", &json!("stop"))]));
    let (reply, _) = reply_to(OpenAi, Answer::stream(body)).await;
    assert_eq!(reply.text, "a😀b");
}

#[tokio::test]
async fn reasoning_in_tags_is_no_text() {
    for (texts, reasoning, text) in [
        (["<think>5 is", " odd.</think>\n\nOdd."], Some("5 is odd."), "Odd."),
        (["5 is odd.\n</th", "ink>Odd."], Some("5 is odd."), "Odd."),
        (["[\"</think>\"", "]"], None, "[\"</think>\"]"),
    ] {
        let body = [chunk(texts[0], &Value::Null), chunk(texts[1], &json!("stop"))];
        let (reply, _) = reply_to(OpenAi, Answer::stream(events(&body))).await;
        assert_eq!((reply.reasoning.as_deref(), reply.text.as_str()), (reasoning, text), "{texts:?}");
    }
}

#[tokio::test]
async fn null_stands_for_nothing() {
    let null = Value::Null;
    let text = |reply: ModelReply| reply.text;
    let call = json!({"index": null, "id": "a", "function": null});
    let chat = [
        json!({"choices": [{"index": null, "delta": {"content": "Hi", "tool_calls": null}, "finish_reason": null}]}),
        json!({"choices": [{"index": null, "delta": {"content": null}, "finish_reason": "stop"}]}),
    ];
    assert_eq!(text(reply_to(OpenAi, Answer::stream(events(&chat))).await.0), "Hi");
    let calls = [
        json!({"choices": [{"index": 0, "delta": {"tool_calls": [call]}}]}),
        json!({"choices": [{"index": 0, "delta": {"tool_calls": [{"index": null, "function": {"name": "f", "arguments": "{}"}}]}, "finish_reason": "tool_calls"}]}),
    ];
    assert_eq!(reply_to(OpenAi, Answer::stream(events(&calls))).await.0.tool_calls.len(), 1);
    let gemini = [
        json!({"candidates": null, "usageMetadata": null}),
        json!({"candidates": [{"index": null, "content": {"parts": [{"text": "Hi", "thought": null}]}}]}),
        json!({"candidates": [{"index": 0, "content": {"parts": null}}]}),
        json!({"candidates": [{"index": 0, "content": null, "finishReason": "STOP"}]}),
    ];
    assert_eq!(text(reply_to(Gemini, Answer::stream(events(&gemini))).await.0), "Hi");
    let anthropic = [
        json!({"type": "message_start", "message": {"content": null, "usage": null}}),
        json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": null}}),
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Hi"}}),
        json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": null}),
    ];
    assert_eq!(text(reply_to(Anthropic, Answer::stream(events(&anthropic))).await.0), "Hi");
    let responses = [
        json!({"type": "response.output_text.delta", "output_index": null, "delta": "Hi"}),
        json!({"type": "response.output_text.delta", "output_index": null, "delta": null}),
        json!({"type": "response.completed", "response": {"status": "completed", "output": null}}),
    ];
    assert_eq!(text(reply_to(OpenAiResponses, Answer::stream(events(&responses))).await.0), "Hi");
    let line = json!({"message": {"content": "Hi", "tool_calls": [{"function": null}]}, "done": true, "done_reason": null});
    assert_eq!(text(reply_to(Ollama, with_type(Ollama, media_type(Ollama), line.to_string())).await.0), "Hi");
    drop(null);
}

/// The body of a request with a tool round: a call with this id that failed.
async fn sent(kind: ProviderKind, id: &str) -> Value {
    let server = Server::with_answers([with_type(kind, media_type(kind), hi(kind))]).await;
    let messages = to_shared([
        message(Role::User, "6*7?"),
        assistant_with_calls("", &[(id, "calculator", json!({}))]),
        Message { is_error: true, ..tool_message(id, "{\"error\":\"broken\"}") },
    ]);
    let (reply, _) = call(&*server.provider(kind), ModelRequest { messages, ..request() }).await;
    reply.expect("a reply");
    server.received().remove(0).body
}

#[tokio::test]
async fn anthropic_gets_ids_of_word_characters_and_errors_marked() {
    let body = sent(Anthropic, "functions.calculator:0").await;
    let (call, result) = (&body["messages"][1]["content"][0], &body["messages"][2]["content"][0]);
    let id = call["id"].as_str().expect("an id");
    assert!(id.chars().all(|char| char.is_ascii_alphanumeric() || "_-".contains(char)), "{id}");
    assert_eq!(result["tool_use_id"], json!(id));
    assert_eq!(result["is_error"], json!(true));
    let body = sent(Anthropic, "toolu_1").await;
    assert_eq!(body["messages"][1]["content"][0]["id"], json!("toolu_1"));
}
