use plait_core::id::RunId;

use super::*;
use crate::codes;
use crate::telemetry::span::{SpanId, SpanKind, TraceId};

fn span(seq: u64) -> Span {
    let run = RunId::from("run");
    Span {
        trace: TraceId::of_tree(&run),
        id: SpanId::of_entry(&run, seq),
        parent: None,
        name: "node".to_owned(),
        kind: SpanKind::Internal,
        start_ms: 1,
        end_ms: 2,
        attributes: Vec::new(),
        events: Vec::new(),
        error: None,
    }
}

fn exporter_to(endpoint: String) -> LiveExporter {
    let exporter = LiveExporter::default();
    exporter.set_settings(TelemetrySettings { endpoint: Some(endpoint), ..TelemetrySettings::default() });
    exporter
}

#[tokio::test]
async fn server_that_never_answers_costs_spans_and_no_time() {
    // Accepts connections, and reads nothing.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let exporter = exporter_to(format!("http://{}", listener.local_addr().unwrap()));
    let sent = QUEUE_CAPACITY as u64 * 3;
    for seq in 0..sent {
        // Not async: it can't wait.
        exporter.queue(vec![span(seq)]);
        if seq % 64 == 0 {
            tokio::task::yield_now().await;
        }
    }
    let kept = (QUEUE_CAPACITY + MAX_PENDING_SPANS) as u64;
    assert!(exporter.dropped() >= sent - kept, "{} of {sent}", exporter.dropped());
}

#[tokio::test]
async fn spans_that_a_server_does_not_take_are_counted() {
    // A free port without a listener.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let exporter = exporter_to(endpoint);
    exporter.queue(vec![span(0), span(1)]);
    exporter.close().await;
    assert_eq!(exporter.dropped(), 2);
    assert_eq!(exporter.last_error().unwrap().code, codes::TELEMETRY_EXPORT_FAILED);
}

#[tokio::test]
async fn nothing_is_queued_without_an_endpoint() {
    let exporter = LiveExporter::default();
    assert!(!exporter.is_on());
    exporter.queue(vec![span(0)]);
    exporter.close().await;
    assert_eq!(exporter.dropped(), 1);
}
