//! Prompts, lists of messages, and the calls of models that they feed.

use super::super::chat_call::{Author, ChatCall, Model};
use super::super::settings::Settings;
use super::super::template::TemplateText;
use super::Reader;

/// Outputs that give lists.
const LISTS: [(&str, &str); 6] = [
    ("split", "splitString"),
    ("array", "output"),
    ("slice", "output"),
    ("filter", "filtered"),
    ("extractRegex", "matches"),
    ("extractObjectPath", "all_matches"),
];
const LIST_JOINED: &str =
    "A list that it gets is one message here. In Rivet, each item of the list is a message.";

impl Reader<'_> {
    /// Several messages, in the order of their inputs.
    pub(super) fn assemble(&mut self, at: usize) {
        let graph = self.graph;
        let mut edges: Vec<_> = graph.incoming(at).collect();
        edges.sort_by_key(|edge| (edge.input.len(), edge.input.clone()));
        let mut messages = Vec::new();
        for edge in edges {
            messages.extend(self.messages_from(at, edge.source, &edge.output));
        }
        self.messages.insert(at, messages);
    }

    pub(super) fn chat(&mut self, at: usize, settings: &Settings<'_>) {
        let node = &self.graph.nodes[at];
        let graph = self.graph;
        let provider = match node.kind {
            "chatAnthropic" => "anthropic",
            "chatGoogle" => "gemini",
            "chatHuggingFace" => "huggingface",
            "replicateLlama" => "replicate",
            _ => "openai",
        };
        let mut model = Model { provider: Some(provider.to_owned()), ..Model::default() };
        let name = settings.text("/overrideModel").or_else(|| settings.text("/model"));
        model.name = name.map(str::to_owned);
        settings.ignore("/model");
        if settings.text("/endpoint").is_some() {
            model.lost.push("The model's address: set up a provider with it.".to_owned());
        }
        model.set_temperature(settings.number("/temperature").filter(|_| !settings.flag("/useTopP")));
        model.max_tokens = settings.number("/maxTokens").filter(|&count| count > 0.0);
        if settings.flag("/useTopP") {
            model.set_option("top_p", settings.get("/top_p").cloned());
        }
        for (pointer, option) in
            [("/frequencyPenalty", "frequency_penalty"), ("/presencePenalty", "presence_penalty")]
        {
            model.set_option(
                option,
                settings.get(pointer).filter(|value| value.as_f64() != Some(0.0)).cloned(),
            );
        }
        settings.ignore_all(&[
            "/cache",
            "/useAsGraphPartialOutput",
            "/top_p",
            "/enableFunctionUse",
            "/parallelFunctionCalling",
            "/overrideMaxTokens",
            "/useServerTokenCalculation",
            "/outputUsage",
            "/usePredictedOutput",
            "/useStop",
            "/tools",
        ]);
        let mut call = ChatCall { model, ..ChatCall::default() };
        let mut messages = Vec::new();
        for input in ["systemPrompt", "system", "prompt"] {
            for edge in graph.edges_into(at, input) {
                for (author, text) in self.messages_from(at, edge.source, &edge.output) {
                    messages.push((if input == "prompt" { author } else { Author::System }, text));
                }
            }
        }
        call.set_all_messages(messages);
        if call.prompt.is_none() && call.history.is_empty() {
            self.placeholder(at, "It has no message for the model.");
            return;
        }
        for edge in graph.edges_into(at, "functions") {
            match self.value(edge.source, &edge.output) {
                Some((output, _)) if output.port == "tools" => call.tools.push(output),
                _ => self.builder.lose(&node.key, "Its functions: connect `tools` or an MCP server."),
            }
        }
        let done = call.add_to(&mut self.builder, &node.key, node.title, node.at);
        for edge in graph.incoming(at) {
            if self.messages.contains_key(&edge.source)
                && !self.values.contains_key(&(edge.source, String::new()))
            {
                self.attach_messages(edge.source, &done.chat);
            }
        }
        self.set(at, "", done.response());
    }

    /// The messages that an output stands for, for the node that gets them.
    fn messages_from(&mut self, at: usize, source: usize, output: &str) -> Vec<(Author, TemplateText)> {
        let is_own_node = self.values.contains_key(&(source, String::new()));
        if !is_own_node && let Some(messages) = self.messages_of(source) {
            return messages;
        }
        let gives_list =
            LISTS.iter().any(|(kind, port)| self.graph.nodes[source].kind == *kind && output == *port);
        if gives_list {
            self.builder.lose(&self.graph.nodes[at].key, LIST_JOINED);
        }
        let author =
            if self.graph.nodes[source].kind.starts_with("chat") { Author::Assistant } else { Author::User };
        self.value(source, output)
            .map(|(output, path)| (author, TemplateText::of("message", &output, &path)))
            .into_iter()
            .collect()
    }

    /// Says that the messages of a node are a part of a node of the flow.
    fn attach_messages(&mut self, source: usize, id: &plait_core::id::NodeId) {
        self.builder.attach(&self.graph.nodes[source].key, id);
        self.attach_parts(source, id);
    }

    /// The same for the messages that a node assembles.
    pub(super) fn attach_parts(&mut self, source: usize, id: &plait_core::id::NodeId) {
        let graph = self.graph;
        if !matches!(graph.nodes[source].kind, "assemblePrompt" | "assembleMessage") {
            return;
        }
        let inner: Vec<usize> =
            graph.incoming(source).filter(|edge| edge.source != source).map(|edge| edge.source).collect();
        for inner in inner {
            let is_part =
                self.messages.contains_key(&inner) && !self.values.contains_key(&(inner, String::new()));
            if is_part && !self.builder.has_outcome(&graph.nodes[inner].key) {
                self.attach_messages(inner, id);
            }
        }
    }
}
