//! Keys that a program and its server exchange.

use std::io::{Read as _, Write as _};
use std::thread;

use serde_json::json;

use super::{KEY, chat, events, record, user, walk};
use crate::support::binary::Home;

/// The program gets it as the server said it; nothing that is kept has a part of it.
#[test]
fn a_key_that_a_stream_spells_out_over_events_is_not_kept() {
    let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    let (one, two) = KEY.split_at(14);
    let event = |text: &str| {
        let delta = json!({ "index": 0, "delta": { "content": text }, "finish_reason": null });
        format!("data: {}\n\n", json!({ "id": "1", "model": "scripted", "choices": [delta] }))
    };
    let stop = json!({ "id": "1", "choices": [{ "index": 0, "delta": {}, "finish_reason": "stop" }] });
    let events_sent =
        ["It is ", one, two, ", yes"].map(event).concat() + &format!("data: {stop}\n\ndata: [DONE]\n\n");
    let server = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut request = Vec::new();
        let mut part = [0; 1024];
        while !String::from_utf8_lossy(&request).contains("Hello") {
            let length = stream.read(&mut part).unwrap();
            request.extend_from_slice(&part[..length]);
        }
        let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
        stream.write_all(format!("{head}{events_sent}").as_bytes()).unwrap();
        String::from_utf8_lossy(&request).into_owned()
    });
    let home = Home::default();
    let request = chat(&json!([user("Hello")]), &json!({ "stream": true }));
    let recorded = record(&home, &[], Some(&url), &json!({ "requests": [request] }));
    assert_eq!(recorded.code, 0, "{recorded:#?}");
    assert!(server.join().unwrap().contains(KEY), "the server gets the key");
    assert!(recorded.out.contains(one) && recorded.out.contains(two), "{recorded:#?}");
    let replied = &events(&home, "model.replied")[0];
    assert_eq!(replied["reply"]["text"], "It is [key of openai], yes", "{replied:#}");
    for entry in walk(home.path()) {
        let bytes = std::fs::read(&entry).unwrap();
        let text = String::from_utf8_lossy(&bytes);
        assert!(!text.contains(one) && !text.contains(two), "{} has a part of the key", entry.display());
    }
}
