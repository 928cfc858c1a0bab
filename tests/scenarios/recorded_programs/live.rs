//! A program while it is recorded: its run is listed, read and watched like any other, and nothing writes to it.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Stdio};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::Duration;

use parking_lot::Mutex;
use serde_json::{Value, json};

use super::{chat, events, program, runs, user};
use crate::support::binary::{CliOutput, Home, with_store_lock};
use crate::support::server::{ModelServer, ServerReply, last_message_text};

/// A server that answers its first call at once, and each further one when it is let.
async fn server_with_gate() -> (ModelServer, Sender<()>) {
    let (open, gate) = mpsc::channel::<()>();
    let gate = Mutex::new(gate);
    let server = ModelServer::start(move |request, before| {
        if before > 0 {
            // The thread has other requests to serve. A test that ends has dropped the other end.
            let _ = tokio::task::block_in_place(|| gate.lock().recv());
        }
        ServerReply::Text(format!("re: {}", last_message_text(request)))
    });
    (server.await, open)
}

/// A conversation of two turns, then a call of its own.
fn script() -> Value {
    let reply = |text: &str| json!({ "role": "assistant", "content": format!("re: {text}") });
    json!({ "requests": [
        chat(&json!([user("One")]), &json!({})),
        chat(&json!([user("One"), reply("One"), user("Two")]), &json!({})),
        chat(&json!([user("Something else")]), &json!({})),
    ] })
}

async fn until(mut holds: impl FnMut() -> bool) {
    while !holds() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// The events that a terminal prints.
fn watch(home: &Home, run: &str) -> (Child, Receiver<Value>) {
    let mut command = home.command(&["watch", run, "--json"]);
    let mut child = with_store_lock(|| command.stdout(Stdio::piped()).spawn().unwrap());
    let (sender, printed) = mpsc::channel();
    let out = BufReader::new(child.stdout.take().unwrap());
    thread::spawn(move || {
        for line in out.lines().map_while(Result::ok) {
            let _ = sender.send(serde_json::from_str(&line).unwrap());
        }
    });
    (child, printed)
}

/// Waits for an event that the terminal prints.
fn printed_until(printed: &Receiver<Value>, holds: impl Fn(&Value) -> bool) -> Value {
    printed.iter().find(|event| holds(event)).unwrap()
}

fn replied(text: &'static str) -> impl Fn(&Value) -> bool {
    move |event| event["type"] == "model.replied" && event["reply"]["text"] == text
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_is_a_run_while_it_is_recorded() {
    let (server, open) = server_with_gate().await;
    let home = Home::default();
    let recorder = program(&home, &["--name", "Agent"], Some(&server.url), &script());
    until(|| server.calls().len() == 2 && runs(&home).len() == 1).await;
    let [run] = &runs(&home)[..] else { panic!("one run") };
    assert_eq!((&run["flowName"], &run["status"]), (&json!("Agent"), &json!("running")));
    let id = run["run"].as_str().unwrap().to_owned();
    assert_eq!(events(&home, "model.replied").len(), 1);
    assert_eq!(events(&home, "prompt.rendered").len(), 2, "the call under way is there");
    let shown = home.plait(&["lens", "show", &id[..13]]);
    assert!(shown.code == 0 && shown.out.contains("Two"), "{shown:#?}");

    for refused in [&["cancel", "last"][..], &["runs", "rm", "last"], &["resume", "last"]] {
        let output = home.plait(refused);
        assert!(output.code == 1 && output.err.contains("run.busy"), "{refused:?}: {output:#?}");
    }

    let (mut terminal, printed) = watch(&home, &id);
    printed_until(&printed, replied("re: One"));
    open.send(()).unwrap();
    printed_until(&printed, replied("re: Two"));
    until(|| server.calls().len() == 3).await;
    open.send(()).unwrap();
    let output = CliOutput::from(recorder.wait_with_output().unwrap());
    assert!(output.err.contains(&format!("Recorded 3 calls of models as run {id}")), "{output:#?}");
    printed_until(&printed, |event| event["type"] == "run.finished");
    assert!(terminal.wait().unwrap().success());

    let [run] = &runs(&home)[..] else { panic!("one run") };
    assert_eq!((&run["run"], &run["status"]), (&json!(id), &json!("finished")));
    assert_eq!(events(&home, "model.replied").len(), 3);
}
