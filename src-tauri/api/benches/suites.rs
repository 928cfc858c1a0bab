//! Running 1,000 cases from recordings (`suite.run`).
//!
//! `cargo xtask bench` runs all benchmarks, `cargo bench -p plait-api --bench suites` this one.

#[path = "../../nodes/benches/workload/figures.rs"]
#[allow(dead_code, reason = "the benchmarks share it")]
mod figures;

use std::error::Error;
use std::fs;
use std::time::Instant;

use figures::{Figures, is_selected};
use futures::{StreamExt as _, stream};
use plait_api::runs::{RunRequest, StartRun};
use plait_api::suites::{AddTest, RunTest, Variant};
use plait_api::{ErrorReply, Options, Plait};
use serde_json::json;

type BenchError = Box<dyn Error>;

const CASES: usize = 1_000;
/// As many as `plait test` runs at once.
const JOBS: usize = 8;

fn main() -> Result<(), BenchError> {
    if !is_selected("suites") {
        return Ok(());
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR"))?;
    let plait = Plait::open(Options::new(folder.path().join("home"), plait_app::parts()))
        .map_err(|error| error.message)?;
    let flow = json!({
        "version": 1,
        "nodes": {
            "start": { "type": "contextStart", "config": { "provider": "offline", "model": "echo" } },
            "draft": { "type": "chat", "config": { "prompt": "Write about tea." } },
            "judge": { "type": "chat", "config": { "prompt": "Judge: {{text}}" } },
            "out": { "type": "output" },
        },
        "edges": {
            "a": { "source": "start", "sourceOutput": "context", "target": "draft", "targetInput": "context" },
            "b": { "source": "draft", "sourceOutput": "context", "target": "judge", "targetInput": "context" },
            "c": { "source": "draft", "sourceOutput": "response", "target": "judge", "targetInput": "text" },
            "d": { "source": "judge", "sourceOutput": "response", "target": "out", "targetInput": "value" },
        },
    });
    let path = folder.path().join("tea.flow.json");
    fs::write(&path, flow.to_string())?;
    let recorded = folder.path().join("tea.tests/first.plait-recording");
    runtime
        .block_on(async {
            let path = Some(path.display().to_string());
            let flow = serde_json::from_value(flow).unwrap_or_default();
            let run = plait.call(StartRun(RunRequest { flow, path, ..RunRequest::default() })).await?.run;
            plait.runs().settled(&run).await;
            plait.call(AddTest { run, file: None, name: Some("first".to_owned()) }).await?;
            Ok::<_, ErrorReply>(())
        })
        .map_err(|error| error.message)?;
    let mut cases = Vec::new();
    for number in 0..CASES {
        let recording = format!("tea.tests/{number}.plait-recording");
        fs::copy(&recorded, folder.path().join(&recording))?;
        let checks = json!([{ "contains": { "text": "tea" } }, { "prompt": { "node": "draft", "contains": "Write" } }, { "maxTokens": 1000 }]);
        cases.push(json!({ "name": format!("case {number}"), "recording": recording, "checks": checks }));
    }
    let suite = folder.path().join("many.tests.json");
    fs::write(&suite, json!({ "flow": "tea.flow.json", "cases": cases }).to_string())?;

    let begin = Instant::now();
    let test = |number: usize| {
        let (plait, file) = (plait.clone(), suite.display().to_string());
        let case = format!("case {number}");
        async move {
            plait
                .call(RunTest { file, case, variant: Variant::new(), resume: false, grants: Vec::new() })
                .await
        }
    };
    let passed = runtime.block_on(
        stream::iter((0..CASES).map(test))
            .buffer_unordered(JOBS)
            .filter(|outcome| std::future::ready(outcome.as_ref().is_ok_and(|outcome| outcome.passed)))
            .count(),
    );
    if passed != CASES {
        return Err(format!("{passed} of {CASES} cases passed").into());
    }
    let mut figures = Figures::default();
    figures.add("suites", "1,000 cases from recordings", begin.elapsed().as_secs_f64(), "s");
    Ok(figures.write("suites")?)
}
