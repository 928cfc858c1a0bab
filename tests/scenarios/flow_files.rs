//! Flows that are read without being opened, templates, and the versions that runs keep.

use plait_api::codes;
use plait_api::flows::{
    ListNearbyFlows, ListRecent, ListTemplates, OpenFlow, OpenTemplate, ReadFlow, RemoveTemplate,
    RenameTemplate, SaveTemplate,
};
use plait_api::runs::{ListVersions, RunRequest, StartRun};
use plait_core::flow::Flow;
use serde_json::{Value, json};

use crate::support::app::{App, PauseResponse};
use crate::support::folder::flow_json;
use crate::support::provider::RecordingProvider;

fn flow_with(text: &str) -> Flow {
    serde_json::from_value(flow_value(text)).unwrap()
}

fn flow_value(text: &str) -> Value {
    let nodes =
        json!({ "text": { "type": "manualInput", "config": { "text": text } }, "out": { "type": "output" } });
    flow_json("Small", nodes, &["text.value -> out.value"])
}

fn app() -> App {
    App::with(&RecordingProvider::echo())
}

#[tokio::test]
async fn template_is_kept_renamed_opened_and_removed() {
    let app = app();
    let key = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKL";
    let save = SaveTemplate { name: "Letters".to_owned(), flow: flow_with(key) };
    let id = app.plait.call(save).await.unwrap().id;
    let rename = |name: &str| RenameTemplate { id: id.clone(), name: name.to_owned() };
    app.plait.call(rename("Replies to letters")).await.unwrap();
    assert_eq!(app.plait.call(rename(" ")).await.unwrap_err().code, codes::TEMPLATE_NO_NAME);

    let listed = app.plait.call(ListTemplates {}).await.unwrap();
    let names: Vec<_> = listed.iter().map(|template| (&*template.id, &*template.name)).collect();
    assert_eq!(names, [(&*id, "Replies to letters")]);

    let opened = app.plait.call(OpenTemplate { id: id.clone() }).await.unwrap();
    assert_eq!(opened.name, "Replies to letters");
    let text = opened.nodes["text"].config["text"].as_str().unwrap();
    assert!(!text.is_empty() && !text.contains(key), "{text}");

    app.plait.call(RemoveTemplate { id: id.clone() }).await.unwrap();
    assert!(app.plait.call(ListTemplates {}).await.unwrap().is_empty());
    assert_eq!(app.plait.call(RemoveTemplate { id }).await.unwrap_err().code, codes::TEMPLATE_UNKNOWN);
}

#[tokio::test]
async fn flow_file_in_the_folder_is_a_template_and_a_damaged_one_says_so() {
    let app = app();
    let folder = app.plait.home().join("templates");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("copied.flow.json"), flow_value("x").to_string()).unwrap();
    std::fs::write(folder.join("torn.flow.json"), "{\"version\": 1, \"nod").unwrap();
    std::fs::write(folder.join("notes.txt"), "no template").unwrap();
    let listed = app.plait.call(ListTemplates {}).await.unwrap();
    let seen: Vec<_> = listed.iter().map(|template| (&*template.name, template.problem.is_some())).collect();
    assert_eq!(seen, [("Small", false), ("torn", true)]);
    let error = app.plait.call(OpenTemplate { id: "torn".to_owned() }).await.unwrap_err();
    assert_eq!(error.code, codes::FLOW_TRUNCATED);
}

#[tokio::test]
async fn template_ids_lead_out_of_the_folder_nowhere() {
    let app = app();
    std::fs::write(app.plait.home().join("outside.flow.json"), flow_value("x").to_string()).unwrap();
    for id in ["../outside", "..", "", "/etc/passwd", "a\\b", "C:x"] {
        let open = OpenTemplate { id: id.to_owned() };
        assert_eq!(app.plait.call(open).await.unwrap_err().code, codes::TEMPLATE_UNKNOWN, "{id}");
    }
}

#[tokio::test]
async fn reading_a_flow_takes_files_and_texts_and_remembers_nothing() {
    let app = app();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("small.flow.json");
    std::fs::write(&path, flow_value("x").to_string()).unwrap();
    let read = async |path: Option<&str>, text: Option<&str>, name: Option<&str>| {
        let owned = |part: Option<&str>| part.map(str::to_owned);
        let command = ReadFlow { path: owned(path), text: owned(text), name: owned(name) };
        app.plait.call(command).await
    };
    let text = flow_value("x").to_string();
    assert_eq!(read(path.to_str(), None, None).await.unwrap(), flow_with("x"));
    assert_eq!(read(None, Some(&text), Some("small.flow.json")).await.unwrap(), flow_with("x"));
    let pipeline =
        "version: \"0.1\"\nname: Steps\nsteps:\n  - kind: step\n    name: a\n    prompt: Say hello.\n";
    assert_eq!(read(None, Some(pipeline), Some("steps.yaml")).await.unwrap().name, "Steps");
    assert_eq!(read(None, Some(pipeline), None).await.unwrap_err().code, codes::FLOW_NOT_JSON);
    assert_eq!(read(None, None, None).await.unwrap_err().code, codes::COMMAND_ARGUMENTS);
    assert!(app.plait.call(ListRecent {}).await.unwrap().is_empty());
}

#[tokio::test]
async fn nearby_flows_are_those_beside_recent_ones() {
    let app = app();
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().canonicalize().unwrap();
    std::fs::create_dir(folder.join("below")).unwrap();
    for name in ["a.flow.json", "b.yaml", "package.json", "below/c.flow.json"] {
        std::fs::write(folder.join(name), flow_value("x").to_string()).unwrap();
    }
    assert!(app.plait.call(ListNearbyFlows {}).await.unwrap().is_empty());
    app.plait.call(OpenFlow { path: folder.join("a.flow.json").display().to_string() }).await.unwrap();
    let found = app.plait.call(ListNearbyFlows {}).await.unwrap();
    assert_eq!(found, ["a.flow.json", "b.yaml"].map(|name| folder.join(name).display().to_string()));
}

#[tokio::test]
async fn versions_are_the_distinct_flows_that_ran_newest_first() {
    let app = app();
    let mut runs = Vec::new();
    for text in ["first", "second", "first"] {
        let path = Some("/flows/small.flow.json".to_owned());
        let request = RunRequest { flow: flow_with(text), path, ..RunRequest::default() };
        let run = app.plait.call(StartRun(request)).await.unwrap().run;
        app.follow(&run, std::iter::empty::<PauseResponse>()).await;
        runs.push(run);
    }
    let list = |limit| ListVersions { path: "/flows/small.flow.json".to_owned(), limit };
    let versions = app.plait.call(list(None)).await.unwrap();
    let seen: Vec<_> = versions
        .iter()
        .map(|version| {
            let runs: Vec<_> = version.runs.iter().map(|entry| entry.run.clone()).collect();
            (version.flow.nodes["text"].config["text"].as_str().unwrap(), runs)
        })
        .collect();
    let [first, second, third] = runs.try_into().unwrap();
    assert_eq!(seen, [("first", vec![third, first]), ("second", vec![second])]);
    assert_eq!(app.plait.call(list(Some(1))).await.unwrap().len(), 1);
    let other = ListVersions { path: "/flows/other.flow.json".to_owned(), limit: None };
    assert!(app.plait.call(other).await.unwrap().is_empty());
}
