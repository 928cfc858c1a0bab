use std::time::Duration;

use super::{PaceRecorder, StreamPace};
use crate::provider::{Chunk, ModelReply};

fn text(text: &str) -> Chunk {
    Chunk::Text(text.to_owned())
}

#[test]
fn parts_come_back_as_they_arrived() {
    let mut recorder = PaceRecorder::new(1_000);
    let thought = Chunk::Reasoning("hm".to_owned());
    let arrived =
        [(1_120, &thought), (1_150, &text("Grüße")), (1_150, &text(" an")), (1_400, &text(" Olga"))];
    for (now, chunk) in arrived {
        recorder.note(chunk, now);
    }
    let pace = recorder.into_pace();
    let json = serde_json::to_string(&pace).unwrap();
    assert_eq!(json, "[[120,-2],[30,8],[250,5]]");
    assert_eq!(serde_json::from_str::<StreamPace>(&json).unwrap(), pace);
    let reply = ModelReply {
        text: "Grüße an Olga!".to_owned(),
        reasoning: Some("hm".to_owned()),
        ..ModelReply::default()
    };
    let wait = Duration::from_millis;
    let parts = [
        (wait(120), thought),
        (wait(30), text("Grüße an")),
        (wait(250), text(" Olga")),
        (wait(0), text("!")),
    ];
    assert_eq!(pace.parts(&reply), parts);
}
