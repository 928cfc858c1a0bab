//! A terminal beside the open window: the window drives its runs, lists them and follows them.

use std::sync::Arc;
use std::time::Instant;

use anyhow::Result;
use plait_window_tests::{App, Home, run_test};
use serde_json::{Value, json};

use crate::editor::{answer, click, open_inspector, wait_for_run_status};

#[tokio::test]
async fn run_of_a_terminal_is_listed_and_followed_by_the_window() -> Result<()> {
    run_test(async {
        let home = Home::new()?;
        let app = App::open("terminal", &home, &[]).await?;
        app.wait_for_test_id("start-page").await?;
        click(&app, "rail-runs").await?;

        // The list learns of the run without being asked for.
        let (code, said) = app.terminal(&["run", "chat-loop"])?;
        assert_eq!(code, Some(3), "{said}");
        let row = app.wait_for("[data-testid^=run-row-][data-status=waiting]").await?;
        app.click(&row).await?;
        wait_for_run_status(&app, "waiting").await?;
        app.screenshot("listed").await?;

        // Each answers once; the window shows what the terminal said.
        let (code, said) = app.terminal(&["resume", "last", "--answer", "Hello"])?;
        assert_eq!(code, Some(3), "{said}");
        app.wait_for_page_text("Ask me what 23 × 17 is").await?;
        answer(&app, "What is 23 × 17?").await?;
        app.wait_for_page_text("I called the calculator").await?;
        let (code, said) = app.terminal(&["resume", "last", "--end"])?;
        assert_eq!(code, Some(0), "{said}");
        wait_for_run_status(&app, "finished").await?;
        app.wait_for("[data-testid^=run-row-][data-status=finished]").await?;
        app.screenshot("finished").await?;
        let runs = app.rpc("runs.list", json!({})).await?;
        assert_eq!(runs.as_array().map(Vec::len), Some(1), "{runs}");
        app.close().await
    })
    .await
}

/// Four texts, each made of the one before.
fn chain() -> Value {
    let text = |title: &str| json!({ "type": "text", "title": title, "config": { "template": format!("{{{{value}}}}{title}") } });
    let edge = |source: &str, output: &str, target: &str| json!({ "source": source, "sourceOutput": output, "target": target, "targetInput": "value" });
    let at = |x: u32| json!({ "x": x, "y": 0 });
    json!({
        "version": 1,
        "name": "Chain",
        "nodes": {
            "a": { "type": "value", "config": { "value": "x" } },
            "b": text("b"),
            "c": text("c"),
            "d": text("d"),
        },
        "edges": { "1": edge("a", "value", "b"), "2": edge("b", "text", "c"), "3": edge("c", "text", "d") },
        "layout": { "a": at(0), "b": at(240), "c": at(480), "d": at(720) },
    })
}

/// The events of the only run.
async fn events(app: &App) -> Result<Vec<Value>> {
    let runs = app.rpc("runs.list", json!({})).await?;
    let detail = app.rpc("runs.show", json!({ "run": runs[0]["run"] })).await?;
    Ok(detail["entries"].as_array().cloned().unwrap_or_default())
}

/// The number of the stop at which the run stands.
async fn stop_number(app: &App) -> Result<Value> {
    let events = events(app).await?;
    let stop = events.iter().rfind(|event| event["type"] == "debug.stopped");
    Ok(stop.map(|stop| stop["seq"].clone()).unwrap_or_default())
}

#[tokio::test]
async fn window_and_terminal_see_each_others_breakpoints_and_two_steps_at_one_stop_are_one() -> Result<()> {
    run_test(async {
        let home = Home::new()?;
        let file = home.file("chain.flow.json");
        std::fs::write(&file, chain().to_string())?;
        let app = App::open("terminal-debugger", &home, &[&file.to_string_lossy()]).await?;
        open_inspector(&app, "b", "config").await?;
        let before = app.wait_for_role("switch", "Pause before this node").await?;
        app.scroll_to(&before).await?;
        app.click(&before).await?;
        click(&app, "run-button").await?;
        app.wait_for_page_text("Paused before b").await?;

        // The terminal sees the breakpoint of the window, and the window that of the terminal.
        let (code, said) = app.terminal(&["debug", "last", "breakpoints"])?;
        assert!(code == Some(0) && said.contains("b:before"), "{said}");
        let (code, said) = app.terminal(&["debug", "last", "break", "event:retried"])?;
        assert_eq!(code, Some(0), "{said}");
        let (code, said) = app.terminal(&["debug", "last", "break", "d:after"])?;
        assert_eq!(code, Some(0), "{said}");
        app.wait_for_test_id("bead-d-after").await?;
        click(&app, "dock-tab-breakpoints").await?;
        app.wait_for_page_text("an attempt is retried").await?;
        app.screenshot("breakpoints").await?;

        // Both press step at the same stop.
        let stop = stop_number(&app).await?;
        click(&app, "go-over").await?;
        let (code, said) = app.terminal(&["debug", "last", "step", "--stop", &stop.to_string()])?;
        assert!(code == Some(0) || code == Some(1) && said.contains("debug.moved_on"), "{said}");
        app.wait_for_page_text("Paused before c").await?;
        let started = |events: &[Value], node: &str| {
            events.iter().filter(|event| event["type"] == "node.started" && event["node"] == node).count()
        };
        let so_far = events(&app).await?;
        assert_eq!((started(&so_far, "b"), started(&so_far, "c")), (1, 0), "one step");
        let continued = so_far.iter().filter(|event| event["type"] == "debug.continued").count();
        assert_eq!(continued, 1, "{so_far:#?}");

        // The window follows a step of the terminal, and one at the stop before is refused in the window too.
        let stop = stop_number(&app).await?;
        let (code, said) = app.terminal(&["debug", "last", "step", "--stop", &stop.to_string()])?;
        assert_eq!(code, Some(0), "{said}");
        let run = app.rpc("runs.list", json!({})).await?[0]["run"].clone();
        let late = app.rpc("run.go", json!({ "run": run, "stop": stop, "verb": "over" })).await;
        assert!(format!("{late:?}").contains("debug.moved_on"), "{late:?}");
        app.wait_for_page_text("Paused before d").await?;

        // The window's list has the terminal's breakpoints, which hold, and are gone when the terminal removes them.
        click(&app, "go-continue").await?;
        app.wait_for_page_text("Paused after d").await?;
        let (code, said) = app.terminal(&["debug", "last", "delete", "d:after"])?;
        assert_eq!(code, Some(0), "{said}");
        app.wait_until(
            "the breakpoint is gone",
            "!document.querySelector('[data-testid=\"breakpoint-d-after\"]')",
        )
        .await?;
        let (code, said) = app.terminal(&["debug", "last", "continue"])?;
        assert_eq!(code, Some(0), "{said}");
        wait_for_run_status(&app, "finished").await?;
        app.close().await
    })
    .await
}

/// A value and so many texts, each made of the one before: `t1`, `t2` and so on.
fn texts(count: u32) -> Value {
    let mut flow = json!({
        "version": 1,
        "name": "Texts",
        "nodes": { "t0": { "type": "value", "config": { "value": "x" } } },
        "edges": {},
        "layout": { "t0": { "x": 0, "y": 0 } },
    });
    for number in 1..=count {
        let (name, output) = (format!("t{number}"), if number == 1 { "value" } else { "text" });
        flow["nodes"][&name] =
            json!({ "type": "text", "title": name, "config": { "template": "{{value}}" } });
        flow["layout"][&name] = json!({ "x": 240 * number, "y": 0 });
        flow["edges"][&name] = json!({
            "source": format!("t{}", number - 1), "sourceOutput": output, "target": name, "targetInput": "value",
        });
    }
    flow
}

#[tokio::test]
async fn steps_of_window_and_terminal_at_the_same_instant_are_one() -> Result<()> {
    const ROUNDS: u32 = 8;
    run_test(async {
        let home = Arc::new(Home::new()?);
        let file = home.file("texts.flow.json");
        std::fs::write(&file, texts(ROUNDS + 1).to_string())?;
        let app = App::open("terminal-race", &home, &[&file.to_string_lossy()]).await?;
        app.wait_for_test_id("node-t1").await?;
        let (code, said) = app.terminal(&["run", &file.to_string_lossy(), "--break", "t1"])?;
        assert_eq!(code, Some(4), "{said}");
        click(&app, "rail-runs").await?;
        let row = app.wait_for("[data-testid^=run-row-]").await?;
        app.click(&row).await?;
        app.wait_for_page_text("Paused before t1").await?;

        let run = app.rpc("runs.list", json!({})).await?[0]["run"].clone();
        let (mut stops, mut terminal_was_first) = (vec![stop_number(&app).await?], 0);
        let started = Instant::now();
        app.terminal(&["debug", "last", "breakpoints"])?;
        let latency = started.elapsed();
        for round in 1..=ROUNDS {
            let stop = stops.last().cloned().unwrap_or_default();
            let (of_terminal, number) = (Arc::clone(&home), stop.to_string());
            let terminal = tokio::task::spawn_blocking(move || {
                of_terminal.terminal(&of_terminal.data(), &["debug", "last", "step", "--stop", &number])
            });
            // From well before the terminal has come to its request to well after it.
            let window = async {
                tokio::time::sleep(latency * round / (ROUNDS / 2)).await;
                app.rpc("run.go", json!({ "run": run, "stop": stop, "verb": "over" })).await
            };
            let (terminal, window) = tokio::join!(terminal, window);
            let (code, said) = terminal??;
            let window = format!("{window:?}");
            let of_window = !window.contains("debug.moved_on");
            assert!(code == Some(0) || code == Some(1) && said.contains("debug.moved_on"), "{said}");
            assert_ne!(code == Some(0), of_window, "round {round}: {said} {window}");
            terminal_was_first += u32::from(!of_window);
            app.wait_for_page_text(&format!("Paused before t{}", round + 1)).await?;
            stops.push(stop_number(&app).await?);
        }
        println!("The terminal was first {terminal_was_first} times of {ROUNDS}.");
        let events = events(&app).await?;
        let of = |kind: &'static str| events.iter().filter(move |event| event["type"] == kind);
        assert_eq!(of("debug.stopped").map(|event| event["seq"].clone()).collect::<Vec<_>>(), stops);
        let continued = of("debug.continued").map(|event| event["point"]["node"].clone());
        let expected: Vec<Value> = (1..=ROUNDS).map(|number| format!("t{number}").into()).collect();
        assert_eq!(continued.collect::<Vec<_>>(), expected, "each stop is left once");
        app.close().await
    })
    .await
}
