//! A changed prompt in a git repository: `plait test` fails with `JUnit` output, and the failing case opens stopped at the first
//! difference.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use plait_window_tests::{App, Home, run_test};
use serde_json::{Value, json};

use crate::editor::{click, wait_for_run_status};

/// Two questions in one conversation to the offline model, which repeats what it is asked.
fn opinions(second: &str) -> Value {
    let edge = |source: &str, output: &str, target: &str, input: &str| json!({ "source": source, "sourceOutput": output, "target": target, "targetInput": input });
    let at = |x: u32| json!({ "x": x, "y": 0 });
    json!({
        "version": 1,
        "name": "Two opinions",
        "nodes": {
            "start": { "type": "contextStart", "config": { "provider": "offline", "model": "echo" } },
            "first": { "type": "chat", "config": { "prompt": "What do you think?" } },
            "second": { "type": "chat", "config": { "prompt": second } },
            "out": { "type": "output" },
        },
        "edges": {
            "1": edge("start", "context", "first", "context"),
            "2": edge("first", "context", "second", "context"),
            "3": edge("second", "response", "out", "value"),
        },
        "layout": { "start": at(0), "first": at(260), "second": at(520), "out": at(780) },
    })
}

fn git(folder: &Path, args: &[&str]) -> Result<String> {
    let identity = ["-c", "user.name=Tester", "-c", "user.email=tester@localhost"];
    let done = Command::new("git").args(identity).args(args).current_dir(folder).output()?;
    ensure!(done.status.success(), "git {args:?}: {done:?}");
    Ok(String::from_utf8_lossy(&done.stdout).into_owned())
}

#[tokio::test]
async fn failing_case_of_a_repository_opens_stopped_at_the_first_difference() -> Result<()> {
    run_test(async {
        let home = Home::new()?;
        let folder = home.file("repository");
        std::fs::create_dir_all(&folder)?;
        let path = |name: &str| folder.join(name).display().to_string();
        let (flow, suite, results) =
            (path("opinions.flow.json"), path("opinions.tests.yaml"), path("results.xml"));
        std::fs::write(&flow, opinions("How sure are you?").to_string())?;
        git(&folder, &["init", "-q"])?;

        let app = App::open("failing-test", &home, &[&flow]).await?;
        app.wait_for_test_id("node-second").await?;
        let (code, said) = app.terminal(&["run", &flow])?;
        assert_eq!(code, Some(0), "{said}");
        let (code, said) = app.terminal(&["test", "add", "last", "--name", "opinions"])?;
        assert_eq!(code, Some(0), "{said}");
        git(&folder, &["add", "."])?;
        git(&folder, &["commit", "-q", "-m", "A flow with a test"])?;
        let (code, said) = app.terminal(&["test", &suite, "--junit", &results])?;
        assert_eq!(code, Some(0), "{said}");

        // The prompt is changed while no window is open.
        app.close().await?;
        std::fs::write(&flow, opinions("How certain are you?").to_string())?;
        assert!(git(&folder, &["diff"])?.contains("How certain are you?"));
        let app = App::open("failing-test", &home, &[&flow]).await?;
        app.wait_for_test_id("node-second").await?;
        let (code, said) = app.terminal(&["test", &suite, "--junit", &results])?;
        assert_eq!(code, Some(1), "{said}");
        let words = "it says \"sure\" where this one says \"certain\"";
        assert!(said.contains(words), "{said}");
        let xml = std::fs::read_to_string(&results).context("no JUnit output")?;
        assert!(xml.contains("failures=\"1\"") && xml.contains("testcase name=\"opinions\""), "{xml}");

        // The window shows what the terminal found, and opens the case.
        click(&app, "rail-tests").await?;
        app.wait_for("[data-testid=test-case-opinions][data-state=failed]").await?;
        app.wait_for_page_text(words).await?;
        app.screenshot("failed").await?;
        click(&app, "test-debug").await?;
        wait_for_run_status(&app, "stopped").await?;
        app.wait_for("[data-testid=bead-second-call][data-here=true]").await?;
        app.screenshot("stopped").await?;
        app.close().await
    })
    .await
}
