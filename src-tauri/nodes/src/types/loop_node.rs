//! `loop`: a container that repeats the nodes inside. The scheduler opens its iterations (`run/scheduler/loops.rs`); the node
//! itself executes only to test the condition of a `while` loop.

mod config;
#[cfg(test)]
mod tests;

use serde_json::{Value, json};
use std::sync::Arc;

use crate::model_call::summarize_history;
use plait_core::config::Unused;
use plait_core::error::Fault;
use plait_core::port::{PortKind, PortType, Ports};
use plait_llm::loop_history::HistoryStrategy;
use plait_run::node::{
    Behavior, CONTINUE, Card, CardPart, Category, Example, Inputs, LoopKind, LoopSpec, NodeContext,
    NodeOutput, NodeType, SUMMARY, Surroundings,
};

use config::{Config, Kind, OnError};

pub(super) struct Loop;

impl NodeType for Loop {
    type Config = Config;

    const TYPE: &'static str = "loop";
    const TITLE: &'static str = "Loop";
    const SUMMARY: &'static str = "Repeats the nodes inside";
    const DESCRIPTION: &'static str = "A container: it runs the nodes inside again and again, and passes on one result. There are three \
        kinds:

\
        - `while`: as long as `condition` holds. It is a condition in [CEL](https://cel.dev) on `index` (0, 1, …), `previous` \
        (the result of the last iteration), `input` and `hitl_history` (what people answered in the iterations: a list of \
        `{node, question, answer}`), tested before each iteration. Without one, the loop ends by `exit` or \
        a tool.
\
        - `times`: a number of times.
\
        - `forEach`: once for each item of `items`, up to `concurrency` at once. The results are in the order of the items. \
        With `on_error: continue`, an iteration that fails leaves `{error}` in its place.

\
        The border has ports of its own for the nodes inside. What they feed to `next` is the result of the iteration; the next \
        one finds it on `previous`, which is the loop's `input` in the first one. A value on `exit` that is not empty, false or \
        0 ends the loop when the iteration is over; so does a call of the tool `finish`. After `max_iterations` the loop ends \
        in any case, with a warning.

\
        Edges may lead in from anywhere: such a value is held for all iterations. They lead out only through `next`. Inside an \
        iteration, contexts are copies: what is said in them counts outside once the iteration has succeeded.

\
        With **conversation**, the model nodes inside get what was said in the iterations before: the input of the loop and what \
        people say as the user, replies as the assistant. It is bounded by **history_management**: the newest turns by tokens or by \
        number, or a summary of the older ones.";
    const CATEGORY: Category = Category::Control;
    const ICON: &'static str = "repeat";
    const TERMS: &'static [&'static str] =
        &["while", "for", "each", "times", "repeat", "iterate", "container", "map", "batch", "conversation"];

    fn ports(config: &Config) -> Ports {
        let (data, context) = (PortKind::Data, PortKind::Context);
        let ports = Ports::new().when_fed(
            "context",
            context,
            PortType::Any,
            "The context that the nodes inside work in",
        );
        let ports = match config.kind {
            Kind::ForEach => {
                ports.input("items", data, PortType::List, "The list, one iteration for each item")
            }
            Kind::While | Kind::Times => ports,
        };
        let border = Ports::new();
        let border = match config.kind {
            Kind::ForEach => border.output("item", data, PortType::Any, "The item of this iteration"),
            Kind::While | Kind::Times => border,
        };
        let border = border
            .output("index", data, PortType::Number, "The number of this iteration, from 0")
            .output(
                "previous",
                data,
                PortType::Any,
                "The result of the iteration before; in the first one, the loop's input",
            )
            .output("context", context, PortType::Any, "The context, as this iteration sees it")
            .optional("next", data, PortType::Any, "The result of this iteration")
            .optional(
                "exit",
                data,
                PortType::Any,
                "Ends the loop after this iteration, unless empty, false or 0",
            );
        ports
            .when_fed("input", data, PortType::Any, "What the first iteration starts from")
            .output("context", context, PortType::Any, "The context, with what the iterations added")
            .output("result", data, PortType::Any, "The result of the last iteration")
            .output("results", data, PortType::List, "The results of all iterations, in order")
            .output("iterations", data, PortType::Number, "How many iterations ran")
            .error()
            .container(border)
    }

    fn card() -> Card {
        Card::new().line([CardPart::prefixed_text("while", "condition")]).line([CardPart::text("kind")])
    }

    fn behavior(config: &Config) -> Behavior {
        let kind = match config.kind {
            Kind::While => LoopKind::While { tests: config.condition.is_some() },
            Kind::Times => LoopKind::Times(config.times),
            Kind::ForEach => LoopKind::ForEach {
                concurrency: config.concurrency,
                continues_on_error: config.on_error == OnError::Continue,
            },
        };
        let reads = |name| config.condition.as_ref().is_some_and(|condition| condition.reads(name));
        let reads_results = reads("previous") || reads("input");
        let strategy = config.history_management.strategy;
        let prepares = config.conversation && strategy == HistoryStrategy::Summarize;
        Behavior {
            repeats: Some(LoopSpec { kind, reads_results, prepares, max_iterations: config.max_iterations }),
            conversation: config.conversation.then(|| Arc::new(config.conversation())),
            // Its summaries are written by a model.
            calls_tools: prepares,
            ..Behavior::default()
        }
    }

    fn check(config: &Config) -> Vec<(String, String)> {
        config.problems()
    }

    fn unused(config: &Config, _: &Surroundings<'_>) -> Vec<Unused> {
        config.unused()
    }

    fn examples() -> Vec<Example> {
        let example = |title, config: Value, index: u32, goes_on: bool| {
            Example::new(title)
                .config(config)
                .input("index", json!(index))
                .input("previous", json!({ "score": 7 }))
                .outputs(json!({ CONTINUE: goes_on }))
        };
        let condition = json!({ "condition": "previous.score < 8" });
        vec![
            example("The condition holds, so there is another iteration", condition, 1, true),
            example("The condition does not hold any more", json!({ "condition": "index < 3" }), 3, false),
            example("Three times; nothing is tested", json!({ "kind": "times", "times": 3 }), 0, true),
        ]
    }

    /// Tests the condition and, before an iteration, writes the summary of the history if it is due.
    async fn execute(
        config: &Config,
        inputs: Inputs,
        node_context: NodeContext,
    ) -> Result<NodeOutput, Fault> {
        let value = |name: &str| inputs.get(name).cloned().unwrap_or_default();
        let condition = config.condition.as_ref().filter(|_| config.kind == Kind::While);
        let holds = match condition {
            Some(condition) => {
                let iteration = json!({
                    "index": value("index"), "previous": value("previous"), "input": value("input"),
                });
                let answers = condition.reads_answers().then(|| node_context.hitl_history());
                condition
                    .is_true_after(&Arc::new(iteration), answers, &*node_context.host.evaluator)
                    .await
                    .map_err(name_setting)?
            }
            None => true,
        };
        let output = NodeOutput::new().with(CONTINUE, holds);
        if !holds {
            return Ok(output);
        }
        Ok(match summarize_history(&node_context).await {
            Some((attempt, usage)) => {
                let attempt = serde_json::to_value(attempt).unwrap_or_default();
                NodeOutput { token_usage: Some(usage), ..output.with(SUMMARY, attempt) }
            }
            None => output,
        })
    }
}

fn name_setting(mut fault: Fault) -> Fault {
    fault.message = format!("The loop's condition cannot be evaluated: {}", fault.message);
    fault
}
