//! The simulator's replies depend only on the request.

use std::sync::Arc;

use plait_core::id::{Activation, Epoch};
use plait_llm::context::{Message, ToolCall};
use serde_json::{Value, json};

use super::*;

fn message(role: Role, node: &str, text: &str) -> SharedMessage {
    let author = Activation { node: node.into(), epoch: Epoch::root() };
    Arc::new(Message::plain("m".into(), role, text, author, 5))
}

fn user(text: &str) -> SharedMessage {
    message(Role::User, "ask", text)
}

/// An assistant message with a tool call, and the tool's result.
fn step() -> [SharedMessage; 2] {
    let mut calls_tool = (*message(Role::Assistant, "chat", "")).clone();
    calls_tool.tool_calls.push(ToolCall { id: "call_0_0_0".into(), name: "t".into(), arguments: json!({}) });
    [Arc::new(calls_tool), message(Role::Tool, "chat", "done")]
}

fn request(model: &str, messages: Vec<SharedMessage>, options: Value) -> ModelRequest {
    ModelRequest {
        activation: Activation { node: "chat".into(), epoch: Epoch::root() },
        attempt: 1,
        model: model.into(),
        system: None,
        messages,
        tools: Vec::new(),
        temperature: None,
        max_tokens: None,
        window: None,
        response_schema: None,
        session: None,
        options,
    }
}

async fn call(request: ModelRequest) -> (Result<ModelReply, Fault>, Vec<Chunk>) {
    let mut chunks = Vec::new();
    let reply = Offline.call(request, &mut |chunk| chunks.push(chunk)).await;
    (reply, chunks)
}

async fn reply(request: ModelRequest) -> ModelReply {
    call(request).await.0.expect("a reply")
}

async fn code(request: ModelRequest) -> String {
    call(request).await.0.expect_err("a fault").code.to_string()
}

#[tokio::test]
async fn echo_repeats_the_last_user_message() {
    let mut model_request = request(
        ECHO,
        vec![user("first"), message(Role::Assistant, "chat", "x"), user(" Hello, world! ")],
        Value::Null,
    );
    model_request.system = Some("Be brief.".into());
    let (answer, chunks) = call(model_request).await;
    let answer = answer.expect("a reply");
    assert_eq!(answer.text, "You said: Hello, world!");
    assert_eq!(answer.stop_reason, StopReason::End);
    assert_eq!(
        answer.usage,
        Some(TokenUsage::new(4 + 3 + 15, tokens::count(ECHO, "You said: Hello, world!")))
    );
    let words: Vec<_> = ["You", " said:", " Hello,", " world!"].map(|word| Chunk::Text(word.into())).into();
    assert_eq!(chunks, words);
    assert_eq!(reply(request(ECHO, vec![user("  ")], Value::Null)).await.text, "You said nothing.");
    assert_eq!(reply(request(ECHO, vec![], Value::Null)).await.text, "You said nothing.");
}

#[tokio::test]
async fn prompt_repeats_all_of_its_prompt_in_a_fence() {
    let answer = reply(request(PROMPT, vec![user("<history>\n```\n</history>")], Value::Null)).await;
    assert_eq!(answer.text, "The prompt was:\n\n````text\n<history>\n```\n</history>\n````");
    assert_eq!(code(request(PROMPT, vec![], script())).await, "provider.bad_options");
}

fn script() -> Value {
    json!({"replies": [
        {"text": "Let me see.", "toolCalls": [{"name": "t", "arguments": {"a": 1}}, {"name": "u"}]},
        {"reasoning": "So it is.", "text": "one"},
        {"text": "two"},
    ]})
}

#[tokio::test]
async fn script_replies_by_turn_and_step() {
    let first = reply(request(SCRIPT, vec![user("a")], script())).await;
    assert_eq!(first.stop_reason, StopReason::ToolCalls);
    let calls: Vec<_> = first
        .tool_calls
        .iter()
        .map(|call| (call.id.as_str(), call.name.as_str(), call.arguments.clone()))
        .collect();
    assert_eq!(calls, [("call_0_0_0", "t", json!({"a": 1})), ("call_0_0_1", "u", json!({}))]);

    let [calls_tool, done] = step();
    let second = reply(request(SCRIPT, vec![user("a"), calls_tool.clone(), done.clone()], script())).await;
    assert_eq!((second.text.as_str(), second.reasoning.as_deref()), ("one", Some("So it is.")));

    // Replies of other nodes do not count.
    let said = |node: &str| message(Role::Assistant, node, "x");
    let history = vec![user("a"), said("chat"), user("b"), said("other"), user("c")];
    assert_eq!(reply(request(SCRIPT, history.clone(), script())).await.text, "two");
    // Tool steps in the history change nothing.
    let with_steps = vec![user("a"), calls_tool, done, said("chat"), user("c")];
    assert_eq!(reply(request(SCRIPT, with_steps, script())).await.text, "two");
}

#[tokio::test]
async fn finished_script_repeats_cycles_or_fails() {
    let at_turn = |turn: usize, repeat: &str| {
        let mut options = script();
        options["repeat"] = json!(repeat);
        let mut history: Vec<_> =
            (0..turn).flat_map(|_| [user("a"), message(Role::Assistant, "chat", "x")]).collect();
        history.push(user("z"));
        request(SCRIPT, history, options)
    };
    assert_eq!(reply(at_turn(7, "last")).await.text, "two");
    assert_eq!(reply(at_turn(2, "cycle")).await.text, "Let me see.");
    assert_eq!(reply(at_turn(3, "cycle")).await.text, "two");
    assert_eq!(reply(at_turn(1, "fail")).await.text, "two");
    assert_eq!(code(at_turn(2, "fail")).await, "provider.script_over");
}

#[tokio::test]
async fn scripted_failure_counts_attempts_and_streams_its_prefix() {
    let mut model_request = request(
        SCRIPT,
        vec![user("a")],
        json!({"replies": [{"text": "größe ist alles", "fail": {"code": "provider.rate_limited", "afterChars": 7, "times": 2, "retryAfterMs": 30}}]}),
    );
    for attempt in 1..=3 {
        model_request.attempt = attempt;
        let (answer, chunks) = call(model_request.clone()).await;
        let streamed: String = chunks
            .iter()
            .map(|chunk| match chunk {
                Chunk::Text(text) | Chunk::Reasoning(text) => text.as_str(),
            })
            .collect();
        if attempt < 3 {
            let fault = answer.expect_err("fails");
            assert_eq!(
                (fault.code.as_str(), fault.retryable, fault.retry_after_ms),
                ("provider.rate_limited", true, Some(30))
            );
            assert_eq!(streamed, "größe i");
        } else {
            assert_eq!(answer.expect("a reply").text, "größe ist alles");
        }
    }
    let fails = json!({"replies": [{"fail": {"code": "provider.unauthorized", "message": "No."}}]});
    let fault = call(request(SCRIPT, vec![user("a")], fails)).await.0.expect_err("fails");
    assert_eq!((fault.message.as_str(), fault.retryable), ("No.", false));
}

#[tokio::test(start_paused = true)]
async fn stream_respects_delay_and_speed() {
    let started = tokio::time::Instant::now();
    let options = json!({"replies": [{"text": "one two three four", "delayMs": 1_000}], "tokensPerSecond": 2, "delayMs": 60_000});
    let mut at = Vec::new();
    let model_request = request(SCRIPT, vec![user("a")], options);
    let answer =
        Offline.call(model_request, &mut |_| at.push(started.elapsed().as_millis())).await.expect("a reply");
    assert_eq!(answer.usage.expect("counted").output, 4);
    // Paused time advances in whole milliseconds.
    assert!(
        at.iter().zip([1_500, 2_000, 2_500, 3_000]).all(|(at, expected)| at.abs_diff(expected) <= 4),
        "{at:?}"
    );
}

#[tokio::test]
async fn dropped_call_stops_streaming() {
    let model_request = request(ECHO, vec![user("a b c d e f g h")], json!({"tokensPerSecond": 100}));
    let mut received = 0;
    let mut sink = |_| received += 1;
    let cut =
        tokio::time::timeout(std::time::Duration::from_millis(35), Offline.call(model_request, &mut sink))
            .await;
    assert!(cut.is_err());
    assert!(received < 10);
}

#[tokio::test]
async fn max_tokens_truncates_the_text() {
    let mut model_request = request(ECHO, vec![user("a b c d e f")], Value::Null);
    model_request.max_tokens = Some(5);
    let answer = reply(model_request).await;
    assert_eq!((answer.text.as_str(), answer.stop_reason), ("You said: a b", StopReason::MaxTokens));
}

#[tokio::test]
async fn invalid_options_are_refused() {
    for (model, options) in [
        (SCRIPT, Value::Null),
        (SCRIPT, json!({"replies": []})),
        (SCRIPT, json!({"replies": [{"txt": "typo"}]})),
        (SCRIPT, json!({"replies": "x"})),
        (SCRIPT, json!([])),
        (ECHO, json!({"replies": [{"text": "x"}]})),
        (ECHO, json!({"tokensPerSecond": -1})),
        (ECHO, json!({"repeat": "never"})),
    ] {
        assert_eq!(
            code(request(model, vec![user("a")], options.clone())).await,
            "provider.bad_options",
            "{options}"
        );
    }
    assert_eq!(code(request("gpt-5", vec![user("a")], Value::Null)).await, "provider.not_found");
}
