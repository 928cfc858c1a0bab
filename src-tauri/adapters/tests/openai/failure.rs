//! Every failure has its code, says where it was met, and is retryable where that can help.

use std::time::Duration;

use plait_engine::error::Fault;
use plait_engine::provider::Chunk;
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use crate::server::{Answer, Server, Step, call, outcome, provider, request, stream_of};

async fn fault(answer: Answer) -> Fault {
    let fault = outcome(answer).await.expect_err("a fault");
    assert!(
        fault.message.contains("http://127.0.0.1:") && fault.message.contains("`tiny`"),
        "says where: {fault}"
    );
    assert!(fault.hint.is_some(), "says what to do: {fault}");
    fault
}

/// What a server leads to that sends `bytes` and closes the connection.
async fn raw(bytes: &'static [u8]) -> Fault {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("bound");
    let mut settings = Server::saying([]).await.settings();
    settings.base_url = Some(format!("http://{}/v1", listener.local_addr().expect("address")));
    let serve = async {
        let (mut socket, _) = listener.accept().await.expect("accepted");
        let mut heard = [0; 4096];
        let _ = socket.read(&mut heard).await.expect("read");
        socket.write_all(bytes).await.expect("written");
        socket.shutdown().await.expect("closed");
    };
    let provider = provider(settings);
    let (outcome, ()) = tokio::join!(call(&*provider, request()), serve);
    outcome.0.expect_err("a fault")
}

#[tokio::test]
async fn statuses() {
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
        let fault = fault(Answer::json(status, &body)).await;
        assert_eq!((fault.code.as_str(), fault.retryable), (code, retryable), "{status} {body}");
        assert_eq!(fault.retry_after_ms, None);
    }
}

#[tokio::test]
async fn the_servers_own_words_are_told_and_bounded() {
    let told = fault(Answer::json(400, r#"{"error": {"message": "max_tokens is\n too large."}}"#)).await;
    assert!(told.message.contains("400 Bad Request: max_tokens is too large."), "{told}");
    let told = fault(Answer::json(404, r#"{"error": "model 'tiny' not found"}"#)).await;
    assert!(told.message.contains("model 'tiny' not found"), "{told}");
    let long = fault(Answer::json(500, &"ä".repeat(1 << 20))).await;
    assert!(long.message.len() < 2_000, "{}", long.message.len());
}

#[tokio::test]
async fn a_server_says_how_long_to_wait() {
    for (header, value, expected) in
        [("retry-after", "7", 7_000), ("retry-after", "0.5", 500), ("retry-after-ms", "1500", 1_500)]
    {
        let fault = fault(Answer::json(429, "{}").header(header, value)).await;
        assert_eq!(fault.retry_after_ms, Some(expected), "{header}: {value}");
    }
    let date = httpdate::fmt_http_date(std::time::SystemTime::now() + Duration::from_secs(100));
    let waits =
        fault(Answer::json(503, "{}").header("retry-after", &date)).await.retry_after_ms.expect("a time");
    assert!((90_000..=100_000).contains(&waits), "{waits}");
    assert_eq!(fault(Answer::json(429, "{}").header("retry-after", "soon")).await.retry_after_ms, None);
}

#[tokio::test]
async fn a_cut_stream_is_never_a_shorter_reply() {
    let events = [
        json!({"choices": [{"index": 0, "delta": {"content": "Größe"}}]}),
        json!({"choices": [{"index": 0, "delta": {"content": " ist"}}]}),
        json!({"choices": [{"index": 0, "delta": {"content": " alles"}, "finish_reason": "stop"}]}),
    ];
    let bytes = stream_of(&events).into_bytes();
    // Up to the end of the event with the finish reason there is no whole reply.
    let whole = bytes.len() - "data: [DONE]\n\n".len();
    let ends = (0..whole).map(|at| Answer::stream(&bytes[..at]));
    let breaks = (0..whole).map(|at| Answer::events(vec![Step::Send(bytes[..at].to_vec()), Step::Cut]));
    let server = Server::saying(ends.chain(breaks)).await;
    let provider = server.provider();
    for at in (0..whole).chain(0..whole) {
        let fault = call(&*provider, request()).await.0.expect_err("cut");
        assert_eq!(
            (fault.code.as_str(), fault.retryable),
            ("provider.cut_short", true),
            "at byte {at}: {fault}"
        );
    }
}

#[tokio::test]
async fn what_is_not_the_protocol() {
    let html = Answer {
        headers: vec![("content-type", "text/html".into())],
        ..Answer::json(200, "<html>Welcome</html>")
    };
    let told = fault(html).await;
    assert_eq!(told.code, "provider.garbage");
    assert!(told.message.contains("text/html") && told.message.contains("Welcome"), "{told}");
    for body in ["{}", "[]", "nonsense", "", r#"{"choices": [{"message": 7}]}"#, r#"{"choices": []}"#] {
        assert_eq!(fault(Answer::json(200, body)).await.code, "provider.garbage", "{body}");
    }
    for stream in [
        &b"data: nonsense\n\n"[..],
        b"data: {\"choices\": 7}\n\n",
        b"data: [DONE]\n\n",
        b"data: \xff\xfe\n\n",
        b"data: {\"choices\": [{\"delta\": \"x\"}]}\n\n",
    ] {
        let told = fault(Answer::stream(stream)).await;
        assert_eq!(told.code, "provider.garbage", "{}", String::from_utf8_lossy(stream));
        assert!(!told.retryable);
    }
    let told = raw(b"SSH-2.0-OpenSSH_9.2\r\n").await;
    assert_eq!(told.code, "provider.garbage", "{told}");
    assert_eq!(
        raw(
            b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n"
        )
        .await
        .code,
        "provider.garbage"
    );
}

#[tokio::test]
async fn an_endless_answer_is_given_up() {
    let piece = vec![b'a'; 1 << 20];
    let steps =
        std::iter::once(Step::Send(b"data: ".to_vec())).chain((0..70).map(|_| Step::Send(piece.clone())));
    assert_eq!(fault(Answer::events(steps.collect())).await.code, "provider.garbage");
}

#[tokio::test]
async fn errors_within_a_stream() {
    let begun = json!({"choices": [{"index": 0, "delta": {"content": "Hi"}}]});
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
        let told = fault(Answer::stream(stream_of(&[begun.clone(), json!({"error": error})]))).await;
        assert_eq!((told.code.as_str(), told.retryable), (code, retryable), "{error}");
    }
    let filtered = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "content_filter"}]});
    assert_eq!(
        fault(Answer::stream(stream_of(&[begun.clone(), filtered]))).await.code,
        "provider.content_filtered"
    );
    let refused =
        json!({"choices": [{"index": 0, "delta": {"refusal": "I can't."}, "finish_reason": "stop"}]});
    let told = fault(Answer::stream(stream_of(&[refused]))).await;
    assert_eq!(told.code, "provider.content_filtered");
    assert!(told.message.contains("I can't"), "{told}");
}

#[tokio::test]
async fn slow_servers() {
    let begun =
        Step::Send(b"data: {\"choices\": [{\"index\": 0, \"delta\": {\"content\": \"Hi\"}}]}\n\n".to_vec());
    let silent = Step::Wait(Duration::from_mins(1));
    // Silent in the middle; silent before the first word; and, below, before the status.
    for steps in [vec![begun, silent.clone()], vec![silent]] {
        let server = Server::saying([Answer::events(steps)]).await;
        let mut settings = server.settings();
        settings.read_timeout_ms = Some(50);
        settings.header_timeout_ms = Some(50);
        let told = call(&*provider(settings), request()).await.0.expect_err("slow");
        assert_eq!((told.code.as_str(), told.retryable), ("provider.timeout", true), "{told}");
        assert!(told.message.contains("50 ms"), "{told}");
    }
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("bound");
    let mut settings = Server::saying([]).await.settings();
    settings.base_url = Some(format!("http://{}/v1", listener.local_addr().expect("address")));
    settings.header_timeout_ms = Some(50);
    let told = call(&*provider(settings), request()).await.0.expect_err("slow");
    assert_eq!((told.code.as_str(), told.retryable), ("provider.timeout", true), "{told}");
}

#[tokio::test]
async fn servers_that_are_not_there() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("bound");
    let mut settings = Server::saying([]).await.settings();
    settings.base_url = Some(format!("http://user:secret@{}/v1", listener.local_addr().expect("address")));
    drop(listener);
    let told = call(&*provider(settings.clone()), request()).await.0.expect_err("nobody");
    assert_eq!((told.code.as_str(), told.retryable), ("provider.unreachable", true), "{told}");
    assert!(!told.message.contains("secret"), "{told}");
    settings.base_url = Some("http://nowhere.invalid/v1".into());
    assert_eq!(
        call(&*provider(settings), request()).await.0.expect_err("nobody").code,
        "provider.unreachable"
    );
    // There, but gone before it answers, or in the middle of its head.
    assert_eq!(raw(b"").await.code, "provider.cut_short");
    assert_eq!(raw(b"HTTP/1.1 200 OK\r\ncontent-ty").await.code, "provider.cut_short");
}

#[tokio::test]
async fn dropping_the_call_closes_the_connection() {
    let begun =
        Step::Send(b"data: {\"choices\": [{\"index\": 0, \"delta\": {\"content\": \"Hi\"}}]}\n\n".to_vec());
    let steps = (0..10_000).flat_map(|_| [begun.clone(), Step::Wait(Duration::from_millis(2))]).collect();
    let mut server = Server::saying([Answer::events(steps)]).await;
    let provider = server.provider();
    let (first, heard) = tokio::sync::oneshot::channel();
    let mut first = Some(first);
    let mut sink = move |chunk| {
        assert_eq!(chunk, Chunk::Text("Hi".into()));
        if let Some(first) = first.take() {
            first.send(()).expect("awaited");
        }
    };
    tokio::select! {
        _ = provider.call(request(), &mut sink) => panic!("it does not end by itself"),
        heard = heard => heard.expect("streamed"),
    }
    tokio::time::timeout(Duration::from_secs(10), server.closed()).await.expect("the server sees it");
}
