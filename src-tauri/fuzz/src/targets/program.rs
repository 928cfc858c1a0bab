//! What recorders and tracers wrote: logs of exchanges and OTLP in JSON. Whatever they hold is drafted as a flow, which has no errors.

use plait_adapters::ProviderSettings;
use plait_core::diagnostic::Severity;
use plait_recorder::conversation::conversations;
use plait_recorder::draft::draft;
use plait_recorder::exchange::Recorded;
use plait_recorder::observed::read_call;
use plait_recorder::otlp;
use plait_run::node::Registry;
use plait_run::plan::check;

use super::{Handler, gist, runtime};

pub(super) const WORDS: &[&str] = &[
    "{\"line\":\"request\",\"id\":0,\"at\":2,\"upstream\":\"openai\",\"baseUrl\":\"http://h/v1\",\"method\":\"POST\",",
    "\"path\":\"/chat/completions\",\"body\":{\"text\":\"",
    "\"path\":\"/responses\"",
    "\"path\":\"/v1/messages\"",
    "\"path\":\"/models/m:generateContent\"",
    "\"path\":\"/api/chat\"",
    "\\\"messages\\\":[{\\\"role\\\":\\\"user\\\",\\\"content\\\":\\\"x\\\"}]",
    "\\\"tools\\\":[{\\\"type\\\":\\\"function\\\",\\\"function\\\":{\\\"name\\\":\\\"f\\\"}}]",
    "{{x}}",
    "\"stringValue\":\"",
    "\"arrayValue\":{\"values\":[",
    "\"kvlistValue\":{\"values\":[",
    "\"key\":\"gen_ai.input.messages\"",
    "\"key\":\"gen_ai.prompt.0.content\"",
    "\"parentSpanId\":\"s\"",
];

pub(super) const SEEDS: &[&str] = &[
    "{\"line\":\"program\",\"version\":1,\"at\":1,\"name\":\"p\",\"command\":[\"p\"]}\n{\"line\":\"request\",\"id\":0,\"at\":2,\"upstream\":\"openai\",\"baseUrl\":\"http://h/v1\",\"method\":\"POST\",\"path\":\"/chat/completions\",\"body\":{\"text\":\"{\\\"model\\\":\\\"m\\\",\\\"messages\\\":[{\\\"role\\\":\\\"user\\\",\\\"content\\\":\\\"Hello\\\"}]}\"}}\n{\"line\":\"response\",\"id\":0,\"at\":3,\"status\":200,\"contentType\":\"application/json\"}\n{\"line\":\"chunk\",\"id\":0,\"at\":4,\"data\":{\"text\":\"{\\\"choices\\\":[{\\\"message\\\":{\\\"content\\\":\\\"Hi\\\"},\\\"finish_reason\\\":\\\"stop\\\"}]}\"}}\n{\"line\":\"end\",\"id\":0,\"at\":5}\n{\"line\":\"exit\",\"at\":6,\"code\":0}\n",
    "{\"resourceSpans\":[{\"scopeSpans\":[{\"spans\":[{\"traceId\":\"t\",\"spanId\":\"s\",\"name\":\"chat\",\"startTimeUnixNano\":\"1000000\",\"endTimeUnixNano\":\"2000000\",\"attributes\":[{\"key\":\"gen_ai.request.model\",\"value\":{\"stringValue\":\"m\"}},{\"key\":\"gen_ai.input.messages\",\"value\":{\"stringValue\":\"[{\\\"role\\\":\\\"user\\\",\\\"parts\\\":[{\\\"type\\\":\\\"text\\\",\\\"content\\\":\\\"x\\\"}]}]\"}}]}]}]}]}",
];

pub(super) struct ProgramHandler {
    runtime: tokio::runtime::Runtime,
    registry: Registry,
}

impl ProgramHandler {
    pub(super) fn new() -> anyhow::Result<Self> {
        Ok(Self { runtime: runtime()?, registry: plait_nodes::registry() })
    }
}

impl Handler for ProgramHandler {
    fn handle(&mut self, input: &[u8]) -> anyhow::Result<String> {
        let mut calls = Vec::new();
        let mut outcome = match Recorded::read(input) {
            Ok(recorded) => {
                for exchange in &recorded.exchanges {
                    let provider = |kind, _: &str| ("openai-chat".to_owned(), ProviderSettings::of(kind));
                    calls.extend(self.runtime.block_on(read_call(exchange, provider)));
                }
                format!("{} exchanges", recorded.exchanges.len())
            }
            Err(fault) => gist(&fault.message),
        };
        match std::str::from_utf8(input).map(|text| otlp::read(text, |_| true)) {
            Ok(Ok(traces)) => calls.extend(traces.calls),
            Ok(Err(fault)) => outcome.push_str(&gist(&fault.message)),
            Err(_) => outcome.push_str("no text"),
        }
        let found = conversations(&mut calls);
        let drafted = draft("p", "A draft.", &calls, &found).expect("every call is drafted");
        let checked = check(&drafted.flow, &self.registry);
        let error = checked.diagnostics.iter().find(|found| found.severity == Severity::Error);
        assert!(error.is_none(), "the draft has an error: {error:?}");
        Ok(format!("{outcome}, {} calls, {} conversations", calls.len(), found.len()))
    }
}
