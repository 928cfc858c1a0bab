//! Traces by OpenTelemetry's conventions for generative AI, as calls of models. Reads OTLP in JSON: one object, or one in each line, as
//! collectors' file exporters write it. Messages are in the attributes of the current conventions or in the span events of older ones.

mod messages;
mod span;

use std::collections::{BTreeMap, BTreeSet};

use plait_adapters::telemetry::conventions as names;
use plait_core::error::Fault;
use plait_llm::context::{Role, ToolCall};
use plait_llm::models::TokenUsage;
use plait_llm::provider::{ModelReply, StopReason};
use plait_llm::stream_pace::StreamPace;
use plait_llm::tool::ToolSpec;
use serde_json::{Map, Value};

use crate::codes;
use crate::observed::{ObservedCall, ObservedRequest, Outcome, Said, arguments, tool};
use messages::{Messages, messages_of};
use span::{Span, collect_spans};

/// The most bytes of a file of traces.
pub const MAX_BYTES: usize = 256 << 20;
/// How far up a span's agent is looked for.
const MAX_ANCESTORS: usize = 100;
/// Operations that are calls of a model.
const CALLS: [&str; 3] = [names::CHAT, "generate_content", "text_completion"];
/// Words in place of what the instrumentation left out.
const NO_CONTENT: &str = "(the trace has no content)";

/// What traces have of model calls.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Traces {
    pub calls: Vec<ObservedCall>,
    /// What is missing or was left out, for people.
    pub notes: Vec<String>,
    /// The name of the service or of the outermost agent.
    pub name: Option<String>,
}

/// Reads a file. `is_provider` says which names of providers the settings have. `traces.form`, `traces.no_calls`.
pub fn read(text: &str, is_provider: impl Fn(&str) -> bool) -> Result<Traces, Fault> {
    let form = |why: String| Fault::new(codes::TRACES_FORM, format!("This is no file of traces: {why}."));
    if text.len() > MAX_BYTES {
        return Err(form("it is larger than 256 MB".to_owned()));
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut spans = Vec::new();
    match serde_json::from_str::<Value>(text) {
        Ok(whole) => collect_spans(&whole, &mut spans).map_err(form)?,
        Err(error) => {
            let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
            let mut read = 0;
            for (number, line) in lines {
                let parsed = serde_json::from_str::<Value>(line).map_err(|_| match read {
                    0 => form(format!("{error}")),
                    _ => form(format!("line {} is no JSON object", number + 1)),
                })?;
                collect_spans(&parsed, &mut spans).map_err(form)?;
                read += 1;
            }
            if read == 0 {
                return Err(form("it is empty".to_owned()));
            }
        }
    }
    Reader::new(spans).read(is_provider)
}

struct Reader {
    spans: Vec<Span>,
    by_id: BTreeMap<(String, String), usize>,
    notes: BTreeMap<&'static str, usize>,
}

impl Reader {
    fn new(mut spans: Vec<Span>) -> Self {
        let all = spans.len();
        let mut seen = BTreeSet::new();
        spans.retain(|span| span.id.is_empty() || seen.insert((span.trace.clone(), span.id.clone())));
        let ids = spans.iter().enumerate().map(|(at, span)| ((span.trace.clone(), span.id.clone()), at));
        let mut notes = BTreeMap::new();
        if spans.len() < all {
            // Exporters send again what they do not know to have arrived.
            notes.insert("The file has a span twice. It counts once", all - spans.len());
        }
        Self { by_id: ids.collect(), spans, notes }
    }

    fn note(&mut self, what: &'static str) {
        *self.notes.entry(what).or_default() += 1;
    }

    fn read(mut self, is_provider: impl Fn(&str) -> bool) -> Result<Traces, Fault> {
        let is_call = |span: &Span| match span.text(names::OPERATION_NAME) {
            Some(operation) => CALLS.contains(&operation),
            None => span.text(names::REQUEST_MODEL).is_some(),
        };
        let found: Vec<usize> = (0..self.spans.len()).filter(|at| is_call(&self.spans[*at])).collect();
        if found.is_empty() {
            let count = self.spans.len();
            return Err(Fault::new(
                codes::TRACES_NO_CALLS,
                format!("Of the {count} spans, none is a call of a model."),
            ));
        }
        let mut tools: BTreeMap<String, ToolSpec> = BTreeMap::new();
        for span in
            self.spans.iter().filter(|span| span.text(names::OPERATION_NAME) == Some(names::EXECUTE_TOOL))
        {
            if let Some(name) = span.text(names::TOOL_NAME) {
                let description = span.text("gen_ai.tool.description").unwrap_or_default();
                tools.entry(name.to_owned()).or_insert_with(|| tool(name, description, Value::Null));
            }
        }
        let calls = found.into_iter().map(|at| self.call(at, &tools, &is_provider)).collect();
        let name = self.spans.iter().find(|span| span.parent.is_empty()).map(|span| {
            span.text("gen_ai.agent.name").or(span.service.as_deref()).unwrap_or(&span.name).to_owned()
        });
        let notes = self.notes.into_iter().map(|(what, count)| match count {
            1 => format!("{what} (1 span)"),
            _ => format!("{what} ({count} spans)"),
        });
        Ok(Traces { calls, notes: notes.collect(), name })
    }

    fn call(
        &mut self,
        at: usize,
        tools: &BTreeMap<String, ToolSpec>,
        is_provider: impl Fn(&str) -> bool,
    ) -> ObservedCall {
        let agent = self.agent(at);
        let span = self.spans[at].clone();
        let asked =
            span.text(names::PROVIDER_NAME).or_else(|| span.text("gen_ai.system")).unwrap_or("openai");
        let provider = provider_of(asked);
        if !is_provider(&provider) {
            self.note("The provider is none of the settings. Its name is kept");
        }
        let Messages { system, input, output } = messages_of(&span);
        let mut request = ObservedRequest {
            model: span
                .text(names::REQUEST_MODEL)
                .or_else(|| span.text("gen_ai.response.model"))
                .unwrap_or("unknown")
                .to_owned(),
            system,
            temperature: span.number(names::REQUEST_TEMPERATURE),
            max_tokens: span.count(names::REQUEST_MAX_TOKENS).and_then(|limit| u32::try_from(limit).ok()),
            tools: declared(&span),
            options: options(&span),
            ..ObservedRequest::default()
        };
        if input.is_none() || output.is_none() {
            self.note("The messages are not in the trace: the instrumentation does not capture content (OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT)");
        }
        request.messages = input.unwrap_or_else(|| vec![Said::new(Role::User, NO_CONTENT)]);
        let said = output.unwrap_or_else(|| Said::new(Role::Assistant, NO_CONTENT));
        if request.tools.is_empty() {
            // Without definitions, what was called was offered.
            let called = request.messages.iter().chain([&said]).flat_map(|said| &said.tool_calls);
            let called: BTreeSet<&str> = called.map(|call| call.name.as_str()).collect();
            request.tools = called
                .iter()
                .map(|name| tools.get(*name).cloned().unwrap_or_else(|| tool(name, "", Value::Null)))
                .collect();
        }
        let outcome = if span.failed {
            let code = codes::PROVIDER_SERVER_ERROR;
            let why = span.status.clone().or_else(|| span.text(names::ERROR_TYPE).map(str::to_owned));
            let why = why.unwrap_or_else(|| "the span has the status \"error\"".to_owned());
            Outcome::Failed(Box::new(Fault::new(
                code,
                format!("`{provider}`, model `{}`: {why}.", request.model),
            )))
        } else {
            Outcome::Replied(Box::new(reply(&span, said)))
        };
        let (begun_ms, ended_ms) = (span.begun_ms, span.ended_ms.max(span.begun_ms));
        ObservedCall { agent, provider, request, outcome, begun_ms, ended_ms, pace: StreamPace::default() }
    }

    /// The name of the agent that calls: of the span, or of the nearest one around it.
    fn agent(&mut self, at: usize) -> Option<String> {
        let mut seen = BTreeSet::new();
        let mut next = Some(at);
        while let Some(at) = next {
            if !seen.insert(at) {
                self.note("The parents of a span form a circle. They are ignored");
                return None;
            }
            let span = &self.spans[at];
            if let Some(name) = span.text("gen_ai.agent.name") {
                return Some(name.to_owned());
            }
            next = self.by_id.get(&(span.trace.clone(), span.parent.clone())).copied();
            if seen.len() > MAX_ANCESTORS {
                return None;
            }
        }
        None
    }
}

/// Plait's name of a provider by the conventions' name.
fn provider_of(name: &str) -> String {
    match name {
        "openai" => "openai-chat",
        "gcp.gemini" | "gcp.gen_ai" | "gemini" | "google" => "gemini",
        other => other,
    }
    .to_owned()
}

/// The tools that a request offers.
fn declared(span: &Span) -> Vec<ToolSpec> {
    let definitions = span.json("gen_ai.tool.definitions");
    let definitions = definitions.as_ref().and_then(Value::as_array).into_iter().flatten();
    let spec = |one: &Value| {
        let function = one.get("function").unwrap_or(one);
        let parameters = function.get("parameters").or_else(|| function.get("input_schema"));
        let description = function["description"].as_str().unwrap_or_default();
        Some(tool(function["name"].as_str()?, description, parameters.cloned().unwrap_or_default()))
    };
    definitions.filter_map(spec).collect()
}

fn options(span: &Span) -> Map<String, Value> {
    let option = |name: &str| Some((name.to_owned(), span.number(&format!("gen_ai.request.{name}"))?.into()));
    ["top_p", "frequency_penalty", "presence_penalty"].into_iter().filter_map(option).collect()
}

fn reply(span: &Span, said: Said) -> ModelReply {
    let count = |name: &str, older: &str| span.count(name).or_else(|| span.count(older));
    let input = count(names::USAGE_INPUT_TOKENS, "gen_ai.usage.prompt_tokens");
    let output = count(names::USAGE_OUTPUT_TOKENS, "gen_ai.usage.completion_tokens");
    let usage = input.map(|input| TokenUsage {
        cached_input: span.count(names::USAGE_CACHE_READ).unwrap_or_default(),
        cache_write: span.count(names::USAGE_CACHE_CREATION).unwrap_or_default(),
        ..TokenUsage::new(input, output.unwrap_or_default())
    });
    let reasons = span.json(names::RESPONSE_FINISH_REASONS);
    let reason =
        reasons.as_ref().and_then(|reasons| reasons.get(0)).and_then(Value::as_str).unwrap_or_default();
    let stop_reason = match reason {
        "length" | "max_tokens" => StopReason::MaxTokens,
        "content_filter" => StopReason::ContentFilter,
        _ if !said.tool_calls.is_empty() => StopReason::ToolCalls,
        _ => StopReason::End,
    };
    ModelReply {
        text: said.text,
        tool_calls: said.tool_calls,
        stop_reason,
        usage,
        response_id: span.text(names::RESPONSE_ID).map(str::to_owned),
        ..ModelReply::default()
    }
}

/// A call of a tool in a message.
fn tool_call(part: &Value) -> ToolCall {
    let function = part.get("function").unwrap_or(part);
    ToolCall {
        id: part["id"].as_str().unwrap_or_default().to_owned(),
        name: function["name"].as_str().unwrap_or_default().to_owned(),
        arguments: arguments(&function["arguments"]),
    }
}

#[cfg(test)]
mod tests;
