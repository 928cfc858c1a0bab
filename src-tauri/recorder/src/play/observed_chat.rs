//! A chat that calls no model: it journals what the program was observed to send and to receive, as a chat would, and commits its turn.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures::future::{BoxFuture, FutureExt as _};
use parking_lot::Mutex;
use plait_core::error::Fault;
use plait_core::expression::as_text;
use plait_core::hash::content_hash;
use plait_core::id::{Activation, ReplyKey};
use plait_core::origin::{Origin, Origins};
use plait_core::port::Ports;
use plait_journal::{CallAccount, CallEvent, ContextEvent};
use plait_llm::context::{
    CallOverrides, ContextHandle, ContextRecord, Message, Question, Role, SharedMessage, ToolCall,
    resolve_model_config,
};
use plait_llm::models::{ModelConfig, TokenUsage};
use plait_llm::prompt_record::{PromptPart, PromptRecord, RequestSettings};
use plait_llm::provider::{ModelReply, ModelRequest};
use plait_llm::tokens;
use plait_llm::tokens::tool_tokens;
use plait_llm::tool::ToolSpec;
use plait_run::node::{Behavior, BoundNode, Inputs, NodeContext, NodeOutput};
use serde_json::Value;

use super::timeline::{Edge, Timeline};
use crate::codes;
use crate::conversation::ObservedTurn;
use crate::observed::{ObservedCall, Outcome, Said};

/// The places of the user message and of the reply among the messages of an activation, as those of a chat.
const QUESTION_INDEX: usize = 0;
const REPLY_INDEX: usize = 1;

pub(super) struct ObservedChat {
    node: Arc<dyn BoundNode>,
    turns: Vec<ObservedTurn>,
    calls: Arc<[ObservedCall]>,
    timeline: Arc<Timeline>,
    /// How many attempts of a step have failed, by activation and step.
    failed: Mutex<BTreeMap<(Activation, usize), usize>>,
}

impl ObservedChat {
    pub(super) fn new(
        node: Arc<dyn BoundNode>,
        turns: Vec<ObservedTurn>,
        calls: Arc<[ObservedCall]>,
        timeline: Arc<Timeline>,
    ) -> Self {
        Self { node, turns, calls, timeline, failed: Mutex::default() }
    }
}

impl BoundNode for ObservedChat {
    fn ports(&self) -> &Arc<Ports> {
        self.node.ports()
    }

    fn behavior(&self) -> &Behavior {
        self.node.behavior()
    }

    fn execute(&self, inputs: Inputs, node_context: NodeContext) -> BoxFuture<'_, Result<NodeOutput, Fault>> {
        async move {
            let Some(handle) = inputs.context()? else { return Err(stuck("It has no context")) };
            let turn = node_context.activation.epoch.0.last().map_or(0, |counter| *counter as usize);
            let turn = self.turns.get(turn).ok_or_else(|| stuck("It has no such turn"))?;
            let manager = node_context.context_manager(&handle.context_id)?;
            let context = manager.get();
            node_context.note(ContextEvent::TurnStarted { context_id: handle.context_id.clone() });
            let tools = plait_tools(&inputs);
            let mut journaling = Journaling {
                chat: self,
                node_context: &node_context,
                context: &context,
                message: &turn.message,
                tools,
                usage: TokenUsage::default(),
            };
            let reply = match journaling.turn(turn).await {
                Ok(reply) => reply,
                Err(fault) => {
                    let partial = String::new();
                    node_context.note(ContextEvent::TurnDiscarded { context_id: handle.context_id, partial });
                    return Err(fault);
                }
            };
            let model = &context.model;
            let question = node_context.message(QUESTION_INDEX, Role::User, turn.message.clone(), model);
            let text = final_text(&reply);
            let answer = Message {
                reasoning: reply.reasoning.clone(),
                truncated: reply.stop_reason.is_truncated(),
                ..node_context.message(REPLY_INDEX, Role::Assistant, text.clone(), model)
            };
            manager.commit_turn(Question::New(Arc::new(question)), Arc::new(answer), None);
            let calls = turn.steps.len();
            Ok(journaling.output(&handle, &reply, text, calls))
        }
        .boxed()
    }
}

/// A turn while it is journaled.
struct Journaling<'a> {
    chat: &'a ObservedChat,
    node_context: &'a NodeContext,
    context: &'a ContextRecord,
    /// The user message of the turn.
    message: &'a str,
    /// The tools that the flow offers in place of the program's.
    tools: Vec<ToolSpec>,
    usage: TokenUsage,
}

impl Journaling<'_> {
    async fn turn(&mut self, turn: &ObservedTurn) -> Result<ModelReply, Fault> {
        let mut last = None;
        for (step, attempts) in turn.steps.iter().enumerate() {
            let at = (self.node_context.activation.clone(), step);
            let tried = self.chat.failed.lock().get(&at).copied().unwrap_or_default();
            let Some(&index) = attempts.get(tried) else { return Err(stuck("A step has no more attempts")) };
            let call = &self.chat.calls[index];
            let number = u32::try_from(step).unwrap_or(u32::MAX);
            let is_journaled = self.node_context.find_recorded(|event| match event {
                CallEvent::ModelReplied { step, .. } if *step == number => Some(()),
                _ => None,
            });
            if is_journaled.is_some() {
                last = call.reply().cloned();
                continue;
            }
            self.chat.timeline.reach(index, Edge::Begin).await;
            self.journal_results(turn, step, call).await?;
            let (config, prompt, request) = self.prompt(turn, step, call)?;
            let (origins, counted) = (prompt.origins(), prompt.counted());
            let prompt = Arc::new(prompt);
            self.node_context.note(CallEvent::PromptRendered { step: number, prompt, sampling: None });
            self.chat.timeline.reach(index, Edge::End).await;
            match &call.outcome {
                Outcome::Open => std::future::pending::<()>().await,
                Outcome::Failed(fault) => {
                    self.chat.failed.lock().insert(at, tried + 1);
                    let (context_id, code) = (self.context.context_id.clone(), fault.code.clone());
                    let model = format!("{}/{}", config.provider, config.model);
                    self.node_context.note(CallEvent::ModelFailed {
                        step: number,
                        context_id,
                        model,
                        code,
                        sampling: None,
                    });
                    let is_retried = attempts.len() > tried + 1;
                    return Err(Fault { retryable: is_retried, retry_after_ms: None, ..Fault::clone(fault) });
                }
                Outcome::Replied(reply) => {
                    let reply =
                        self.journal_reply(number, call, reply, &config, &request, origins, counted).await?;
                    let is_last = step + 1 == turn.steps.len();
                    if !is_last {
                        for call in reply.tool_calls.clone() {
                            self.node_context.note(self.tool_called(number, call));
                        }
                    }
                    last = Some(reply);
                }
            }
        }
        last.ok_or_else(|| stuck("A turn has no calls"))
    }

    #[expect(clippy::too_many_arguments, reason = "each is one fact of the call")]
    async fn journal_reply(
        &mut self,
        step: u32,
        call: &ObservedCall,
        reply: &ModelReply,
        config: &ModelConfig,
        request: &ModelRequest,
        mut origins: Origins,
        counted: u64,
    ) -> Result<ModelReply, Fault> {
        let counted = TokenUsage::new(counted, count_reply(&config.model, reply));
        let context_id = self.context.context_id.clone();
        let books = &self.node_context.run.models;
        let (mut account, usage) = CallAccount::of(context_id, config, books, counted, reply.usage);
        account.pace = call.pace.clone();
        self.usage += usage;
        let reply = ModelReply { usage: Some(usage), ..reply.clone() };
        origins.add(&Origins::of(Origin::Model(format!("{}/{}", config.provider, config.model))));
        self.node_context.add_origins(&origins);
        let key = self.key(config, request, call);
        let event = CallEvent::ModelReplied {
            step,
            reply: Box::new(reply.clone()),
            account: Some(Arc::new(account)),
            key,
            sampling: None,
            origins,
            reused: None,
            bought: None,
        };
        self.node_context.record(event).await?;
        Ok(reply)
    }

    /// The key of the request that the drafted chat sends here, so that a replay or a fork of this run takes the reply. Where the program
    /// sent something else, the run says so. None without a provider: then a rerun buys the reply again.
    fn key(&self, config: &ModelConfig, request: &ModelRequest, call: &ObservedCall) -> Option<ReplyKey> {
        let provider = self.node_context.host.providers.get(&config.provider).ok()?;
        let first = self.chat.turns.first()?.steps.first()?.first()?;
        let configured = &self.chat.calls[*first].request;
        let history = self.context.message_history.iter().cloned();
        let question = self.node_context.message(QUESTION_INDEX, Role::User, self.message, &config.model);
        let rounds =
            request.messages.iter().rposition(|message| message.role == Role::User).map_or(0, |at| at + 1);
        let messages = history.chain([Arc::new(question)]).chain(request.messages[rounds..].iter().cloned());
        let drafted = ModelRequest {
            system: self.context.system_instructions.clone(),
            messages: messages.collect(),
            tools: self.tools.clone(),
            temperature: configured.temperature,
            max_tokens: configured.max_tokens,
            response_schema: configured.response_schema.clone(),
            options: Value::Object(configured.options.clone()),
            ..request.clone()
        };
        let key = provider.reply_key(&drafted).ok()?;
        if provider.reply_key(request).ok().as_ref() != Some(&key) {
            let count = |messages: usize| format!("{messages} messages");
            let (sent, drafted) = (count(request.messages.len()), count(drafted.messages.len()));
            let what = if sent == drafted {
                "with other settings or words".to_owned()
            } else {
                format!("with {sent} instead of {drafted}")
            };
            let message = format!(
                "The program sent `{}` something else than this chat does: {what}.",
                call.request.model
            );
            self.node_context.notice(Fault::new(codes::RECORD_DIFFERS, message).hint(
                "The prompt here is what the program sent. A replay takes the reply for what the chat sends.",
            ));
        }
        Some(key)
    }

    fn tool_called(&self, step: u32, call: ToolCall) -> CallEvent {
        let tool = self.tools.iter().find(|tool| tool.name == call.name);
        let binding = tool.filter(|tool| !tool.binding.is_null());
        let binding = binding.map(|tool| content_hash(tool.binding.to_string().as_bytes()));
        CallEvent::ToolCalled { step, call, binding, untrusted: Origins::NONE, granted: Vec::new() }
    }

    /// The results of the tools that the reply before had called, as the request has them.
    async fn journal_results(
        &self,
        turn: &ObservedTurn,
        step: usize,
        call: &ObservedCall,
    ) -> Result<(), Fault> {
        let Some(before) = step.checked_sub(1) else { return Ok(()) };
        let reply = turn.steps[before].last().and_then(|index| self.chat.calls[*index].reply());
        let called = reply.map(|reply| &reply.tool_calls[..]).unwrap_or_default();
        let number = u32::try_from(before).unwrap_or(u32::MAX);
        let messages = &call.request.messages;
        let first = messages.iter().rposition(|said| said.role != Role::Tool).map_or(0, |at| at + 1);
        let results = &messages[first..];
        for (at, call) in called.iter().enumerate() {
            let is_recorded = self.node_context.find_recorded(|event| match event {
                CallEvent::ToolFinished { step, call_id, .. } if *step == number && *call_id == call.id => {
                    Some(())
                }
                _ => None,
            });
            let by_id = results.iter().find(|said| said.tool_call_id.as_deref() == Some(&call.id));
            let Some(said) = by_id.or_else(|| results.get(at)).filter(|_| is_recorded.is_none()) else {
                continue;
            };
            let event = CallEvent::ToolFinished {
                step: number,
                call_id: call.id.clone(),
                result: Some(said.text.clone().into()),
                error: None,
                origins: Origins::NONE,
                reused: None,
            };
            self.node_context.record(event).await?;
        }
        Ok(())
    }

    /// What was sent: the rounds of this turn as steps, all before them word by word.
    fn prompt(
        &self,
        turn: &ObservedTurn,
        step: usize,
        call: &ObservedCall,
    ) -> Result<(ModelConfig, PromptRecord, ModelRequest), Fault> {
        let asked = &call.request;
        let overrides =
            CallOverrides { provider: None, model: None, max_tokens: asked.max_tokens, window: None };
        let config = resolve_model_config(self.context, overrides, self.node_context.model_settings())?;
        let first = turn.steps.first().and_then(|attempts| attempts.first());
        let first = first.map_or(0, |index| self.chat.calls[*index].request.messages.len());
        let messages = self.messages(turn, asked.messages.as_slice(), first, &config.model);
        let mut parts = Vec::new();
        if let Some(system) = &asked.system {
            parts.push(part(Role::System, system.clone(), tokens::count(&config.model, system)));
        }
        let split = first.min(messages.len());
        for message in &messages[..split] {
            parts.push(part(message.role, shown(message), message.tokens.into()));
        }
        let mut rest = messages[split..].iter().peekable();
        for step in 0..step {
            // A reply, and the results after it.
            let mut round = rest.next().map_or((0, 0), |reply| (1, u64::from(reply.tokens)));
            while let Some(result) = rest.next_if(|message| message.role == Role::Tool) {
                round = (round.0 + 1, round.1 + u64::from(result.tokens));
            }
            let step = u32::try_from(step).unwrap_or(u32::MAX);
            let (count, tokens) = round;
            let (origins, rejection, images) = (Origins::NONE, None, Vec::new());
            parts.push(PromptPart::Step { step, count, tokens, origins, rejection, images });
        }
        let request = ModelRequest {
            activation: self.node_context.activation.clone(),
            attempt: self.node_context.attempt,
            model: config.model.clone(),
            system: asked.system.clone(),
            messages,
            tools: asked.tools.clone(),
            temperature: asked.temperature,
            max_tokens: asked.max_tokens,
            window: Some(config.window),
            response_schema: asked.response_schema.clone(),
            session: None,
            options: Value::Object(asked.options.clone()),
        };
        let tool_tokens = tool_tokens(&config.model, &asked.tools);
        let mut record = PromptRecord::new(&config, parts, tool_tokens);
        record.tools = asked.tools.iter().map(|tool| tool.name.clone()).collect();
        if let Ok(provider) = self.node_context.host.providers.get(&config.provider) {
            record.settings = RequestSettings::of(&config.provider, &*provider, &request);
        }
        Ok((config, record, request))
    }

    /// The messages of a request. Those that are replies of this turn have what their provider attached to them.
    fn messages(&self, turn: &ObservedTurn, said: &[Said], first: usize, model: &str) -> Vec<SharedMessage> {
        let replies = turn.steps.iter().filter_map(|attempts| self.chat.calls[*attempts.last()?].reply());
        let mut replies = replies.fuse();
        let activation = &self.node_context.activation;
        let message = |(at, said): (usize, &Said)| {
            let count = tokens::count_u32(model, &said.text)
                .saturating_add(tokens::count_tool_calls(model, &said.tool_calls));
            let id = self.node_context.message_id(at);
            let plain = Message::plain(id, said.role, said.text.clone(), activation.clone(), count);
            let reply = if at >= first && said.role == Role::Assistant { replies.next() } else { None };
            Arc::new(Message {
                tool_calls: reply.map_or_else(|| said.tool_calls.clone(), |reply| reply.tool_calls.clone()),
                tool_call_id: said.tool_call_id.clone(),
                reasoning: reply.and_then(|reply| reply.reasoning.clone()),
                provider_state: reply.and_then(|reply| reply.provider_state.clone()),
                ..plain
            })
        };
        said.iter().enumerate().map(message).collect()
    }

    fn output(&self, handle: &ContextHandle, reply: &ModelReply, text: String, calls: usize) -> NodeOutput {
        let id = self.node_context.message_id(REPLY_INDEX);
        let structured = self.chat.node.ports().outputs.iter().any(|port| port.name.as_str() == "structured");
        let structured = structured.then(|| serde_json::from_str::<Value>(&text).ok()).flatten();
        let text = Value::String(text);
        let mut output = NodeOutput { truncated: reply.stop_reason.is_truncated(), ..NodeOutput::new() }
            .with_context(&handle.with_output(text.clone(), Some(id.clone())))
            .with("response", text)
            .is_message("response", id);
        if let Some(structured) = structured {
            output = output.with("structured", structured);
        }
        output.token_usage = Some(self.usage);
        output.extra.insert("modelCalls".to_owned(), calls.into());
        output.extra.insert("provider".to_owned(), self.context.provider.to_string().into());
        output.extra.insert("model".to_owned(), self.context.model.to_string().into());
        output
    }
}

/// The tools of the flow that stand for the program's.
fn plait_tools(inputs: &Inputs) -> Vec<ToolSpec> {
    let offered = inputs.all("tools").iter();
    let offered = offered.filter_map(|datum| serde::Deserialize::deserialize(&*datum.value).ok());
    offered.flat_map(|tools: Vec<ToolSpec>| tools).collect()
}

fn part(role: Role, text: String, tokens: u64) -> PromptPart {
    PromptPart::Message { role, text, tokens, origins: Origins::NONE }
}

/// A message of an earlier turn, with the calls that it made.
fn shown(message: &Message) -> String {
    let text = message.content.text();
    let calls = message.tool_calls.iter().map(|call| format!("{}({})", call.name, as_text(&call.arguments)));
    let lines = std::iter::once(text).chain(calls).filter(|line| !line.is_empty());
    lines.collect::<Vec<_>>().join("\n")
}

/// What a reply says: its text, or the arguments of the call that it ends with.
fn final_text(reply: &ModelReply) -> String {
    match reply.tool_calls.first() {
        Some(call) if reply.text.trim().is_empty() => as_text(&call.arguments),
        _ => reply.text.clone(),
    }
}

fn count_reply(model: &str, reply: &ModelReply) -> u64 {
    let reasoning = reply.reasoning.as_deref().map_or(0, |text| tokens::count(model, text));
    tokens::count(model, &reply.text)
        + reasoning
        + u64::from(tokens::count_tool_calls(model, &reply.tool_calls))
}

fn stuck(why: &str) -> Fault {
    Fault::new(codes::RECORD_STUCK, format!("{why}, though the flow was drafted of these calls."))
}
