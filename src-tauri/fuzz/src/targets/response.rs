//! Replies of model servers, decoded by the provider of each protocol from a real connection. The first byte chooses the
//! protocol and the content type, the second how the rest is cut into pieces. Where the first is at least 240, the rest is
//! not a body but everything that the server sends.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};

use anyhow::Context as _;
use plait_adapters::providers::ProviderKind;
use plait_adapters::{ProviderRegistry, ProviderSettings};
use plait_core::id::{Activation, Epoch};
use plait_llm::provider::{ModelRequest, Provider, Providers as _};
use serde_json::Value;

use super::{Handler, magnitude, runtime};

const KINDS: [ProviderKind; 6] = [
    ProviderKind::OpenAi,
    ProviderKind::OpenAiResponses,
    ProviderKind::Ollama,
    ProviderKind::Anthropic,
    ProviderKind::Gemini,
    ProviderKind::GeminiInteractions,
];

const CONTENT_TYPES: [&str; 3] = ["text/event-stream", "application/x-ndjson", "application/json"];

/// From this value of the first byte on, the server sends only the rest of the input.
const RAW: u8 = 240;

pub(super) const WORDS: &[&str] = &[
    "data: ",
    "event: ",
    "id: ",
    "retry: 9",
    ": ping\n",
    "\n\n",
    "[DONE]",
    "\"choices\":[{\"delta\":{\"content\":\"x\"}}]",
    "\"tool_calls\":[{\"index\":0,\"function\":{\"name\":\"f\",\"arguments\":\"{\"}}]",
    "\"finish_reason\":\"stop\"",
    "\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":2}",
    "\"type\":\"content_block_delta\"",
    "\"type\":\"message_stop\"",
    "\"type\":\"response.output_text.delta\"",
    "\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"x\"}]}}]",
    "\"done\":true",
    "\"error\":{\"message\":\"no\",\"type\":\"overloaded_error\"}",
    "HTTP/1.1 200 OK\r\n",
    "Transfer-Encoding: chunked\r\n",
    "Content-Length: 5\r\n",
    "Content-Encoding: gzip\r\n",
    "Retry-After: 1\r\n",
    "\r\n\r\n",
];

/// A stream of each protocol.
pub(super) fn seeds() -> Vec<Vec<u8>> {
    let streams: [(u8, &str); 8] = [
        (
            0,
            "data: {\"id\":\"1\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"Hello\"}}]}\n\ndata: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"c1\",\"type\":\"function\",\"function\":{\"name\":\"add\",\"arguments\":\"{\\\"a\\\":1}\"}}]},\"finish_reason\":\"tool_calls\"}]}\n\ndata: {\"choices\":[],\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":5}}\n\ndata: [DONE]\n\n",
        ),
        (
            1,
            "event: response.created\ndata: {\"type\":\"response.created\",\"response\":{\"id\":\"r1\",\"status\":\"in_progress\"}}\n\nevent: response.output_item.added\ndata: {\"type\":\"response.output_item.added\",\"output_index\":0,\"item\":{\"type\":\"message\",\"id\":\"m1\",\"role\":\"assistant\",\"content\":[]}}\n\nevent: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\",\"output_index\":0,\"content_index\":0,\"delta\":\"Hello\"}\n\nevent: response.completed\ndata: {\"type\":\"response.completed\",\"response\":{\"id\":\"r1\",\"status\":\"completed\",\"output\":[{\"type\":\"message\",\"id\":\"m1\",\"role\":\"assistant\",\"content\":[{\"type\":\"output_text\",\"text\":\"Hello\"}]}],\"usage\":{\"input_tokens\":3,\"output_tokens\":5}}}\n\n",
        ),
        (
            2 + 5,
            "{\"model\":\"tiny\",\"message\":{\"role\":\"assistant\",\"content\":\"Hel\"},\"done\":false}\n{\"model\":\"tiny\",\"message\":{\"role\":\"assistant\",\"content\":\"lo\",\"thinking\":\"hm\",\"tool_calls\":[{\"function\":{\"name\":\"add\",\"arguments\":{\"a\":1}}}]},\"done\":false}\n{\"model\":\"tiny\",\"message\":{\"role\":\"assistant\",\"content\":\"\"},\"done\":true,\"done_reason\":\"stop\",\"prompt_eval_count\":3,\"eval_count\":5}\n",
        ),
        (
            3,
            "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"m1\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"tiny\",\"content\":[],\"stop_reason\":null,\"usage\":{\"input_tokens\":3,\"output_tokens\":1}}}\n\nevent: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"tool_use\",\"id\":\"t1\",\"name\":\"add\",\"input\":{}}}\n\nevent: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{\\\"a\\\":1}\"}}\n\nevent: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\nevent: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\"},\"usage\":{\"output_tokens\":5}}\n\nevent: message_stop\ndata: {\"type\":\"message_stop\"}\n\n",
        ),
        (
            4,
            "data: {\"candidates\":[{\"content\":{\"role\":\"model\",\"parts\":[{\"text\":\"Hello\"},{\"functionCall\":{\"name\":\"add\",\"args\":{\"a\":1}}}]},\"finishReason\":\"STOP\"}],\"usageMetadata\":{\"promptTokenCount\":3,\"candidatesTokenCount\":5,\"thoughtsTokenCount\":1}}\n\n",
        ),
        (
            10,
            "{\"error\":{\"message\":\"The model is overloaded.\",\"type\":\"overloaded_error\",\"code\":429}}",
        ),
        (12, "{\"error\":\"model 'tiny' not found, try pulling it first\"}"),
        (
            RAW,
            "HTTP/1.1 429 Too Many Requests\r\nRetry-After: 2\r\nContent-Type: application/json\r\nContent-Length: 22\r\n\r\n{\"error\":{\"code\":429}}",
        ),
    ];
    let seed = |(first, text): (u8, &str)| [&[first, 0], text.as_bytes()].concat();
    streams.into_iter().map(seed).collect()
}

pub(super) struct ResponseHandler {
    runtime: tokio::runtime::Runtime,
    providers: Vec<Arc<dyn Provider>>,
    /// The response to the next request, in pieces.
    responses: Sender<Vec<Vec<u8>>>,
}

impl ResponseHandler {
    pub(super) fn new() -> anyhow::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").context("listen on a port")?;
        let origin = format!("http://{}", listener.local_addr().context("find the port")?);
        let (responses, sent) = mpsc::channel();
        std::thread::spawn(move || serve(&listener, &sent));
        let provider = |kind: &ProviderKind| {
            let path = match kind {
                ProviderKind::OpenAi | ProviderKind::OpenAiResponses => "/v1",
                _ => "",
            };
            let base_url = Some(format!("{origin}{path}"));
            let settings = ProviderSettings { base_url, ..ProviderSettings::of(*kind) };
            Ok(ProviderRegistry::new(&[("test".to_owned(), settings)].into())?.get("test")?)
        };
        let providers = KINDS.iter().map(provider).collect::<anyhow::Result<_>>()?;
        Ok(Self { runtime: runtime()?, providers, responses })
    }
}

/// Answers each request with the next response, and closes the connection.
fn serve(listener: &TcpListener, responses: &Receiver<Vec<Vec<u8>>>) {
    for connection in listener.incoming() {
        let Ok(mut connection) = connection else { continue };
        let Ok(pieces) = responses.recv() else { return };
        // A client that has seen enough may close first.
        let _ = read_request(&connection);
        let _ =
            pieces.iter().try_for_each(|piece| connection.write_all(piece).and_then(|()| connection.flush()));
    }
}

fn read_request(connection: &TcpStream) -> std::io::Result<()> {
    let mut reader = BufReader::new(connection);
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let line = line.trim().to_lowercase();
        if line.is_empty() {
            break;
        }
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap_or(0);
        }
    }
    reader.read_exact(&mut vec![0; length])
}

impl Handler for ResponseHandler {
    fn handle(&mut self, input: &[u8]) -> anyhow::Result<String> {
        let [first, second, body @ ..] = input else { return Ok(String::new()) };
        let kind = usize::from(*first) % KINDS.len();
        let content_type = CONTENT_TYPES[usize::from(*first) / KINDS.len() % CONTENT_TYPES.len()];
        let mut pieces: Vec<Vec<u8>> = match second {
            0 => vec![body.to_vec()],
            size => body.chunks(usize::from(*size) * 8).map(<[u8]>::to_vec).collect(),
        };
        if *first < RAW {
            let head =
                format!("HTTP/1.1 200 OK\r\nContent-Type: {content_type}\r\nConnection: close\r\n\r\n");
            pieces.insert(0, head.into_bytes());
        }
        self.responses.send(pieces).context("the server ended")?;
        let request = ModelRequest {
            activation: Activation { node: "chat".into(), epoch: Epoch::root() },
            attempt: 1,
            model: "tiny".to_owned(),
            system: None,
            messages: Vec::new(),
            tools: Vec::new(),
            temperature: None,
            max_tokens: None,
            window: None,
            response_schema: None,
            session: None,
            options: Value::Null,
        };
        let mut chunks = 0;
        let reply = self.runtime.block_on(self.providers[kind].call(request, &mut |_| chunks += 1));
        let reply = reply
            .map_err(|fault| fault.code)
            .map(|reply| (magnitude(reply.text.len()), reply.tool_calls.len().min(3), reply.usage.is_some()));
        Ok(format!("{kind} {reply:?} {}", magnitude(chunks)))
    }
}
