use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use super::*;

/// The methods that arrive of these bytes, and what is answered, if the output takes `room` bytes at once.
async fn exchange(sent: &[u8], room: usize) -> (Vec<Value>, Vec<Value>) {
    let (output, mut peer) = tokio::io::duplex(room);
    let (mut client, input) = tokio::io::duplex(1 << 10);
    let mut transport = StdioTransport::new(input, output);
    let answers = tokio::spawn(async move {
        let mut text = String::new();
        peer.read_to_string(&mut text).await.unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect::<Vec<Value>>()
    });
    let sent = sent.to_vec();
    tokio::spawn(async move { client.write_all(&sent).await.unwrap() });
    let mut methods = Vec::new();
    loop {
        // rmcp drops what it waits for when something else happens.
        let received = tokio::select! {
            biased;
            received = transport.receive() => received,
            () = tokio::task::yield_now() => continue,
        };
        match received {
            Some(message) => methods.push(serde_json::to_value(&message).unwrap()["method"].clone()),
            None => break,
        }
    }
    transport.close().await.unwrap();
    (methods, answers.await.unwrap())
}

const MESSAGE: &str = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n";

#[tokio::test]
async fn line_that_is_no_json_is_answered() {
    for room in [1, 1 << 16] {
        let (methods, answers) = exchange(format!("{{oops\n{MESSAGE}\n \r\nnot json").as_bytes(), room).await;
        assert_eq!(methods, ["notifications/initialized"]);
        let [answer] = &answers[..] else { panic!("{answers:?}") };
        assert_eq!((&answer["error"]["code"], answer.get("id")), (&json!(-32700), None), "{answer}");
    }
    // The last line before the end, and several in a row.
    let (_, answers) = exchange(b"{\n[1\n\xff\n", 1 << 16).await;
    assert_eq!(answers.len(), 3, "{answers:?}");
}

#[tokio::test]
async fn what_rmcp_answers_or_reads_is_left_to_it() {
    let (methods, answers) =
        exchange(format!("\u{feff}{MESSAGE}{{\"foo\":1}}\n{MESSAGE}").as_bytes(), 1 << 16).await;
    assert_eq!(methods.len(), 2);
    assert_eq!(answers.len(), 1, "{answers:?}");
    assert_eq!(answers[0]["error"]["code"], -32600);
}

#[tokio::test]
async fn line_that_is_too_long_is_answered() {
    let long = format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"{}\"}}\n{MESSAGE}",
        "x".repeat(DEFAULT_MAX_LINE_LENGTH)
    );
    let (methods, answers) = exchange(long.as_bytes(), 1 << 16).await;
    assert_eq!((methods.len(), answers.len()), (1, 1), "{answers:?}");
}
