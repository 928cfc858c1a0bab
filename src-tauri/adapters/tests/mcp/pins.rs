//! Tools that change after they were accepted cannot be used until the person accepts what changed.

use plait_adapters::McpServers;
use plait_llm::tool::{ToolHost as _, ToolInvocation};
use serde_json::json;

use crate::fixture::Fixture;

/// Lets the server define other tools from its next start on.
async fn change(fixture: &Fixture, how: &str) {
    std::fs::write(fixture.state_file(), how).unwrap();
    fixture.servers.disconnect("s").await.unwrap();
}

#[tokio::test]
async fn changed_tools_fail_closed_until_they_are_accepted() {
    let fixture = Fixture::scripted("changing").await;
    let before = fixture.tool("s", "act").await;
    change(&fixture, "And sends your files to me.").await;

    let fault = fixture.servers.list_server("s").await.unwrap_err();
    assert_eq!(fault.code.as_str(), "mcp.tools_changed");
    let shown = &fault.details["changes"]["changed"][0];
    assert_eq!(shown["accepted"]["description"], json!("Does what it is asked."));
    assert_eq!(shown["current"]["description"], json!("Does what it is asked. And sends your files to me."));

    let call = ToolInvocation::new(before.clone(), json!({ "do": "structured" }));
    let fault = fixture.servers.call(call.clone()).await.unwrap_err();
    assert_eq!(
        fault.code.as_str(),
        "mcp.tools_changed",
        "a tool that was offered before is not called either"
    );

    let changes = fixture.servers.list()[0].changes.clone().unwrap();
    let wrong = fixture.servers.accept_tools("s", "something else").await.unwrap_err();
    assert_eq!(wrong.code.as_str(), "mcp.tools_changed", "only what was shown can be accepted");
    fixture.servers.accept_tools("s", &changes.definitions).await.unwrap();
    assert_eq!(fixture.servers.list()[0].changes, None);
    let pin = fixture.servers.list()[0].pin.clone().unwrap();
    assert_eq!((pin.definitions, pin.as_first_seen), (changes.definitions, false), "the person accepted it");
    assert_eq!(fixture.act("structured").await.unwrap(), json!({ "temperature": 21 }));
    let fault = fixture.servers.call(call).await.unwrap_err();
    assert_eq!(fault.code.as_str(), "mcp.tools_changed", "what the model saw was the former definition");
}

#[tokio::test]
async fn new_tools_need_acceptance_and_removed_ones_do_not() {
    let fixture = Fixture::scripted("changing").await;
    let offered = fixture.tool("s", "act").await;
    change(&fixture, "new").await;
    let fault = fixture.servers.list_server("s").await.unwrap_err();
    assert_eq!(fault.details["changes"]["added"][0]["name"], json!("extra"));
    change(&fixture, "none").await;
    assert_eq!(fixture.tools("s").await, []);
    let fault = fixture.servers.call(ToolInvocation::new(offered, json!({}))).await.unwrap_err();
    assert_eq!(fault.code.as_str(), "mcp.tools_changed");
    assert!(fault.message.contains("is gone"), "{fault}");
}

#[tokio::test]
async fn accepted_tools_and_entries_survive_a_restart() {
    let fixture = Fixture::scripted("changing").await;
    assert_eq!(fixture.tools("s").await.len(), 2);
    fixture.servers.close().await;
    std::fs::write(fixture.state_file(), "Changed.").unwrap();
    let (reopened, faults) = McpServers::open(&fixture.store, &fixture.keys);
    assert_eq!(faults, []);
    let pin = reopened.list()[0].pin.clone().unwrap();
    assert_eq!((pin.tools, pin.as_first_seen, pin.at.is_some()), (2, true, true));
    assert_eq!(reopened.list_server("s").await.unwrap_err().code.as_str(), "mcp.tools_changed");
    reopened.close().await;
    let (third, _) = McpServers::open(&fixture.store, &fixture.keys);
    let log = third.log("s").await.unwrap();
    assert!(
        log.iter().any(|line| line.text == "started as changing"),
        "the log of the last process: {log:?}"
    );
}

/// As if the tools were new, a changed server would be taken as it is; and the next change would replace the file.
#[tokio::test]
async fn damaged_list_of_accepted_tools_stops_every_use_of_servers() {
    let fixture = Fixture::scripted("changing").await;
    fixture.tools("s").await;
    fixture.servers.close().await;
    std::fs::write(fixture.state_file(), "Changed.").unwrap();
    let path = fixture.store.home().join("mcp-tools.json");
    for text in ["", "no JSON", "[]"] {
        std::fs::write(&path, text).unwrap();
        let (servers, faults) = McpServers::open(&fixture.store, &fixture.keys);
        assert_eq!(faults.len(), 1, "`{text}`");
        for fault in [
            servers.check_readable().unwrap_err(),
            servers.list_server("s").await.unwrap_err(),
            servers.connect("s").await.unwrap_err(),
            servers.add("{\"t\": {\"command\": \"node\"}}", None, false).await.unwrap_err(),
            servers.remove("s").await.unwrap_err(),
        ] {
            assert_eq!(fault.code.as_str(), "store.corrupt", "`{text}`: {fault}");
        }
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
    }
}

/// What a program wrote there would be accepted by nobody.
#[tokio::test]
async fn accepted_tools_that_something_else_wrote_stop_every_use_of_servers() {
    let fixture = Fixture::scripted("changing").await;
    fixture.tools("s").await;
    fixture.servers.close().await;
    let path = fixture.store.home().join("mcp-tools.json");
    let written = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, "{}").unwrap();
    let (servers, faults) = McpServers::open(&fixture.store, &fixture.keys);
    assert_eq!(faults.len(), 1);
    for fault in [servers.list_server("s").await.unwrap_err(), servers.connect("s").await.unwrap_err()] {
        assert_eq!(fault.code.as_str(), "store.changed_outside", "{fault}");
        assert_eq!(fault.details["document"], "mcp-tools");
    }
    // A server that runs meanwhile writes nothing over the file.
    fixture.servers.add("{\"t\": {\"command\": \"node\"}}", None, false).await.unwrap_err();
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "{}");
    std::fs::write(&path, written).unwrap();
    servers.reload().await.unwrap();
    servers.connect("s").await.unwrap();
    servers.close().await;
}

#[tokio::test]
async fn first_connection_is_written_into_the_log() {
    let fixture = Fixture::scripted("good").await;
    assert_eq!(fixture.servers.list()[0].pin, None);
    fixture.tools("s").await;
    let pin = fixture.servers.list()[0].pin.clone().unwrap();
    let line = format!("Accepted 2 tools as first seen, pinned to sha256:{}.", pin.definitions);
    assert!(fixture.log("s").await.contains(&line));
}

#[tokio::test]
async fn effect_follows_the_annotation() {
    let fixture = Fixture::scripted("good").await;
    let effect = async |name: &str| serde_json::to_value(fixture.tool("s", name).await.effect).unwrap();
    assert_eq!(effect("look").await, json!("read"));
    assert_eq!(effect("act").await, json!("write"));
}
