//! How the test nodes behave while they compute: they nap, fail, pause, call the outside and take turns.

use std::sync::Arc;
use std::time::Duration;

use plait_core::Value;
use plait_core::error::{ErrorCode, Fault};
use plait_core::id::ReplyKey;
use plait_core::origin::{Origin, Origins};
use plait_journal::{Answer, CallEvent, ContextEvent, Event};
use plait_llm::context::{ContextRecord, ContextType, Message, Role};
use plait_llm::memory::{MemoryChange, MemoryTurn};
use plait_llm::provider::ModelReply;
use plait_llm::tool::{ToolInvocation, ToolSpec};
use plait_run::node::{Inputs, NodeContext, NodeOutput, Pause};
use serde_json::json;

use super::Settings;
use super::semantics::{self, Values};

/// Runs one attempt of a test node. What it sees in the workflow's memory, and where its inputs come from, stands in its
/// metadata; what it adds to the memory depends on all that it sees of it. Nodes that call the outside bring in something.
pub async fn execute(
    kind: &str,
    settings: &Settings,
    inputs: Inputs,
    cx: NodeContext,
) -> Result<NodeOutput, Fault> {
    let seen: Vec<String> = cx.memory().turns.iter().map(|turn| turn.text.clone()).collect();
    let (text, mode) = (format!("{} after {:x}", cx.activation, semantics::digest(&seen)), cx.memory_mode);
    if mode.writes() {
        let turn =
            MemoryTurn { origins: Origins::NONE, label: None, text, node: None, message: None, tokens: 1 };
        cx.change_memory(MemoryChange { turns: vec![turn], ..MemoryChange::default() });
    }
    let origins: Vec<_> = cx.input_origins.iter().map(ToString::to_string).collect();
    if kind == "effect" {
        cx.add_origin(Origin::Host(cx.activation.node.to_string()));
    }
    let mut output = compute(kind, settings, inputs, cx).await?;
    if mode.reads() {
        output.extra.insert("seen".to_owned(), seen.into());
    }
    if !origins.is_empty() {
        output.extra.insert("inputOrigins".to_owned(), origins.into());
    }
    Ok(output)
}

async fn compute(
    kind: &str,
    settings: &Settings,
    inputs: Inputs,
    cx: NodeContext,
) -> Result<NodeOutput, Fault> {
    let values = values(&inputs);
    nap(&cx).await;
    let more = match kind {
        "ask" => match &cx.answer {
            Some(Answer::Value(value)) if **value != semantics::again() => Value::clone(value),
            Some(Answer::End) => return Ok(NodeOutput::new()),
            _ => return Ok(NodeOutput::paused(Pause::new("?", json!({})))),
        },
        "effect" => call_outside(settings, &cx).await?.into(),
        "context" => {
            let id = cx.name_in_scope().into();
            cx.create_context(ContextRecord::new(id, ContextType::Isolated, "none", "none"))?;
            Value::Null
        }
        "turn" | "guest" => return turn(kind, settings, &values, &cx).await,
        "broken" => panic!("broken on purpose"),
        _ => Value::Null,
    };
    fail(settings, &cx)?;
    let mut output = output(kind, settings, &cx, &values, &more);
    if kind == "finish" && semantics::finishes(settings, &cx.activation) {
        // As a model does that calls the tool `finish`.
        output.extra.insert("finishesLoop".to_owned(), true.into());
    }
    Ok(output)
}

fn values(inputs: &Inputs) -> Values {
    inputs
        .iter()
        .map(|(port, data)| {
            (port.as_str().to_owned(), data.iter().map(|datum| Value::clone(&datum.value)).collect())
        })
        .collect()
}

fn output(kind: &str, settings: &Settings, cx: &NodeContext, values: &Values, more: &Value) -> NodeOutput {
    semantics::outputs(kind, settings, &cx.activation, &cx.name_in_scope(), values, more)
        .into_iter()
        .fold(NodeOutput::new(), |output, (port, value)| output.with(&port, value))
}

/// Sleeps for a time that depends on the clock's seed, so that schedules differ.
async fn nap(cx: &NodeContext) {
    cx.host.clock.sleep(Duration::from_millis(1)).await;
}

fn fail(settings: &Settings, cx: &NodeContext) -> Result<(), Fault> {
    if cx.attempt > semantics::failing_attempts(settings, &cx.activation) {
        return Ok(());
    }
    let fault = Fault::new(ErrorCode::from_wire("test.failed"), "It fails on purpose.")
        .details(json!({ "salt": settings.salt }));
    Err(if settings.hard { fault } else { fault.retryable() })
}

/// Makes an external call for each step that is not recorded, and another when the record is flushed.
async fn call_outside(settings: &Settings, cx: &NodeContext) -> Result<Vec<Value>, Fault> {
    let mut replies = Vec::new();
    for step in 0..settings.steps {
        let on_record = cx.recorded.iter().find_map(|event| match event {
            Event::Call(_, CallEvent::ModelReplied { step: at, reply, .. }) if *at == step => {
                Some(reply.text.clone())
            }
            _ => None,
        });
        if let Some(text) = on_record {
            replies.push(text.into());
            continue;
        }
        let key = ReplyKey::from(format!("salt {}", settings.salt));
        if let Some(bought) = cx.earlier().and_then(|run| run.reply(&cx.activation, step, None, &key)) {
            replies.push(bought.reply.text.clone().into());
            let (reply, reused) = (bought.reply, Some(bought.event));
            cx.record(CallEvent::ModelReplied {
                origins: Origins::NONE,
                step,
                reply: Box::new(reply),
                account: None,
                key: Some(key),
                sampling: None,
                reused,
                bought: None,
            })
            .await?;
            continue;
        }
        let arguments = json!({ "activation": cx.activation, "step": step });
        let invocation =
            |name: &str| ToolInvocation::new(ToolSpec::new(name, "", json!({}), "native"), arguments.clone());
        let value = cx.host.tools.call(invocation("call")).await?;
        nap(cx).await;
        let text = value.as_str().unwrap_or_default().to_owned();
        let reply = ModelReply { text, ..ModelReply::default() };
        let event = CallEvent::ModelReplied {
            origins: Origins::NONE,
            step,
            reply: Box::new(reply),
            account: None,
            key: Some(key),
            sampling: None,
            reused: None,
            bought: None,
        };
        cx.record(event).await?;
        cx.host.tools.call(invocation("safe")).await?;
        nap(cx).await;
        replies.push(value);
    }
    Ok(replies)
}

async fn turn(
    kind: &str,
    settings: &Settings,
    values: &Values,
    cx: &NodeContext,
) -> Result<NodeOutput, Fault> {
    let Some(context_id) = semantics::works_in(settings, values) else {
        fail(settings, cx)?;
        return Ok(output(kind, settings, cx, values, &Value::Null));
    };
    let manager = cx.context_manager(&context_id)?;
    cx.note(ContextEvent::TurnStarted { context_id: context_id.clone() });
    let history: Vec<String> =
        manager.get().message_history.iter().map(|message| message.content.text()).collect();
    let said = semantics::said(settings, &cx.activation, values, &history);
    cx.stream(said[..4].to_owned());
    nap(cx).await;
    let message = |index: usize, role: Role, text: String| {
        Arc::new(Message::plain(cx.message_id(index), role, text, cx.activation.clone(), 1))
    };
    if semantics::adds_two(settings) {
        let question = message(0, Role::User, format!("asked {said}"));
        manager.commit_turn(
            plait_llm::context::Question::New(question),
            message(1, Role::Assistant, said.clone()),
            None,
        );
    } else {
        manager.add_message(message(0, Role::User, said.clone()));
    }
    if let Err(fault) = fail(settings, cx) {
        cx.note(ContextEvent::TurnDiscarded { context_id, partial: said[..4].to_owned() });
        return Err(fault);
    }
    Ok(output(kind, settings, cx, values, &said.into()))
}
