//! A test that fails in the terminal, in a project under git, opens in the window's debugger where the run first differs.

use std::path::Path;
use std::process::Command;

use anyhow::Result;
use plait_window_tests::{App, Home, run_test};
use serde_json::{Value, json};

use crate::editor::{click, run_palette_command, wait_for_run_status};

/// A draft, and a verdict on it.
fn review(prompt: &str) -> Value {
    let edge = |source: &str, output: &str, target: &str, input: &str| json!({ "source": source, "sourceOutput": output, "target": target, "targetInput": input });
    let at = |x: u32, y: u32| json!({ "x": x, "y": y });
    json!({
        "version": 1,
        "name": "Review",
        "nodes": {
            "start": { "type": "contextStart", "config": { "provider": "offline", "model": "echo" } },
            "topic": { "type": "manualInput", "title": "Topic" },
            "draft": { "type": "chat", "title": "Draft", "config": { "prompt": prompt } },
            "judge": { "type": "chat", "title": "Judge", "config": { "prompt": "Judge: {{text}}" } },
            "out": { "type": "output", "title": "Verdict" },
        },
        "edges": {
            "1": edge("start", "context", "draft", "context"),
            "2": edge("draft", "context", "judge", "context"),
            "3": edge("topic", "value", "draft", "topic"),
            "4": edge("draft", "response", "judge", "text"),
            "5": edge("judge", "response", "out", "value"),
        },
        "layout": { "start": at(0, 0), "topic": at(0, 160), "draft": at(300, 0), "judge": at(600, 0), "out": at(900, 0) },
    })
}

fn git(folder: &Path, args: &[&str]) -> Result<()> {
    let author = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"];
    let done = Command::new("git").args(author).args(args).current_dir(folder).output()?;
    assert!(done.status.success(), "{done:?}");
    Ok(())
}

#[tokio::test]
async fn failing_test_of_a_repository_opens_at_its_first_difference() -> Result<()> {
    run_test(async {
        let home = Home::new()?;
        let project = home.file("project");
        std::fs::create_dir(&project)?;
        let file = project.join("review.flow.json");
        std::fs::write(&file, review("Write about {{topic}}. Be brief.").to_string())?;
        let plait = |args: &[&str], code: i32| -> Result<String> {
            let (found, said) = home.terminal(&project, args)?;
            assert_eq!(found, Some(code), "{said}");
            Ok(said)
        };
        plait(&["run", "review.flow.json", "--input", "tea"], 0)?;
        plait(&["test", "add", "last", "--name", "about tea"], 0)?;
        git(&project, &["init", "-q"])?;
        git(&project, &["add", "."])?;
        git(&project, &["commit", "-qm", "Review of drafts"])?;
        plait(&["test", "--junit", "results.xml"], 0)?;

        std::fs::write(&file, review("Write about {{topic}}. Be thorough.").to_string())?;
        plait(&["test", "--junit", "results.xml"], 1)?;
        let xml = std::fs::read_to_string(project.join("results.xml"))?;
        assert!(xml.contains("failures=\"1\"") && xml.contains("it says &quot;brief.&quot;"), "{xml}");

        let app = App::open("flow-tests", &home, &[&file.to_string_lossy()]).await?;
        app.wait_for_test_id("node-draft").await?;
        // The window knows what came of the tests in the terminal.
        run_palette_command(&app, "Show tests").await?;
        app.wait_for("[data-testid=\"test-case-about tea\"][data-state=failed]").await?;
        app.wait_for_page_text("where this one says").await?;
        app.screenshot("failed").await?;

        click(&app, "test-debug").await?;
        wait_for_run_status(&app, "stopped").await?;
        app.wait_for("[data-testid=bead-draft-call][data-here=true]").await?;
        app.screenshot("debugged").await?;
        let runs = app.rpc("runs.list", json!({})).await?;
        let run = json!({ "run": runs[0]["run"] });
        let held = app.rpc("run.held", run.clone()).await?;
        assert_eq!(
            (&held[0]["stop"]["at"]["node"], &held[0]["stop"]["at"]["side"]),
            (&json!("draft"), &json!("call"))
        );
        let detail = app.rpc("runs.show", run).await?;
        let called = detail["entries"].as_array().into_iter().flatten();
        let called = called.filter(|entry| {
            entry["type"] == "model.replied" || entry["type"] == "node.finished" && entry["node"] == "draft"
        });
        assert_eq!(called.count(), 0, "nothing has come of it yet");
        app.close().await
    })
    .await
}
