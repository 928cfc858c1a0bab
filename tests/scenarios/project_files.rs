//! The files that a flow can read: files of its project, and no secrets.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::support::binary::{CliOutput, Home, with_store_lock};
use crate::support::folder::flow_json;
use crate::support::server::{ModelServer, ServerReply};

/// A home directory with a project in it, and a data directory elsewhere.
struct Machine {
    home: Home,
    dir: tempfile::TempDir,
}

impl Machine {
    fn new() -> Self {
        let machine = Self { home: Home::default(), dir: tempfile::tempdir().unwrap() };
        machine.write("home/project/.git/HEAD", "");
        machine
    }

    /// Writes a file and returns its path.
    fn write(&self, path: &str, text: &str) -> PathBuf {
        let path = self.dir.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    fn plait(&self, args: &[&str]) -> CliOutput {
        let mut command = self.home.command(args);
        command.env("HOME", self.dir.path().join("home"));
        with_store_lock(|| command.spawn().unwrap()).wait_with_output().unwrap().into()
    }

    /// Checks and runs a flow in the folder that runs the sub-flow `file`. Returns the code of the problem of both.
    fn call_subflow(&self, folder: &str, file: &str) -> String {
        let nodes =
            json!({ "call": { "type": "subflow", "config": { "file": file, "inputSource": "mapping" } } });
        let caller =
            self.write(&format!("{folder}/caller.flow.json"), &flow_json("Caller", nodes, &[]).to_string());
        let caller = caller.to_str().unwrap();
        let checked: Value = serde_json::from_str(&self.plait(&["check", caller, "--json"]).out).unwrap();
        let code = checked["diagnostics"][0]["code"].as_str().unwrap_or("none").to_owned();
        let run = self.plait(&["run", caller]);
        assert_eq!(run.code, if code == "none" { 0 } else { 2 }, "{file}: {run:?}");
        code
    }
}

fn small_flow() -> String {
    let nodes =
        json!({ "text": { "type": "manualInput", "config": { "text": "x" } }, "out": { "type": "output" } });
    flow_json("Small", nodes, &["text.value -> out.value"]).to_string()
}

#[test]
fn subflows_are_read_from_the_project_alone() {
    let machine = Machine::new();
    machine.write("home/project/shared/small.flow.json", &small_flow());
    let outside = machine.write("home/other/small.flow.json", &small_flow());
    let folder = "home/project/flows";
    assert_eq!(machine.call_subflow(folder, "../shared/small.flow.json"), "none");
    assert_eq!(machine.call_subflow(folder, "../../other/small.flow.json"), "subflow.outside_project");
    assert_eq!(
        machine.call_subflow(folder, outside.to_str().unwrap()),
        "config.invalid",
        "paths are relative"
    );
    // Without `.git`, the project is the folder of the flow.
    assert_eq!(machine.call_subflow("home/loose/flows", "../small.flow.json"), "subflow.outside_project");
    for folder in ["home", ""] {
        machine.write(&format!("{folder}/small.flow.json"), &small_flow());
        assert_eq!(machine.call_subflow(folder, "small.flow.json"), "subflow.unsafe_folder", "`{folder}`");
    }
    machine.write("home/project/flows/credentials.json", &small_flow());
    assert_eq!(machine.call_subflow(folder, "credentials.json"), "subflow.secret_file");
    #[cfg(unix)]
    {
        std::fs::hard_link(&outside, machine.dir.path().join("home/project/flows/hard.flow.json")).unwrap();
        assert_eq!(machine.call_subflow(folder, "hard.flow.json"), "subflow.hard_link");
        std::os::unix::fs::symlink(&outside, machine.dir.path().join("home/project/flows/soft.flow.json"))
            .unwrap();
        assert_eq!(machine.call_subflow(folder, "soft.flow.json"), "subflow.outside_project");
    }
}

/// The result of a call of `read_file` by a flow in the folder, as the model receives it.
async fn read_file(machine: &Machine, folder: &str, path: &str) -> String {
    let path = path.to_owned();
    let server = ModelServer::start(move |_, before| match before {
        0 => ServerReply::Tool { name: "read_file".to_owned(), arguments: json!({ "path": path }) },
        _ => ServerReply::Text("Done.".to_owned()),
    })
    .await;
    machine.home.set_provider_url(&server.url).await;
    let nodes = json!({
        "start": { "type": "contextStart", "config": { "provider": "openai", "model": "scripted" } },
        "ask": { "type": "manualInput", "config": { "text": "Read it." } },
        "tools": { "type": "tools", "config": { "tools": ["read_file"] } },
        "chat": { "type": "chat" },
    });
    let edges = ["start.context -> chat.context", "ask.value -> chat.message", "tools.tools -> chat.tools"];
    let flow =
        machine.write(&format!("{folder}/reader.flow.json"), &flow_json("Reader", nodes, &edges).to_string());
    let run = machine.plait(&["run", flow.to_str().unwrap(), "--allow", "folder=."]);
    assert_eq!(run.code, 0, "{run:?}");
    let calls = server.calls();
    let messages = calls[1]["messages"].as_array().unwrap();
    messages.iter().find(|message| message["role"] == "tool").unwrap()["content"].to_string()
}

#[tokio::test(flavor = "multi_thread")]
async fn read_file_refuses_secrets_and_a_home_directory() {
    let machine = Machine::new();
    machine.write("home/project/notes.md", "content of the notes");
    machine.write("home/notes.md", "content of the notes");
    machine.write("home/project/.env", "NAME=content of the variables");
    machine.write("home/project/server.pem", "content of the key");
    for (folder, path, expected) in [
        ("home/project", "notes.md", "content of the notes"),
        ("home/project", ".env", "tool.secret_file"),
        ("home/project", "server.pem", "tool.secret_file"),
        ("home/project/flows", "../notes.md", "tool.outside_folder"),
        ("home", "notes.md", "tool.unsafe_folder"),
    ] {
        let received = read_file(&machine, folder, path).await;
        assert!(received.contains(expected), "{folder} {path}: {received}");
        assert!(
            expected == "content of the notes" || !received.contains("content of"),
            "{folder} {path}: {received}"
        );
    }
}
