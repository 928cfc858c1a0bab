//! Conversational loops in which a person attaches files: what models receive of them in later iterations, and after a restart.

use std::sync::Arc;

use serde_json::{Value, json};

use super::{Driver, Stage};
use plait_core::attachment::{Attachment, AttachmentStore as _, inspect};
use plait_core::id::Activation;
use plait_insight::lens::{CallFilter, Lens, ShareKind};
use plait_journal::{Answer, Entry, Event, LOOP_TURN, NodeEvent};
use plait_testing::{FakeAttachmentStore, PIXEL};

const NOTES: &str = "U0\n\n----- Begin of file notes.txt\nMilk.\n----- End of file notes.txt";

/// A stage with a store of attachments that has a photo and a text file.
fn stage() -> (Stage, Vec<Attachment>) {
    let mut stage = Stage::new();
    let store = Arc::new(FakeAttachmentStore::default());
    let stored = |(name, bytes): (&str, &[u8])| {
        let found = inspect(name, bytes.into()).unwrap();
        let data = found.data.clone().unwrap();
        futures::executor::block_on(store.put(&found.hash, data)).unwrap();
        Attachment { data: None, ..found }
    };
    let files = [("photo.png", PIXEL), ("notes.txt", b"Milk.\n")].map(stored).into();
    stage.host.attachments = store;
    (stage, files)
}

/// A loop in which `chat` answers what a person says and attaches.
fn person_and_chat(config: &Value) -> (Value, Value) {
    let reply = json!({
        "overrideProvider": "scripted", "overrideModel": "m", "options": { "replies": [{ "text": "Yes." }] },
    });
    let nodes = json!({
        "start": { "type": "contextStart" },
        "l": { "type": "loop", "config": config },
        "ask": { "type": "userInput", "parent": "l", "config": { "attachments": true } },
        "chat": { "type": "chat", "parent": "l", "config": reply },
    });
    let edges = json!([
        "start.context -> l.context",
        "l.context -> chat.context",
        "ask.message -> chat.message",
        "ask.attachments -> chat.attach",
        "chat.response -> l.next",
    ]);
    (nodes, edges)
}

fn three_iterations() -> (Value, Value) {
    person_and_chat(&json!({ "kind": "times", "times": 3, "conversation": true }))
}

/// Answers with `U0`, `U1` and so on. The files are attached to the first one.
fn answer(files: &[Attachment]) -> impl Fn(&[Activation]) -> Option<(Activation, Answer)> {
    |open| {
        let at = open.first()?.clone();
        let iteration = at.epoch.0[0];
        let value = Arc::new(json!(format!("U{iteration}")));
        let attachments = if iteration == 0 { files.to_vec() } else { Vec::new() };
        Some((at, Answer::Attached { value, attachments }))
    }
}

fn play(stage: &Stage, flow: &(Value, Value), files: &[Attachment]) -> Vec<Value> {
    let (driver, handle) = stage.start(&flow.0, &flow.1, &json!({}));
    stage.drive_with_answers(driver, &handle, answer(files))
}

/// What a request had: text and names of the attachments of each message.
fn received(stage: &Stage, request: usize) -> Vec<(String, Vec<String>)> {
    let requests = stage.provider.requests();
    let message = |message: &plait_llm::context::SharedMessage| {
        for attachment in message.content.attachments() {
            assert_eq!(attachment.data.as_deref(), Some(PIXEL), "the bytes are sent");
        }
        let names = message.content.attachments().map(|attachment| attachment.name.clone());
        (message.content.text(), names.collect())
    };
    requests[request].messages.iter().map(message).collect()
}

fn said(lines: &[(&str, &[&str])]) -> Vec<(String, Vec<String>)> {
    let line = |(text, names): &(&str, &[&str])| {
        ((*text).to_owned(), names.iter().map(|name| (*name).to_owned()).collect())
    };
    lines.iter().map(line).collect()
}

fn whole() -> Vec<(String, Vec<String>)> {
    said(&[(NOTES, &["photo.png"]), ("Yes.", &[]), ("U1", &[]), ("Yes.", &[]), ("U2", &[])])
}

#[test]
fn attachments_of_a_turn_reach_later_iterations() {
    let (stage, files) = stage();
    let events = play(&stage, &three_iterations(), &files);
    assert_eq!(received(&stage, 0), said(&[(NOTES, &["photo.png"])]), "sent once, as the own message");
    assert_eq!(received(&stage, 2), whole());

    let appended = events.iter().find(|event| event["type"] == "history.appended").unwrap();
    let expected = plait_llm::tokens::count_message("", &NOTES.into()) + 1;
    assert_eq!(appended["turns"][0]["tokens"], expected, "the image counts");
    let rendered = events.iter().rfind(|event| event["type"] == "prompt.rendered").unwrap();
    let turns = rendered["prompt"]["parts"].as_array().unwrap().iter().find(|part| part["kind"] == "turns");
    let size = |text: &str| u64::from(plait_llm::tokens::count_message("", &text.into()));
    let rest: u64 = ["Yes.", "U1", "Yes."].map(size).iter().sum();
    assert_eq!(turns.unwrap()["tokens"], u64::from(expected) + rest);
}

#[test]
fn lens_shows_the_attachments_of_turns() {
    let (stage, files) = stage();
    play(&stage, &three_iterations(), &files);
    let calls = Lens::of(&stage.entries()).calls(&CallFilter::default());
    let first = &calls[2].messages[0];
    assert_eq!((first.text.as_str(), first.attachments.as_slice()), (NOTES, &files[..1]));
    let shares = &calls[2].shares;
    let attached = shares.iter().find(|share| share.kind == ShareKind::Attachments);
    assert_eq!(attached.map(|share| share.tokens), Some(1));
}

#[test]
fn turn_with_an_attachment_is_bounded_as_a_whole() {
    let (stage, files) = stage();
    let management = json!({ "strategy": "truncate_turns", "max_turns": 2 });
    let config =
        json!({ "kind": "times", "times": 3, "conversation": true, "history_management": management });
    play(&stage, &person_and_chat(&config), &files);
    assert_eq!(received(&stage, 1), said(&[(NOTES, &["photo.png"]), ("Yes.", &[]), ("U1", &[])]));
    assert_eq!(received(&stage, 2), said(&[("U1", &[]), ("Yes.", &[]), ("U2", &[])]));
}

#[test]
fn model_that_takes_no_image_receives_its_name() {
    let (stage, files) = stage();
    let (nodes, mut edges) = three_iterations();
    edges.as_array_mut().unwrap().retain(|edge| edge != "ask.attachments -> chat.attach");
    stage.provider.refuse_attachments("image/png");
    let events = play(&stage, &(nodes, edges), &files);
    let named = format!("{NOTES}\n{}", files[0].label());
    assert_eq!(received(&stage, 1), said(&[(&named, &[]), ("Yes.", &[]), ("U1", &[])]));
    let size = u64::from(plait_llm::tokens::count_message("", &named.as_str().into()));
    let rendered = events.iter().filter(|event| event["type"] == "prompt.rendered").nth(1).unwrap();
    let reply = u64::from(plait_llm::tokens::count_message("", &"Yes.".into()));
    assert_eq!(rendered["prompt"]["parts"][0]["tokens"], size + reply);
    let calls = Lens::of(&stage.entries()).calls(&CallFilter::default());
    assert_eq!(
        (calls[1].messages[0].text.as_str(), calls[1].messages[0].attachments.len()),
        (named.as_str(), 0)
    );
}

#[test]
fn attachments_of_turns_survive_a_restart_at_any_point() {
    let (stage, files) = stage();
    let flow = three_iterations();
    play(&stage, &flow, &files);
    let entries = stage.entries();
    let requests = |stage: &Stage| stage.provider.requests().len();
    for length in 1..entries.len() {
        let before = requests(&stage);
        resume(&stage, &flow, &entries[..length], &files);
        let is_replied =
            |entry: &Entry| serde_json::to_value(&entry.event).unwrap()["type"] == "model.replied";
        if entries[..length].iter().filter(|entry| is_replied(entry)).count() < 3 {
            assert!(requests(&stage) > before);
            assert_eq!(received(&stage, requests(&stage) - 1), whole(), "resumed from {length}");
        }
    }
}

fn resume(stage: &Stage, flow: &(Value, Value), entries: &[Entry], files: &[Attachment]) -> Vec<Value> {
    *stage.kept.0.lock().unwrap() = entries.to_vec();
    let setup = stage.setup(&flow.0, &flow.1, &json!({}), None);
    let (driver, handle) = Driver::resume(setup, entries).unwrap();
    stage.drive_with_answers(driver, &handle, answer(files))
}

/// A journal as versions wrote it that kept the text of a turn alone.
fn without_attached_turns(entries: &[Entry]) -> Vec<Entry> {
    let strip = |entry: &Entry| {
        let mut value = serde_json::to_value(entry).unwrap();
        if let Event::Node(_, NodeEvent::Finished { .. }) = entry.event {
            value["metadata"].as_object_mut().unwrap().remove(LOOP_TURN);
        }
        for turn in value.get_mut("turns").and_then(Value::as_array_mut).into_iter().flatten() {
            if turn["content"].is_array() {
                turn["content"] = json!("U0");
                turn["tokens"] = json!(plait_llm::tokens::count_message("", &"U0".into()));
            }
        }
        serde_json::from_value(value).unwrap()
    };
    entries.iter().map(strip).collect()
}

#[test]
fn journal_of_an_earlier_version_resumes_with_the_text_alone() {
    let (stage, files) = stage();
    let flow = three_iterations();
    play(&stage, &flow, &files);
    let entries = without_attached_turns(&stage.entries());
    let second = entries.iter().position(|entry| {
        let event = serde_json::to_value(&entry.event).unwrap();
        event["type"] == "iteration.started" && event["epoch"] == json!([1])
    });
    let before = stage.provider.requests().len();
    let events = resume(&stage, &flow, &entries[..=second.unwrap()], &files);
    assert_eq!(events.last().unwrap()["type"], "run.finished");
    assert_eq!(received(&stage, before), said(&[("U0", &[]), ("Yes.", &[]), ("U1", &[])]));
}
