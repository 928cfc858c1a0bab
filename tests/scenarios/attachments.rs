//! Images and files through the real binary: attached on the command line, to a run and to an answer, and found in exactly what the
//! model server receives, also after a crash.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::support::binary::Home;
use crate::support::folder::flow_json;
use crate::support::server::{ModelServer, ServerReply};

/// A PNG of one white pixel, in base64.
const PIXEL: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mP8/x8AAwMCAO+ip1sAAAAASUVORK5CYII=";
const PDF: &[u8] = b"%PDF-1.4 <</Type/Pages/Count 3>>";

/// A data directory with a photo, a PDF, a text file and a program.
fn home() -> Home {
    let home = Home::default();
    let write = |name: &str, bytes: &[u8]| std::fs::write(home.path().join(name), bytes).unwrap();
    write("photo.png", &STANDARD.decode(PIXEL).unwrap());
    write("report.pdf", PDF);
    write("notes.txt", b"Milk and bread.\n");
    write("tool", b"\x7fELF\x02\x01\x01\0");
    home
}

fn path(home: &Home, name: &str) -> String {
    home.path().join(name).display().to_string()
}

/// A question to a model.
fn one_chat(home: &Home, model: &str) -> String {
    let nodes = json!({
        "question": { "type": "manualInput", "config": { "text": "What is this?" } },
        "start": { "type": "contextStart", "config": { "provider": "openai", "model": model } },
        "chat": { "type": "chat" },
        "out": { "type": "output" },
    });
    let edges =
        ["question.value -> chat.message", "start.context -> chat.context", "chat.response -> out.value"];
    home.file("flow.flow.json", &flow_json("Look", nodes, &edges).to_string())
}

/// A person's question, with its attachments, to a model.
fn asking(home: &Home) -> String {
    let nodes = json!({
        "start": { "type": "contextStart", "config": { "provider": "openai", "model": "m" } },
        "ask": { "type": "userInput", "config": { "attachments": true } },
        "chat": { "type": "chat" },
        "out": { "type": "output" },
    });
    let edges = [
        "ask.message -> chat.message",
        "ask.attachments -> chat.attach",
        "start.context -> chat.context",
        "chat.response -> out.value",
    ];
    home.file("ask.flow.json", &flow_json("Ask", nodes, &edges).to_string())
}

fn image_part() -> Value {
    json!({ "type": "image_url", "image_url": { "url": format!("data:image/png;base64,{PIXEL}") } })
}

fn text_part(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}

#[tokio::test(flavor = "multi_thread")]
async fn attached_files_reach_the_model_and_the_journal_refers_to_them() {
    let server = ModelServer::start(|_, _| ServerReply::Text("A dot.".into())).await;
    let home = home();
    home.set_provider_url(&server.url).await;
    let flow = one_chat(&home, "m");
    let (photo, report, notes) =
        (path(&home, "photo.png"), path(&home, "report.pdf"), path(&home, "notes.txt"));
    let attach = ["--attach", &photo, "--attach", &report, "--attach", &format!("chat={notes}")];
    let run = home.plait(&[&["run", &flow, "--json"], &attach[..]].concat());
    assert_eq!(run.code, 0, "{run:?}");
    let file = json!({ "type": "file", "file": {
        "filename": "report.pdf", "file_data": format!("data:application/pdf;base64,{}", STANDARD.encode(PDF)),
    } });
    let text = "What is this?\n\n----- Begin of file notes.txt\nMilk and bread.\n----- End of file notes.txt";
    let content = json!([text_part(text), image_part(), file]);
    assert_eq!(server.calls()[0]["messages"], json!([{ "role": "user", "content": content }]));

    assert!(!run.out.contains(&PIXEL[..40]), "the journal holds no bytes of a file");
    let events = run.events();
    let prompt = events.iter().find(|event| event["type"] == "prompt.rendered").unwrap();
    // A file may say anything: what comes of it is no word of the person.
    let replied = events.iter().find(|event| event["type"] == "model.replied").unwrap();
    let origins = replied["origins"].as_array().unwrap();
    for label in ["person", "attachment:notes.txt", "attachment:photo.png", "attachment:report.pdf"] {
        assert!(origins.contains(&json!(label)), "{label}: {replied}");
    }
    let attached = &prompt["prompt"]["parts"][1];
    assert_eq!(attached["kind"], "attachments");
    // An image of unknown vendor with one pixel, and three pages.
    assert_eq!(attached["tokens"], 1 + 3 * (3_000 + 1_600));
    let names: Vec<_> =
        attached["attachments"].as_array().unwrap().iter().map(|attachment| &attachment["name"]).collect();
    assert_eq!(names, ["photo.png", "report.pdf"]);

    let shown = home.plait(&["runs", "show", "last"]).out;
    assert!(shown.contains("Attached at `chat`: photo.png (image/png, 68 bytes)"), "{shown}");
    let lens = home.plait(&["lens", "show", "last"]).out;
    assert!(lens.contains("[image: photo.png, 68 bytes]") && lens.contains("attachments"), "{lens}");
}

#[test]
fn huge_file_is_refused_before_it_is_read() {
    let home = home();
    let huge = std::fs::File::create(home.path().join("huge.pdf")).unwrap();
    // More than any machine could read; on disk it is one hole.
    huge.set_len(1 << 42).unwrap();
    let run = home.plait(&["run", &one_chat(&home, "m"), "--attach", &path(&home, "huge.pdf")]);
    assert_eq!(run.code, 1, "{run:?}");
    let said = "The file `huge.pdf` has 4398046511104 bytes; at most 20000000 can be attached.";
    assert!(run.err.contains(said), "{run:?}");
    let endless = home.plait(&["run", &one_chat(&home, "m"), "--attach", "/dev/zero"]);
    assert!(endless.err.contains("attachment.too_large"), "{endless:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn answer_with_an_attachment_reaches_the_model_after_a_restart() {
    let server = ModelServer::start(|_, _| ServerReply::Text("A dot.".into())).await;
    let home = home();
    home.set_provider_url(&server.url).await;
    let waiting = home.plait(&["run", &asking(&home)]);
    assert_eq!(waiting.code, 3, "{waiting:?}");
    let resumed = home.plait(&["resume", "last", "--answer", "Look", "--attach", &path(&home, "photo.png")]);
    assert_eq!((resumed.code, resumed.out.trim()), (0, "A dot."), "{resumed:?}");
    let content = json!([text_part("Look"), image_part()]);
    assert_eq!(server.calls()[0]["messages"], json!([{ "role": "user", "content": content }]));
}

#[tokio::test(flavor = "multi_thread")]
async fn attachments_of_an_answer_in_a_loop_reach_later_iterations() {
    let server = ModelServer::start(|_, _| ServerReply::Text("A dot.".into())).await;
    let home = home();
    home.set_provider_url(&server.url).await;
    let nodes = json!({
        "start": { "type": "contextStart", "config": { "provider": "openai", "model": "m" } },
        "talk": { "type": "loop", "config": { "kind": "times", "times": 2, "conversation": true } },
        "ask": { "type": "userInput", "parent": "talk", "config": { "attachments": true } },
        "chat": { "type": "chat", "parent": "talk" },
    });
    let edges = [
        "start.context -> talk.context",
        "talk.context -> chat.context",
        "ask.message -> chat.message",
        "ask.attachments -> chat.attach",
        "chat.response -> talk.next",
    ];
    let flow = home.file("talk.flow.json", &flow_json("Talk", nodes, &edges).to_string());
    assert_eq!(home.plait(&["run", &flow]).code, 3);
    let (photo, text_file) = (path(&home, "photo.png"), path(&home, "notes.txt"));
    let first =
        home.plait(&["resume", "last", "--answer", "Look", "--attach", &photo, "--attach", &text_file]);
    assert_eq!(first.code, 3, "{first:?}");
    let second = home.plait(&["resume", "last", "--answer", "And now?"]);
    assert_eq!(second.code, 0, "{second:?}");
    let text = "Look\n\n----- Begin of file notes.txt\nMilk and bread.\n----- End of file notes.txt";
    let turn = json!({ "role": "user", "content": [text_part(text), image_part()] });
    assert_eq!(server.calls()[0]["messages"], json!([turn]));
    let reply = json!({ "role": "assistant", "content": "A dot." });
    assert_eq!(
        server.calls()[1]["messages"],
        json!([turn, reply, { "role": "user", "content": "And now?" }])
    );
    let removed = home.plait(&["runs", "rm", "last"]);
    assert_eq!(removed.code, 0, "{removed:?}");
    let left = std::fs::read_dir(home.path().join("attachments")).unwrap().flatten();
    assert_eq!(left.flat_map(|folder| std::fs::read_dir(folder.path()).unwrap()).count(), 0);
}

/// A run with a photo. Its process was killed during the model call, and the photo's file has changed since.
async fn killed_run(server: &ModelServer) -> Home {
    let home = home();
    home.set_provider_url(&server.url).await;
    let photo = path(&home, "photo.png");
    let mut killed = home.spawn(&["run", &one_chat(&home, "m"), "--attach", &photo]);
    while server.calls().is_empty() {
        tokio::task::yield_now().await;
    }
    killed.kill().unwrap();
    killed.wait().unwrap();
    std::fs::write(&photo, "another file").unwrap();
    home
}

fn silent_first(_: &Value, call: usize) -> ServerReply {
    if call == 0 { ServerReply::NoResponse } else { ServerReply::Text("A dot.".into()) }
}

#[tokio::test(flavor = "multi_thread")]
async fn resumed_run_sends_the_same_bytes() {
    let server = ModelServer::start(silent_first).await;
    let home = killed_run(&server).await;
    let resumed = home.plait(&["resume", "last"]);
    assert_eq!((resumed.code, resumed.out.trim()), (0, "A dot."), "{resumed:?}");
    let content = json!([text_part("What is this?"), image_part()]);
    assert_eq!(server.calls()[0]["messages"], json!([{ "role": "user", "content": content }]));
    assert_eq!(server.calls()[1], server.calls()[0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn resumed_run_without_the_bytes_says_so_and_calls_nobody() {
    let server = ModelServer::start(silent_first).await;
    let home = killed_run(&server).await;
    std::fs::remove_dir_all(home.path().join("attachments")).unwrap();
    let missing = home.plait(&["resume", "last"]);
    assert!(missing.code == 1 && missing.err.contains("attachment.missing"), "{missing:?}");
    assert!(missing.err.contains("photo.png"), "{missing:?}");
    assert_eq!(server.calls().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn model_that_takes_no_images_is_not_called() {
    let server = ModelServer::start(|_, _| ServerReply::Text("A dot.".into())).await;
    let home = home();
    home.set_provider_url(&server.url).await;
    let run = home.plait(&["run", &one_chat(&home, "o3-mini"), "--attach", &path(&home, "photo.png")]);
    assert!(run.code == 1 && run.err.contains("attachment.unsupported"), "{run:?}");
    assert!(run.err.contains("`o3-mini`") && run.err.contains("`photo.png`"), "{run:?}");
    assert_eq!(server.calls(), [] as [Value; 0]);
}

#[test]
fn file_that_cannot_be_attached_is_refused_with_its_code() {
    let home = home();
    let flow = one_chat(&home, "m");
    let refused = |args: &[&str], exit_code: i32, code: &str| {
        let run = home.plait(&[&["run", &flow], args].concat());
        assert!(run.code == exit_code && run.err.contains(code), "{args:?}: {run:?}");
    };
    refused(&["--attach", &path(&home, "tool")], 1, "attachment.unknown_type");
    refused(&["--attach", &path(&home, "nowhere.png")], 2, "attachment.unreadable");
    let nodes = json!({ "text": { "type": "manualInput" }, "out": { "type": "output" } });
    let flow =
        home.file("none.flow.json", &flow_json("None", nodes, &["text.value -> out.value"]).to_string());
    let nowhere = home.plait(&["run", &flow, "--attach", &path(&home, "photo.png")]);
    assert!(nowhere.code == 2 && nowhere.err.contains("attachment.no_taker"), "{nowhere:?}");
}
