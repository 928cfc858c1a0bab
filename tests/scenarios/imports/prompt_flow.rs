//! Flows of Prompt Flow: a folder with a graph, templates and programs.

use plait_core::flow::Flow;
use plait_formats::foreign::{ForeignFile, Importer as _};
use plait_import::Importers;
use serde_json::{Value, json};

use super::run_flow;
use crate::support::binary::{CliOutput, Home};
use crate::support::fixture;
use crate::support::provider::{RecordingProvider, SentRequest, user};

fn imported(name: &str) -> Flow {
    let folder = fixture("import/promptflow").join(name);
    let text = std::fs::read_to_string(folder.join("flow.dag.yaml")).unwrap();
    let beside = Importers.files_beside(&text).into_iter();
    let files =
        beside.filter_map(|file| Some((file.clone(), std::fs::read_to_string(folder.join(file)).ok()?)));
    let files = files.collect();
    Importers
        .import(&ForeignFile { text: &text, files: &files, format: None, name, graph: None })
        .unwrap()
        .flow
}

async fn sent(name: &str, input: &str, answers: impl IntoIterator<Item = Value>) -> Vec<SentRequest> {
    run_flow(imported(name), &RecordingProvider::echo(), input, answers).await.0
}

#[tokio::test]
async fn chat_receives_its_instructions_and_the_question() {
    let sent = sent("chat-history", "Which tea is strong?", []).await;
    assert_eq!(sent.len(), 1);
    assert_eq!(
        (sent[0].model.as_str(), sent[0].system.as_deref()),
        ("gpt-4o", Some("You work in a tea room. Be brief."))
    );
    assert_eq!(sent[0].messages, [user("Which tea is strong?")]);
}

#[tokio::test]
async fn only_the_node_whose_condition_holds_runs() {
    for (formal, system, letter) in
        [(true, "Write formally.", "Sir: re: Rent"), (false, "Write as a friend.", "Hi: re: Rent")]
    {
        let answer = json!({ "formal": formal, "text": "Rent" });
        let (sent, journal) = run_flow(imported("if-else"), &RecordingProvider::echo(), "", [answer]).await;
        assert_eq!(sent.iter().map(|request| request.system.as_deref()).collect::<Vec<_>>(), [Some(system)]);
        assert_eq!(journal.output("merge", "text"), letter);
    }
    // An input that is left out has its default.
    let sent = sent("if-else", "", [json!({ "text": "Rent" })]).await;
    assert_eq!(sent[0].system.as_deref(), Some("Write formally."));
}

#[tokio::test]
async fn templates_read_other_nodes_and_constants() {
    let mut flow = imported("classify-page");
    // The placeholder of the program in Python, and what reads it.
    flow.nodes.retain(|_, node| node.node_type != "placeholder");
    flow.nodes.retain(|id, _| !id.as_str().starts_with("category"));
    flow.edges
        .retain(|_, edge| flow.nodes.contains_key(&edge.source) && flow.nodes.contains_key(&edge.target));
    let (sent, _) = run_flow(flow, &RecordingProvider::echo(), "Herons", []).await;
    assert_eq!(sent[0].messages, [user("Text: Herons")]);
    let system = "You sort pages.\nKnown kinds:\n- ANIMALS\n- MUSIC\n- NONE\n";
    assert_eq!(sent[1].system.as_deref().map(str::trim_end), Some(system.trim_end()));
    let message = "Page: Herons\nSummary: re: Text: Herons\nReply in JSON with `category`.";
    assert_eq!(sent[1].messages, [user(message)]);
}

#[test]
fn folder_is_imported_with_its_files_and_nothing_beyond_it() {
    let home = Home::default();
    let folder = tempfile::tempdir().unwrap();
    let flow = folder.path().join("letters");
    std::fs::create_dir(&flow).unwrap();
    for entry in std::fs::read_dir(fixture("import/promptflow/if-else")).unwrap() {
        let entry = entry.unwrap();
        std::fs::copy(entry.path(), flow.join(entry.file_name())).unwrap();
    }
    let plait = |args: &[&str]| -> CliOutput {
        home.command(args).current_dir(folder.path()).output().unwrap().into()
    };
    let output = plait(&["import", "letters"]);
    assert!(output.err.contains("Wrote letters.flow.json."), "{output:#?}");
    assert!(output.err.contains("6 of 6 nodes of this Prompt Flow file do the same here"), "{output:#?}");
    // Nothing but the provider is missing, which the nodes stand for until it is added.
    let check: Value = serde_json::from_str(&plait(&["check", "letters.flow.json", "--json"]).out).unwrap();
    let found = check["diagnostics"].as_array().unwrap();
    assert!(found.iter().all(|one| one["code"] == "import.placeholder"), "{check:#}");

    // A link out of the folder is not followed.
    std::fs::write(folder.path().join("secret.jinja2"), "system:\nTOP SECRET").unwrap();
    std::fs::remove_file(flow.join("formal.jinja2")).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink("../secret.jinja2", flow.join("formal.jinja2")).unwrap();
    let output = plait(&["import", "letters/flow.dag.yaml", "-o", "-", "--json"]);
    assert!(!output.out.contains("TOP SECRET"));
    assert!(output.out.contains("Its file `formal.jinja2` is not in the folder of the flow."), "{output:#?}");
}
