//! Checks that every protocol must pass: the same reply for any chunking, a fault for any cut, and the same codes for the
//! same failures.

use std::time::{Duration, SystemTime};

use plait_adapters::providers::ProviderKind;
use plait_core::error::Fault;
use plait_llm::models::TokenUsage;
use plait_llm::provider::{Chunk, ModelReply};
use serde_json::{Value, json};

use crate::server::{
    Answer, Server, Step, call, call_once, fault, fault_for_raw_bytes, provider, reply_to, request, settings,
};

/// A complete stream of one protocol, with its decoded reply.
pub(crate) struct RecordedStream {
    pub(crate) kind: ProviderKind,
    /// Creates an answer of the protocol's media type.
    pub(crate) answer: fn(Vec<Step>) -> Answer,
    pub(crate) bytes: Vec<u8>,
    /// The number of bytes after which the reply is complete.
    pub(crate) complete_len: usize,
    pub(crate) reply: ModelReply,
    pub(crate) chunks: Vec<Chunk>,
}

impl RecordedStream {
    fn stream(&self, bytes: &[u8]) -> Answer {
        (self.answer)(vec![Step::Send(bytes.to_vec())])
    }

    async fn fault(&self, answer: Answer) -> Fault {
        fault(self.kind, answer).await
    }

    /// Splits the stream in two at these bytes, and into single bytes.
    async fn check_split_streams(&self, places: &[usize]) {
        let Self { bytes, .. } = self;
        let two = places
            .iter()
            .map(|at| vec![Step::Send(bytes[..*at].to_vec()), Step::Send(bytes[*at..].to_vec())]);
        let single = bytes.iter().map(|byte| Step::Send(vec![*byte])).collect();
        let server = Server::with_answers(two.chain([single]).map(self.answer)).await;
        let provider = server.provider(self.kind);
        for at in places.iter().chain([&bytes.len()]) {
            let (reply, chunks) = call(&*provider, request()).await;
            let reply = reply.unwrap_or_else(|fault| panic!("split at {at}: {fault}"));
            assert_eq!(reply, self.reply, "split at {at}");
            assert_eq!(chunks, self.chunks, "split at {at}");
        }
    }

    /// Splits the stream at every byte.
    pub(crate) async fn check_any_split(&self) {
        self.check_split_streams(&(1..self.bytes.len()).collect::<Vec<_>>()).await;
    }

    /// Splits the stream at and beside its line ends, which are all that differs between kinds of line ends.
    pub(crate) async fn check_splits_at_line_ends(&self) {
        let is_end = |at: &usize| self.bytes[at - 1..=*at].iter().any(|byte| matches!(byte, b'\r' | b'\n'));
        self.check_split_streams(&(1..self.bytes.len()).filter(is_end).collect::<Vec<_>>()).await;
    }

    /// Cuts the stream after every byte, by an orderly end and by a broken connection.
    pub(crate) async fn check_cut_streams(&self) {
        let cut = |at| [Step::Send(self.bytes[..at].to_vec())];
        // The line ends after the last event or line may be missing.
        let complete_len = self.bytes[..self.complete_len].trim_ascii_end().len();
        let ends = (0..complete_len).map(|at| (self.answer)(cut(at).to_vec()));
        let breaks = (0..complete_len).map(|at| (self.answer)([&cut(at)[..], &[Step::Disconnect]].concat()));
        let server = Server::with_answers(ends.chain(breaks)).await;
        let provider = server.provider(self.kind);
        for at in (0..complete_len).chain(0..complete_len) {
            let fault = call(&*provider, request()).await.0.expect_err("cut");
            let error = (fault.code.as_str(), fault.retryable);
            assert_eq!(error, ("provider.cut_short", true), "at byte {at}: {fault}");
        }
        // After the complete reply nothing matters.
        let whole = Step::Send(self.bytes[..complete_len].to_vec());
        for rest in [vec![], vec![Step::Wait(Duration::from_millis(20)), Step::Disconnect]] {
            let answer = (self.answer)([vec![whole.clone()], rest].concat());
            let reply = call_once(self.kind, answer).await.expect("a reply");
            assert_eq!(
                (reply.text, reply.tool_calls),
                (self.reply.text.clone(), self.reply.tool_calls.clone())
            );
        }
    }

    /// `with` returns the stream with a value in place of the usage object.
    pub(crate) async fn check_missing_usage(&self, with: impl Fn(&Value) -> Vec<u8>) {
        for value in [json!(7), json!("x"), json!([]), json!(null)] {
            let (reply, _) = reply_to(self.kind, self.stream(&with(&value))).await;
            assert_eq!(reply, ModelReply { usage: None, ..self.reply.clone() }, "{value}");
        }
    }

    /// `with` returns the stream with a value in place of every count.
    pub(crate) async fn check_invalid_usage(&self, with: impl Fn(&Value) -> Vec<u8>) {
        let invalid = [
            json!(-1),
            json!("12"),
            json!(1e300),
            json!(u64::MAX),
            json!(0.5),
            json!(null),
            json!([]),
            json!({}),
            json!(true),
            json!(0),
        ];
        for value in invalid {
            let reply = call_once(self.kind, self.stream(&with(&value))).await;
            let reply = reply.unwrap_or_else(|fault| panic!("{value}: {fault}"));
            assert_eq!(reply, ModelReply { usage: None, ..self.reply.clone() }, "{value}");
        }
        let reply = call_once(self.kind, self.stream(&with(&json!(7)))).await.expect("a reply");
        let usage = reply.usage.expect("valid counts are used");
        assert!(usage.input >= 7 && usage.output >= 7, "{usage:?}");
        assert!(usage.cached_input + usage.cache_write <= usage.input && usage.reasoning <= usage.output);
    }

    /// Failures that do not depend on the protocol.
    pub(crate) async fn check_failures(&self) {
        self.check_statuses().await;
        self.check_retry_after().await;
        self.check_invalid_responses().await;
        self.check_unreachable().await;
        self.check_timeouts().await;
    }

    async fn check_statuses(&self) {
        for (status, code, retryable) in [
            (301, "provider.bad_settings", false),
            (400, "provider.bad_request", false),
            (401, "provider.unauthorized", false),
            (402, "provider.rate_limited", false),
            (403, "provider.unauthorized", false),
            (404, "provider.not_found", false),
            (408, "provider.timeout", true),
            (413, "provider.bad_request", false),
            (422, "provider.bad_request", false),
            (429, "provider.rate_limited", true),
            (500, "provider.server_error", true),
            (502, "provider.server_error", true),
            (503, "provider.server_error", true),
            (529, "provider.overloaded", true),
        ] {
            for body in
                ["", "<html>oops</html>", "null", "[]", "7", r#"{"error": {"message": "Wrong.\n Key"}}"#]
            {
                let fault = self.fault(Answer::json(status, body)).await;
                assert_eq!((fault.code.as_str(), fault.retryable), (code, retryable), "{status} {body}");
                assert_eq!(fault.retry_after_ms, None);
                let is_reported =
                    status == 301 || !body.contains("Wrong") || fault.message.contains(": Wrong. Key.");
                assert!(is_reported, "{fault}");
            }
        }
        let long = self.fault(Answer::json(500, &"ä".repeat(1 << 20))).await;
        assert!(long.message.len() < 2_000, "{}", long.message.len());
    }

    async fn check_retry_after(&self) {
        for status in [429, 503, 529] {
            for (header, value, expected) in [
                ("retry-after", "7", Some(7_000)),
                ("retry-after", "0.5", Some(500)),
                ("retry-after-ms", "1500", Some(1_500)),
                ("retry-after", "Wed, 21 Oct 2015 07:28:00 GMT", Some(0)),
                ("retry-after", "soon", None),
                ("retry-after", "-3", None),
                ("retry-after", "1e300", None),
            ] {
                let fault = self.fault(Answer::json(status, "{}").header(header, value)).await;
                assert_eq!(fault.retry_after_ms, expected, "{status} {header}: {value}");
            }
            let date = httpdate::fmt_http_date(SystemTime::now() + Duration::from_secs(100));
            let fault = self.fault(Answer::json(status, "{}").header("retry-after", &date)).await;
            let waits = fault.retry_after_ms.expect("a time");
            assert!((60_000..=100_000).contains(&waits), "{waits}");
        }
        // Many servers say it in the message or with their limits alone.
        let message = r#"{"error": {"message": "Slow down. Try again in 2.5s."}}"#;
        let limit = ("x-ratelimit-reset-requests", "3s");
        for (status, in_message, in_headers) in [(429, Some(2_500), Some(3_000)), (503, None, None)] {
            let fault = self.fault(Answer::json(status, message)).await;
            assert_eq!(fault.retry_after_ms, in_message, "{status}");
            let fault = self.fault(Answer::json(status, "{}").header(limit.0, limit.1)).await;
            assert_eq!(fault.retry_after_ms, in_headers, "{status}");
        }
        // A fault that is not retryable has no delay.
        let fault = self.fault(Answer::json(401, "{}").header("retry-after", "7")).await;
        assert_eq!(fault.retry_after_ms, None);
        // Repeated failures: every call is reported, none is retried here, and the next success is complete.
        let rate_limited = || Answer::json(429, "{}").header("retry-after-ms", "1");
        let server =
            Server::with_answers((0..20).map(|_| rate_limited()).chain([self.stream(&self.bytes)])).await;
        let provider = server.provider(self.kind);
        for _ in 0..20 {
            let fault = call(&*provider, request()).await.0.expect_err("a storm");
            assert_eq!((fault.code.as_str(), fault.retry_after_ms), ("provider.rate_limited", Some(1)));
        }
        assert_eq!(call(&*provider, request()).await.0.expect("a reply"), self.reply);
        assert_eq!(server.received().len(), 21);
    }

    async fn check_invalid_responses(&self) {
        let html = vec![("content-type", "text/html".to_owned())];
        let error = self.fault(Answer { headers: html, ..Answer::json(200, "<html>Welcome</html>") }).await;
        assert_eq!(error.code, "provider.invalid_response");
        assert!(error.message.contains("text/html") && error.message.contains("Welcome"), "{error}");
        for stream in [&b"data: nonsense\n\n"[..], b"data: \xff\xfe\n\n", b"data: [7]\n\n", b"data: 7\n\n"] {
            // With the framing of the protocol.
            let plain = stream[6..].strip_suffix(b"\n").expect("two line ends");
            let is_events = (self.answer)(Vec::new()).headers[0].1 == "text/event-stream";
            let error = self.fault(self.stream(if is_events { stream } else { plain })).await;
            let shown = String::from_utf8_lossy(stream);
            assert_eq!(
                (error.code.as_str(), error.retryable),
                ("provider.invalid_response", false),
                "{shown}"
            );
        }
        let no_http = fault_for_raw_bytes(self.kind, b"SSH-2.0-OpenSSH_9.2\r\n").await;
        assert_eq!(no_http.code, "provider.invalid_response", "{no_http}");
        let head =
            "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n"
                .replace("text/event-stream", &(self.answer)(Vec::new()).headers[0].1);
        assert_eq!(fault_for_raw_bytes(self.kind, head.as_bytes()).await.code, "provider.invalid_response");
        let piece = vec![b'a'; 1 << 20];
        let endless =
            std::iter::once(Step::Send(b"data: ".to_vec())).chain((0..70).map(|_| Step::Send(piece.clone())));
        assert_eq!(self.fault((self.answer)(endless.collect())).await.code, "provider.invalid_response");
    }

    async fn check_unreachable(&self) {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("bound");
        let root = format!("http://user:secret@{}", listener.local_addr().expect("address"));
        drop(listener);
        let error = call(&*provider(settings(self.kind, &root)), request()).await.0.expect_err("nobody");
        assert_eq!((error.code.as_str(), error.retryable), ("provider.unreachable", true), "{error}");
        assert!(!error.message.contains("secret"), "{error}");
        // The connection closes before the response or within its head.
        assert_eq!(fault_for_raw_bytes(self.kind, b"").await.code, "provider.cut_short");
        assert_eq!(
            fault_for_raw_bytes(self.kind, b"HTTP/1.1 200 OK\r\ncontent-ty").await.code,
            "provider.cut_short"
        );
    }

    async fn check_timeouts(&self) {
        let silent = Step::Wait(Duration::from_mins(1));
        // Silent within the body, and before its first byte.
        let start = Step::Send(self.bytes[..self.complete_len / 2].to_vec());
        for steps in [vec![start, silent.clone()], vec![silent]] {
            let server = Server::with_answers([(self.answer)(steps)]).await;
            let mut settings = server.settings(self.kind);
            settings.read_timeout_ms = Some(50);
            settings.header_timeout_ms = Some(10_000);
            self.expect_timeout(settings).await;
        }
        // Silent before the status.
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("bound");
        let root = format!("http://{}", listener.local_addr().expect("address"));
        let mut settings = settings(self.kind, &root);
        settings.header_timeout_ms = Some(50);
        self.expect_timeout(settings).await;
    }

    async fn expect_timeout(&self, settings: plait_adapters::ProviderSettings) {
        let error = call(&*provider(settings), request()).await.0.expect_err("slow");
        assert_eq!((error.code.as_str(), error.retryable), ("provider.timeout", true), "{error}");
        assert!(error.message.contains("50 ms"), "{error}");
    }

    /// Drops the call after the first chunk.
    pub(crate) async fn check_drop_closes_connection(&self) {
        // Up to its last line.
        let lines = &self.bytes[..self.complete_len - 2];
        let end = lines.iter().rposition(|byte| *byte == b'\n').expect("several lines") + 1;
        let start = Step::Send(self.bytes[..end].to_vec());
        // Then blank lines for as long as the client listens.
        let pause = || [Step::Wait(Duration::from_millis(2)), Step::Send(b"\n".to_vec())];
        let steps = std::iter::once(start).chain((0..10_000).flat_map(|_| pause())).collect();
        let mut server = Server::with_answers([(self.answer)(steps)]).await;
        let provider = server.provider(self.kind);
        let (first, received) = tokio::sync::oneshot::channel();
        let mut first = Some(first);
        let mut sink = move |chunk| {
            if let Some(first) = first.take() {
                first.send(chunk).expect("awaited");
            }
        };
        let chunk = tokio::select! {
            _ = provider.call(request(), &mut sink) => panic!("it does not end by itself"),
            received = received => received.expect("streamed"),
        };
        assert_eq!(chunk, self.chunks[0]);
        tokio::time::timeout(Duration::from_secs(10), server.closed()).await.expect("the server sees it");
    }
}

/// Declares the tests that every protocol must pass. `$recording` returns the stream for a kind of line end; `$newlines` are
/// the line ends that its framing accepts.
macro_rules! holds_for_every_protocol {
    ($recording:ident, $newlines:expr) => {
        #[tokio::test]
        async fn reply_does_not_depend_on_chunking() {
            $recording("\n").check_any_split().await;
            for newline in $newlines {
                $recording(newline).check_splits_at_line_ends().await;
            }
        }

        #[tokio::test]
        async fn cut_stream_is_a_fault() {
            $recording("\n").check_cut_streams().await;
        }

        #[tokio::test]
        async fn failures_have_stable_codes() {
            $recording("\n").check_failures().await;
        }

        #[tokio::test]
        async fn dropped_call_closes_the_connection() {
            $recording("\n").check_drop_closes_connection().await;
        }
    };
}
pub(crate) use holds_for_every_protocol;

/// The usage of a protocol that reports all of these counts.
pub(crate) fn full_usage(input: u64, output: u64, cached_input: u64, reasoning: u64) -> TokenUsage {
    TokenUsage { input, output, cached_input, reasoning, cache_write: 0 }
}
