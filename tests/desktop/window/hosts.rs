//! The window on a host of another machine: a flow is published from home, run there, answered by a second person in a terminal, stopped at
//! a breakpoint, brought home and forked.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use anyhow::{Context as _, Result, bail};
use plait_window_tests::environment::clean_command;
use plait_window_tests::{App, Home, built_binary, run_test};
use serde_json::json;
use tempfile::TempDir;

use crate::editor::{
    CONTROL, ENTER, TAB, answer, click, open_inspector, run_palette_command, wait_for_run_status,
};

const ESCAPE: char = '\u{E00C}';
const F8: char = '\u{E038}';
const F9: char = '\u{E039}';

/// A host that serves a data directory of its own. Dropping it ends it.
struct Served {
    home: TempDir,
    child: Child,
    url: String,
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Served {
    fn start() -> Result<Self> {
        let home = tempfile::tempdir()?;
        let mut serve = command("plait-server", &home)?;
        serve.args(["serve", "--embedded", "--listen", "127.0.0.1:0"]).stdout(Stdio::piped());
        let mut child = serve.spawn().context("the host was not built")?;
        let mut url = String::new();
        let output = child.stdout.take().context("the host has no output")?;
        BufReader::new(output).read_line(&mut url)?;
        Ok(Self { home, child, url: url.trim().to_owned() })
    }

    fn add_token(&self, name: &str, role: &str) -> Result<String> {
        let mut add = command("plait-server", &self.home)?;
        let output = add.args(["tokens", "add", "--name", name, "--role", role]).output()?;
        Ok(String::from_utf8(output.stdout)?.trim().to_owned())
    }
}

/// A program that was built beside the window, with this data directory.
fn command(program: &str, home: &TempDir) -> Result<Command> {
    let binary: PathBuf = built_binary()?.with_file_name(program);
    let mut command = clean_command(binary);
    command.env("PLAIT_HOME", home.path());
    Ok(command)
}

/// The terminal of a second person, who knows the host.
struct Terminal(TempDir);

impl Terminal {
    fn of(served: &Served, token: &str) -> Result<Self> {
        let terminal = Self(tempfile::tempdir()?);
        let mut add = command("plait", &terminal.0)?;
        add.args(["hosts", "add", "team", &served.url]).stdin(Stdio::piped());
        let mut child = add.spawn()?;
        child.stdin.take().context("no input")?.write_all(token.as_bytes())?;
        if child.wait()?.success() { Ok(terminal) } else { bail!("the terminal cannot add the host") }
    }

    fn on_host(&self, args: &[&str]) -> Result<String> {
        let output = command("plait", &self.0)?.args(["--host", "team"]).args(args).output()?;
        if !output.status.success() {
            bail!("{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        }
        Ok(String::from_utf8(output.stdout)?)
    }
}

#[tokio::test]
async fn flow_goes_to_a_host_and_its_run_comes_home() -> Result<()> {
    run_test(async {
        let served = Served::start()?;
        let (ann, bob) = (served.add_token("ann", "editor")?, served.add_token("bob", "runner")?);
        let home = Home::new()?;
        let path = home.file("order-help.flow.json");
        std::fs::write(&path, order_help().to_string())?;
        let file = path.to_str().context("the path is no text")?.to_owned();
        let app = App::open("hosts", &home, &[&file]).await?;
        app.wait_for_test_id("node-answer").await?;

        // The host is added, and the flow published there.
        run_palette_command(&app, "Hosts").await?;
        click(&app, "host-add").await?;
        app.wait_for("[data-testid=host-form] input:focus").await?;
        app.type_text("team").await?;
        app.press(&[TAB]).await?;
        app.type_text(&served.url).await?;
        app.press(&[TAB]).await?;
        app.type_text(&ann).await?;
        app.press(&[ENTER]).await?;
        app.wait_for_page_text("ann (editor)").await?;
        app.screenshot("host").await?;
        app.press(&[ESCAPE]).await?;
        run_palette_command(&app, "Publish").await?;
        app.wait_for_page_text("The name is new on this host.").await?;
        click(&app, "publish-submit").await?;
        app.wait_for_page_text("The same as version 1, which is served.").await?;
        app.screenshot("published").await?;
        app.press(&[ESCAPE]).await?;

        // In a window of the host it is run, and a second person answers.
        run_palette_command(&app, "Hosts").await?;
        let before = app.client.windows().await?;
        click(&app, "host-open-team").await?;
        app.switch_to_new_window(&before).await?;
        app.wait_for_page_text("ann (editor)").await?;
        click(&app, "host-published").await?;
        click(&app, "published-run-order-help").await?;
        wait_for_run_status(&app, "waiting").await?;
        app.screenshot("waits-on-the-host").await?;
        let second = Terminal::of(&served, &bob)?;
        let runs: serde_json::Value = serde_json::from_str(&second.on_host(&["runs", "list", "--json"])?)?;
        let run = runs[0]["run"].as_str().context("the terminal sees no run")?.to_owned();
        second.on_host(&["resume", &run, "--answer", "7731"])?;
        wait_for_run_status(&app, "finished").await?;
        app.wait_for_page_text("Order 7731 arrives on Thursday.").await?;

        // The flow of the host's folder is stopped at a breakpoint.
        app.press(&[CONTROL, 'o']).await?;
        click(&app, "host-file-order-help.flow.json").await?;
        app.wait_for("[data-testid=flow-name]").await?;
        open_inspector(&app, "answer", "config").await?;
        app.press(&[F9]).await?;
        click(&app, "run-button").await?;
        answer(&app, "7731").await?;
        wait_for_run_status(&app, "stopped").await?;
        app.screenshot("stopped-on-the-host").await?;

        // The run is brought home, goes on there and is forked.
        let before = app.client.windows().await?;
        run_palette_command(&app, "Bring run home").await?;
        app.switch_to_new_window(&before).await?;
        wait_for_run_status(&app, "stopped").await?;
        assert_eq!(app.count("[data-testid=host-bar]").await?, 0);
        app.wait_for_page_text("Paused before Answer").await?;
        app.press(&[F8]).await?;
        wait_for_run_status(&app, "finished").await?;
        open_inspector(&app, "answer", "config").await?;
        run_palette_command(&app, "Run from selected node").await?;
        app.wait_for("[data-testid=bill-start]:focus").await?;
        app.press(&[ENTER]).await?;
        // The breakpoint holds for the fork, too.
        wait_for_run_status(&app, "stopped").await?;
        app.wait_for_page_text("Paused before Answer").await?;
        app.press(&[F8]).await?;
        wait_for_run_status(&app, "finished").await?;
        app.screenshot("forked-at-home").await?;
        let here = app.rpc("runs.list", json!({})).await?;
        assert_eq!(here.as_array().map(Vec::len), Some(2), "{here}");
        app.close().await
    })
    .await
}

/// Asks a person, and has a model say something about the answer.
fn order_help() -> serde_json::Value {
    let edge = |source: &str, output: &str, target: &str, input: &str| json!({ "source": source, "sourceOutput": output, "target": target, "targetInput": input });
    json!({
        "version": 1,
        "name": "Order help",
        "nodes": {
            "start": { "type": "contextStart", "title": "main", "config": { "provider": "offline", "model": "script" } },
            "ask": { "type": "userInput", "title": "Ask", "config": { "prompt": "Which order is it about?" } },
            "answer": {
                "type": "chat", "title": "Answer",
                "config": { "prompt": "{{order}}", "skipHistory": true, "options": { "replies": [{ "text": "Order 7731 arrives on Thursday." }] } },
            },
            "out": { "type": "output", "title": "Reply" },
        },
        "edges": {
            "a": edge("start", "context", "ask", "context"),
            "b": edge("ask", "context", "answer", "context"),
            "c": edge("ask", "message", "answer", "order"),
            "d": edge("answer", "response", "out", "value"),
        },
        "layout": { "start": { "x": 0, "y": 0 }, "ask": { "x": 280, "y": 0 }, "answer": { "x": 560, "y": 0 }, "out": { "x": 840, "y": 0 } },
    })
}
