//! A conversation in one run: `userInput ⟲ chat`. Each answer starts a turn.

use std::sync::Arc;

use futures::StreamExt;
use futures::channel::mpsc;
use plait_adapters::{NativeTools, ProviderRegistry, SystemClock};
use plait_core::flow::Flow;
use plait_core::id::Activation;
use plait_journal::{Event, InputOverrides, Journal, NodeEvent, RunEnd, RunEvent};
use plait_nodes::registry;
use plait_run::host::Host;
use plait_run::host::subflow::NoSubflows;
use plait_run::plan::plan;
use plait_run::{Driver, RunHandle, RunSetup};
use serde_json::{Value, json};

use super::workload::{BenchError, no_limits, run_info, started_event};

/// The text of each message; a turn has about 50 tokens.
pub const SAID: &str =
    "The three strands of the braid cross once in every round, and each keeps its own color to the end.";

/// Answers the questions of a run.
pub struct Talk {
    handle: RunHandle,
    questions: mpsc::UnboundedReceiver<Activation>,
    question: Activation,
}

impl Talk {
    /// Answers, and waits for the next question.
    pub async fn say(&mut self, text: &str) -> Result<(), BenchError> {
        self.handle.answer(self.question.clone(), json!(text)).await?;
        self.question = self.questions.next().await.ok_or("no other question was asked")?;
        Ok(())
    }

    async fn end(self) -> Result<(), BenchError> {
        Ok(self.handle.end(self.question).await?)
    }
}

/// Runs a conversation between `talk` and the model that `start` configures. `watch` gets each event of the run.
pub async fn hold<T>(
    run: &str,
    journal: impl Journal + 'static,
    (start, providers): (Value, ProviderRegistry),
    mut watch: impl FnMut(&Event) + Send + 'static,
    talk: impl AsyncFnOnce(&mut Talk) -> Result<T, BenchError>,
) -> Result<T, BenchError> {
    let (ask, mut questions) = mpsc::unbounded();
    let setup = RunSetup {
        plan: Arc::new(
            plan(&flow(&start)?, &registry(), None, &InputOverrides::new())
                .map_err(|problems| format!("the benchmark's flow is invalid: {problems:?}"))?,
        ),
        info: run_info(run),
        host: host(providers),
        spent_by_children: std::collections::BTreeMap::new(),
        trials: None,
        journal: Box::new(journal),
        watcher: Box::new(move |entries| {
            for entry in entries {
                watch(&entry.event);
                tell_failure(&entry.event);
                if let Event::Node(Activation { node, epoch }, NodeEvent::Paused { .. }) = &entry.event {
                    // The receiver is gone after the last answer.
                    let _ = ask.unbounded_send(Activation { node: node.clone(), epoch: epoch.clone() });
                }
            }
        }),
    };
    let (driver, handle) = Driver::start(setup, started_event(run))?;
    let talking = async {
        let question = questions.next().await.ok_or("no question was asked")?;
        let mut one = Talk { handle, questions, question };
        let said = talk(&mut one).await?;
        one.end().await?;
        Ok(said)
    };
    // If `talk` fails, the run would wait forever, so it is dropped.
    let driving = async { finished(driver.drive().await?) };
    futures::try_join!(driving, talking).map(|((), said)| said)
}

/// Writes why a run failed, which its end does not say.
pub fn tell_failure(event: &Event) {
    if let Event::Run(RunEvent::Failed { node, error, .. }) = event {
        eprintln!("{node} failed: {error}");
    }
}

pub fn host(providers: ProviderRegistry) -> Host {
    Host {
        providers: Arc::new(providers),
        tools: Arc::new(NativeTools::new(&plait_adapters::ToolEnvironment::new(
            plait_adapters::FileAccess::default(),
            plait_adapters::KeyStore::in_memory(),
        ))),
        retriever: Arc::new(plait_llm::retriever::NoRetriever),
        memories: plait_llm::long_term_memory::NoMemoryStore::shared(),
        attachments: plait_core::attachment::NoAttachmentStore::shared(),
        clock: Arc::new(SystemClock),
        evaluator: Arc::new(plait_core::expression::in_process::InProcess),
        subflows: Arc::new(NoSubflows),
        earlier: plait_journal::earlier_run::EarlierTree::default(),
        debugger: plait_run::debugger::Debugger::default(),
        quotas: no_limits(),
    }
}

/// An error unless the run has finished.
pub fn finished(end: RunEnd) -> Result<(), BenchError> {
    match end {
        RunEnd::Finished => Ok(()),
        other => Err(format!("the benchmark's run did not finish: {other:?}").into()),
    }
}

fn flow(start: &Value) -> Result<Flow, BenchError> {
    let edge = |source: &str, target: &str| json!({ "source": source, "sourceOutput": "context", "target": target, "targetInput": "context" });
    Ok(serde_json::from_value(json!({
        "version": 1,
        "nodes": {
            "start": { "type": "contextStart", "config": start },
            "ask": { "type": "userInput" },
            // Wide enough that the whole conversation is sent.
            "chat": { "type": "chat", "config": { "contextWindow": 1_000_000 } },
        },
        "edges": { "a": edge("start", "ask"), "b": edge("ask", "chat"), "c": edge("chat", "ask") },
    }))?)
}
