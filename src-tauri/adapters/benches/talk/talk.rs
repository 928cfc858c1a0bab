//! A conversation that goes on as long as it is answered: `userInput ⟲ chat`.

use std::sync::Arc;

use futures::StreamExt;
use futures::channel::mpsc;
use plait_adapters::{NativeTools, ProviderRegistry, SystemClock};
use plait_engine::flow::Flow;
use plait_engine::host::Host;
use plait_engine::host::RunInfo;
use plait_engine::host::subflow::NoSubflows;
use plait_engine::id::Activation;
use plait_engine::journal::{Event, InputOverrides, Journal, NodeEvent, RunEnd};
use plait_engine::nodes::registry;
use plait_engine::plan::plan;
use plait_engine::run::{Driver, RunHandle, RunSetup};
use serde_json::{Value, json};

use super::workload::{Wrong, first};

/// What the person says each time: with an answer as long about 50 tokens.
pub const SAID: &str =
    "The three strands of the braid cross once in every round, and each keeps its own color to the end.";

/// One side of a conversation.
pub struct Talk {
    handle: RunHandle,
    questions: mpsc::UnboundedReceiver<Activation>,
    question: Activation,
}

impl Talk {
    /// Answers, and waits for the next question.
    pub async fn say(&mut self, text: &str) -> Result<(), Wrong> {
        self.handle.answer(self.question.clone(), json!(text)).await?;
        self.question = self.questions.next().await.ok_or("no other question was asked")?;
        Ok(())
    }

    async fn end(self) -> Result<(), Wrong> {
        Ok(self.handle.end(self.question).await?)
    }
}

/// Holds a conversation in a run of its own: `talk` has one side of it, the model that `start` configures the other. `seen`
/// is given what happens.
pub async fn hold<T>(
    run: &str,
    journal: impl Journal + 'static,
    (start, providers): (Value, ProviderRegistry),
    mut seen: impl FnMut(&Event) + Send + 'static,
    talk: impl AsyncFnOnce(&mut Talk) -> Result<T, Wrong>,
) -> Result<T, Wrong> {
    let (ask, mut questions) = mpsc::unbounded();
    let setup = RunSetup {
        plan: Arc::new(
            plan(&flow(&start)?, &registry(), None, &InputOverrides::new())
                .map_err(|problems| format!("the benchmark's own flow is wrong: {problems:?}"))?,
        ),
        info: RunInfo {
            run: run.into(),
            flow_name: "benchmark".to_owned(),
            folder: None,
            input: None,
            conversation: None,
        },
        host: host(providers),
        journal: Box::new(journal),
        watcher: Box::new(move |entries| {
            for entry in entries {
                seen(&entry.event);
                if let Event::Node(Activation { node, epoch }, NodeEvent::Paused { .. }) = &entry.event {
                    // Nobody listens any more once the talk is over.
                    let _ = ask.unbounded_send(Activation { node: node.clone(), epoch: epoch.clone() });
                }
            }
        }),
    };
    let (driver, handle) = Driver::start(setup, first(run))?;
    let talking = async {
        let question = questions.next().await.ok_or("no question was asked")?;
        let mut one = Talk { handle, questions, question };
        let said = talk(&mut one).await?;
        one.end().await?;
        Ok(said)
    };
    // A talk that goes wrong would leave the run waiting for ever.
    let driving = async { finished(driver.drive().await?) };
    futures::try_join!(driving, talking).map(|((), said)| said)
}

/// The machine, and these providers.
pub fn host(providers: ProviderRegistry) -> Host {
    Host {
        providers: Arc::new(providers),
        tools: Arc::new(NativeTools::new()),
        clock: Arc::new(SystemClock),
        evaluator: Arc::new(plait_engine::expression::evaluation::InProcess),
        subflows: Arc::new(NoSubflows),
    }
}

/// A benchmark's own run is to finish.
pub fn finished(end: RunEnd) -> Result<(), Wrong> {
    match end {
        RunEnd::Finished => Ok(()),
        other => Err(format!("the benchmark's own run ended otherwise: {other:?}").into()),
    }
}

fn flow(start: &Value) -> Result<Flow, Wrong> {
    let edge = |source: &str, target: &str| json!({ "source": source, "sourceOutput": "context", "target": target, "targetInput": "context" });
    Ok(serde_json::from_value(json!({
        "version": 1,
        "nodes": {
            "start": { "type": "contextStart", "config": start },
            "ask": { "type": "userInput" },
            // No model of that name has a window; all of the conversation is to be sent.
            "chat": { "type": "chat", "config": { "contextWindow": 1_000_000 } },
        },
        "edges": { "a": edge("start", "ask"), "b": edge("ask", "chat"), "c": edge("chat", "ask") },
    }))?)
}
