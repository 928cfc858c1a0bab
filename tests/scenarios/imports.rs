//! Flows of other tools: imported and run, with the requests to the models.

mod agentflows;
mod branches;
mod comparison;
mod langflow_rules;
mod n8n_rules;
mod n8n_runs;
mod prompt_flow;
mod requests;
mod rivet_values;
mod triggers;

use plait_api::runs::{RunRequest, StartRun};
use plait_core::flow::Flow;
use plait_import::import;
use plait_llm::context::Role;
use serde_json::{Value, json};

use crate::support::app::{App, PauseResponse, all_grants};
use crate::support::binary::Home;
use crate::support::fixture;
use crate::support::journal::Journal;
use crate::support::provider::{RecordingProvider, SentRequest, assistant, text, user};

/// A file of `tests/fixtures/import` as a flow.
fn imported(file: &str) -> Flow {
    let text = std::fs::read_to_string(fixture("import").join(file)).unwrap();
    import(&text, None, "Imported").unwrap().flow
}

/// Runs an imported file with this input text and these answers. Returns the requests to the models.
async fn run(
    file: &str,
    provider: &RecordingProvider,
    input: &str,
    answers: impl IntoIterator<Item = Value>,
) -> (Vec<SentRequest>, Journal) {
    run_flow(imported(file), provider, input, answers).await
}

/// Runs a flow in the same way.
async fn run_flow(
    flow: Flow,
    provider: &RecordingProvider,
    input: &str,
    answers: impl IntoIterator<Item = Value>,
) -> (Vec<SentRequest>, Journal) {
    let app = App::with_workers(provider);
    let request = RunRequest {
        flow,
        grants: all_grants(),
        input: (!input.is_empty()).then(|| input.to_owned()),
        ..RunRequest::default()
    };
    let run = app.plait.call(StartRun(request)).await.unwrap().run;
    let journal = app.follow(&run, answers.into_iter().map(PauseResponse::Value)).await;
    (provider.sent(), journal)
}

#[tokio::test]
async fn n8n_agent_receives_its_instructions_its_message_and_its_tools() {
    let (sent, _) = run("n8n/chat-agent.json", &RecordingProvider::echo(), "Do tulips like frost?", []).await;
    assert_eq!(sent.len(), 1);
    assert_eq!(sent[0].model, "gpt-4o-mini");
    assert!(sent[0].system.as_deref().unwrap().starts_with("You help with gardens.\n"));
    assert_eq!(sent[0].messages, [user("Do tulips like frost?")]);
    assert_eq!(sent[0].tools, ["calculator", "weather"]);
}

#[tokio::test]
async fn n8n_chain_receives_its_messages_in_order_and_fields_of_other_nodes() {
    let provider = RecordingProvider::with_rule(|_, _| Ok(text("ANNOYED")));
    let (sent, journal) = run("n8n/chain-messages.json", &provider, "", []).await;
    assert_eq!(sent[0].system.as_deref(), Some("You judge the tone of letters in one word."));
    assert_eq!(
        sent[0].messages,
        [
            user("Thank you for the flowers."),
            assistant("grateful"),
            user("How does this sound to a landlord?\n\nThe roof leaks since Monday."),
        ]
    );
    let result = journal.output("result", "result");
    let letter = "The roof leaks since Monday.";
    assert_eq!((&result["tone"], &result["letter"]), (&json!("ANNOYED"), &json!(letter)));
    assert_eq!(result["line"], "It sounds annoyed.");
}

#[tokio::test]
async fn n8n_branch_that_is_not_taken_calls_no_model() {
    let echo = RecordingProvider::echo();
    let (sent, journal) = run("n8n/if-new.json", &echo, "All good here.", []).await;
    assert_eq!(sent.len(), 0);
    assert_eq!(journal.output("both", "result"), json!({ "text": "Thank you for telling us." }));
    let (sent, _) = run("n8n/if-new.json", &RecordingProvider::echo(), "How far is it?", []).await;
    assert_eq!(sent[0].last_text(), "Answer briefly: How far is it?");
}

#[tokio::test]
async fn n8n_loop_calls_the_model_once_for_each_item() {
    let (sent, journal) = run("n8n/loop-items.json", &RecordingProvider::echo(), "", []).await;
    let prompts: Vec<&str> = sent.iter().map(SentRequest::last_text).collect();
    assert_eq!(prompts, ["Write a postcard to Ada in Riga.", "Write a postcard to Ben in Graz."]);
    assert!(sent.iter().all(|request| request.messages.len() == 1 && request.messages[0].0 == Role::User));
    let cards = journal.output("all-cards", "result");
    assert_eq!(cards["cards"][1], json!({ "card": "re: Write a postcard to Ben in Graz.", "to": "Ben" }));
}

#[test]
fn import_writes_a_flow_and_reports_what_is_left_to_do() {
    let home = Home::default();
    let folder = tempfile::tempdir().unwrap();
    let file = fixture("import/n8n/classifier.json").display().to_string();
    let plait = |args: &[&str]| home.command(args).current_dir(folder.path()).output().unwrap().into();
    let output: crate::support::binary::CliOutput = plait(&["import", &file]);
    assert_eq!((output.code, output.out.as_str()), (0, ""), "{output:#?}");
    assert!(output.err.contains("Forward (n8n-nodes-base.slack)"), "{}", output.err);
    assert!(output.err.contains("Wrote classifier.flow.json."), "{}", output.err);

    let again: crate::support::binary::CliOutput = plait(&["import", &file]);
    assert_eq!(again.code, 2);
    assert!(again.err.contains("flow.exists"), "{}", again.err);

    let check: crate::support::binary::CliOutput = plait(&["check", "classifier.flow.json", "--json"]);
    let report: Value = serde_json::from_str(&check.out).unwrap();
    let errors = report["diagnostics"].as_array().unwrap().iter().filter(|one| one["severity"] == "error");
    let codes: Vec<_> = errors.map(|one| one["code"].as_str().unwrap().to_owned()).collect();
    assert_eq!(codes, ["import.placeholder"]);

    let run: crate::support::binary::CliOutput = plait(&["run", "classifier.flow.json", "--input", "hello"]);
    assert_eq!(run.code, 2);
    assert!(run.err.contains("import.placeholder"), "{}", run.err);
}

#[test]
fn import_prints_report_and_flow_as_json() {
    let home = Home::default();
    let file = fixture("import/n8n/chain-messages.json").display().to_string();
    let output = home.plait(&["import", &file, "-o", "-", "--json"]);
    assert_eq!(output.code, 0, "{output:#?}");
    let json: Value = serde_json::from_str(&output.out).unwrap();
    assert_eq!((&json["complete"], &json["report"]["format"]), (&json!(true), &json!("n8n")));
    assert_eq!(json["flow"]["nodes"]["rate-the-tone"]["type"], "chat");
    let output = home.plait(&["import", &file, "-o", "-"]);
    assert!(output.out.starts_with("{\n  \"edges\""), "{}", output.out);
    assert!(output.err.starts_with("5 of 5 nodes of this n8n file do the same here"), "{}", output.err);
}

#[test]
fn import_refuses_what_it_does_not_know() {
    let home = Home::default();
    let file = fixture("flows/bad/not-json.flow.json").display().to_string();
    let output = home.plait(&["import", &file]);
    assert_eq!(output.code, 1);
    assert!(output.err.contains("import.un"), "{}", output.err);
    let output = home.plait(&["import", "/no/such/file.json"]);
    assert!(output.err.contains("flow.not_found"), "{}", output.err);
}

#[tokio::test]
async fn dify_chatflow_receives_its_instructions_with_values_of_the_app() {
    let (sent, journal) = run("dify/chatflow.yml", &RecordingProvider::echo(), "Tea, please.", []).await;
    assert_eq!(sent[0].model, "claude-3-5-haiku-latest");
    assert_eq!(sent[0].system.as_deref(), Some("You work in a tea room. Today there is plum cake."));
    assert_eq!(sent[0].messages, [user("Tea, please.")]);
    assert_eq!(journal.output("answer-text", "text"), "re: Tea, please.");
}

#[tokio::test]
async fn dify_form_fills_in_the_prompt() {
    let answer = json!({ "job": "baker", "tone": "warm", "years": 4 });
    let (sent, _) = run("dify/workflow-form.yml", &RecordingProvider::echo(), "", [answer]).await;
    assert_eq!(sent[0].system.as_deref(), Some("You write cover letters."));
    assert_eq!(sent[0].messages, [user("Job: baker\nTone: warm\nYears: 4")]);
}

#[tokio::test]
async fn dify_branch_decides_which_model_is_called() {
    let (sent, _) = run("dify/if-else.yml", &RecordingProvider::echo(), "This is urgent!", []).await;
    assert_eq!(
        sent.iter().map(SentRequest::last_text).collect::<Vec<_>>(),
        ["Calm this person: This is urgent!"]
    );
    let echo = RecordingProvider::echo();
    let (sent, journal) = run("dify/if-else.yml", &echo, "Hello there", []).await;
    assert_eq!(sent.len(), 0);
    assert_eq!(journal.output("greeting-text", "text"), "Good day! What can we do?");
}

#[tokio::test]
async fn dify_branches_meet_in_an_aggregator() {
    let answers = [json!({ "language": "de" })];
    let (sent, journal) =
        run("dify/aggregator.yml", &RecordingProvider::echo(), "Wie geht's?", answers).await;
    assert_eq!(
        sent.iter().map(SentRequest::last_text).collect::<Vec<_>>(),
        ["Antworte auf Deutsch: Wie geht's?"]
    );
    assert_eq!(journal.output("answer-text", "text"), "re: Antworte auf Deutsch: Wie geht's?");
}

#[tokio::test]
async fn flowise_conversation_receives_its_instructions_and_the_question() {
    let (sent, _) =
        run("flowise/conversation.json", &RecordingProvider::echo(), "Why do boats float?", []).await;
    assert_eq!(sent[0].system.as_deref(), Some("You chat about boats."));
    assert_eq!(sent[0].messages, [user("Why do boats float?")]);
}

#[tokio::test]
async fn flowise_chain_receives_the_reply_of_the_chain_before() {
    let (sent, _) = run("flowise/prompt-chain.json", &RecordingProvider::echo(), "rivers", []).await;
    let prompts: Vec<&str> = sent.iter().map(SentRequest::last_text).collect();
    assert_eq!(
        prompts,
        [
            "Name three things about rivers.",
            "Write a verse from this: re: Name three things about rivers.\nFor: rivers",
        ]
    );
}

#[tokio::test]
async fn flowise_condition_decides_what_is_replied() {
    let echo = RecordingProvider::echo();
    let (sent, journal) = run("flowise/agentflow-condition.json", &echo, "Hi there", []).await;
    assert_eq!(sent.len(), 0);
    assert_eq!(journal.output("hello-text", "text"), "Hello!");
}

#[tokio::test]
async fn langflow_prompt_becomes_the_instructions_of_its_model() {
    let (sent, _) = run("langflow/basic.json", &RecordingProvider::echo(), "Where is land?", []).await;
    assert_eq!(sent[0].system.as_deref(), Some("Answer like a sailor."));
    assert_eq!(sent[0].messages, [user("Where is land?")]);
}

#[tokio::test]
async fn langflow_prompt_is_filled_in_with_the_values_of_other_components() {
    let (sent, _) = run("langflow/prompt-variables.json", &RecordingProvider::echo(), "tea", []).await;
    assert_eq!(sent[0].last_text(), "Write three lines on: tea\nAs JSON {\"text\": \"\"}.");
}

#[tokio::test]
async fn rivet_chat_receives_its_prompts() {
    let (sent, _) = run("rivet/chat.rivet-project", &RecordingProvider::echo(), "blue", []).await;
    assert_eq!(sent[0].system.as_deref(), Some("You name stars."));
    assert_eq!(sent[0].messages, [user("A name for a blue star.")]);
}

#[tokio::test]
async fn rivet_chat_receives_assembled_messages_in_order() {
    let (sent, _) = run("rivet/assemble.rivet-project", &RecordingProvider::echo(), "3 and 3?", []).await;
    assert_eq!(sent[0].system.as_deref(), Some("You add numbers."));
    assert_eq!(sent[0].messages, [user("2 and 2?"), assistant("4"), user("3 and 3?")]);
}

#[tokio::test]
async fn rivet_graph_calls_another_with_its_values() {
    let echo = RecordingProvider::echo();
    let (sent, journal) = run("rivet/sub-graph.rivet-project", &echo, "a long text", []).await;
    assert_eq!(sent[0].last_text(), "Shorten to 5 words: a long text");
    assert_eq!(journal.output("result", "text"), "Short: re: Shorten to 5 words: a long text");
}

#[test]
fn file_of_another_tool_is_named_where_a_flow_is_expected() {
    let home = Home::default();
    for (file, tool) in [
        ("n8n/chat-agent.json", "n8n"),
        ("dify/chatflow.yml", "Dify"),
        ("langflow/basic.json", "Langflow"),
        ("flowise/conversation.json", "Flowise"),
        ("rivet/assemble.rivet-project", "Rivet"),
    ] {
        let path = fixture("import").join(file);
        let output = home.plait(&["check", path.to_str().unwrap()]);
        let said = output.out + &output.err;
        assert!(said.contains(&format!("This is not a flow: it is a file of {tool}.")), "{file}: {said}");
        assert!(said.contains("Import it"), "{file}: {said}");
    }
}
