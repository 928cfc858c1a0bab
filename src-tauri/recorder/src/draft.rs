//! A flow that does what was observed: the first draft that a person goes on with.
//!
//! A conversation is one chat. With several turns it stands in a cycle with a question to the person; with one turn its message is its
//! prompt. Tools are HTTP tools with an address to fill in, since what ran them is in the program. A chat comes after those that had
//! ended before it began, and takes their replies where its prompt repeats them.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use plait_core::error::Fault;
use plait_core::expression::schema::check_schema;
use plait_core::flow::Flow;
use plait_core::id::NodeId;
use plait_llm::context::{MAIN, Role};
use plait_llm::tool::ToolSpec;
use serde_json::{Map, Value, json};

use crate::codes;
use crate::conversation::ObservedConversation;
use crate::observed::{ObservedCall, Outcome, Said};

/// The longest message that becomes the text of a template.
const MAX_PROMPT_BYTES: usize = 32 * 1024;
/// The shortest reply that is looked for in later prompts: shorter ones stand there by chance.
const MIN_REPEATED_CHARS: usize = 12;
/// How many of the replies before a prompt are looked for in it.
const MAX_LOOKED_FOR: usize = 50;
/// Where a tool of a program is to be found, until the person says where.
const TOOL_URL: &str = "http://localhost:8080/tools";

/// Places on the canvas.
const COLUMN_WIDTH: usize = 320;
const ROW_HEIGHT: usize = 280;
const BELOW_PX: usize = 130;

/// A flow, and which conversation each of its chats is.
#[derive(Clone, Debug)]
pub struct Draft {
    pub flow: Flow,
    /// The chat of each conversation, in their order.
    pub chats: Vec<NodeId>,
}

/// The parts of a flow while it is put together.
#[derive(Default)]
struct Parts {
    nodes: Map<String, Value>,
    edges: Map<String, Value>,
    layout: Map<String, Value>,
    row: usize,
    /// Where the conversation begins: to the right of the one that it comes after.
    left: usize,
    /// How many columns of the conversation are taken.
    column: usize,
}

impl Parts {
    /// Adds a node in the next column.
    fn node(&mut self, id: &str, node: Value) {
        self.nodes.insert(id.to_owned(), node);
        let x = self.left + self.column * COLUMN_WIDTH;
        self.layout.insert(id.to_owned(), json!({ "x": x, "y": self.row * ROW_HEIGHT }));
        self.column += 1;
    }

    /// `from` and `to` are `node.port`.
    fn edge(&mut self, from: &str, to: &str) {
        let split = |end: &str| end.split_once('.').map(|(node, port)| (node.to_owned(), port.to_owned()));
        if let (Some((source, output)), Some((target, input))) = (split(from), split(to)) {
            let edge =
                json!({ "source": source, "sourceOutput": output, "target": target, "targetInput": input });
            self.edges.insert(format!("{from}-{to}"), edge);
        }
    }
}

/// The draft of these conversations. `said` is where it comes from, for its description.
pub fn draft(
    name: &str,
    said: &str,
    calls: &[ObservedCall],
    conversations: &[ObservedConversation],
) -> Result<Draft, Fault> {
    let mut parts = Parts::default();
    let mut taken = BTreeSet::new();
    let mut notes = BTreeSet::new();
    let mut chats: Vec<String> = Vec::new();
    let mut lefts = Vec::new();
    let last_ended = conversations.iter().map(|one| one.ended_ms(calls)).max().unwrap_or_default();
    for (number, conversation) in conversations.iter().enumerate() {
        let id = name_of(calls[conversation.first()].agent.as_deref(), &mut taken);
        let is_last = conversation.ended_ms(calls) == last_ended;
        let before = latest_before(calls, conversations, number);
        parts.left = before.map_or(0, |before| lefts[before] + COLUMN_WIDTH);
        parts.column = 0;
        lefts.push(parts.left);
        let place = Place { id: &id, number, is_last, chats: &chats, conversations };
        add_conversation(&mut parts, &mut notes, &place, calls, conversation);
        chats.push(id);
        parts.row += 1;
    }
    let mut description = said.to_owned();
    for note in notes {
        let _ = write!(description, "\n\n- {note}");
    }
    let document = json!({
        "version": plait_core::flow::VERSION,
        "name": name,
        "description": description,
        "nodes": parts.nodes,
        "edges": parts.edges,
        "layout": parts.layout,
    });
    let flow = serde_json::from_value(document).map_err(|error| {
        Fault::new(codes::RECORD_STUCK, format!("The calls could not be drafted as a flow: {error}."))
    })?;
    Ok(Draft { flow, chats: chats.into_iter().map(NodeId::from).collect() })
}

/// Where a conversation stands among the others.
struct Place<'a> {
    id: &'a str,
    number: usize,
    is_last: bool,
    chats: &'a [String],
    conversations: &'a [ObservedConversation],
}

fn add_conversation(
    parts: &mut Parts,
    notes: &mut BTreeSet<&'static str>,
    place: &Place<'_>,
    calls: &[ObservedCall],
    conversation: &ObservedConversation,
) {
    let id = place.id;
    let call = &calls[conversation.first()];
    let request = &call.request;
    let context_id = if place.number == 0 { MAIN.to_owned() } else { format!("{id}-context") };
    let mut config = json!({ "provider": call.provider, "model": request.model, "contextId": context_id });
    if let Some(system) = &request.system {
        config["systemInstructions"] = system.as_str().into();
    }
    let (start, ask) = (format!("{id}-start"), format!("{id}-ask"));
    parts.node(&start, json!({ "type": "contextStart", "config": config }));
    let mut context = format!("{start}.context");
    let earlier: Vec<Value> = conversation.before.iter().filter_map(|said| injected(said, notes)).collect();
    if !earlier.is_empty() {
        let inject = format!("{id}-history");
        parts.node(&inject, json!({ "type": "injectMessages", "config": { "messages": earlier } }));
        parts.edge(&context, &format!("{inject}.context"));
        context = format!("{inject}.context");
    }
    let mut config = Map::new();
    let mut put = |key: &str, value: Option<Value>| value.map(|value| config.insert(key.to_owned(), value));
    put("temperature", request.temperature.filter(|value| (0.0..=2.0).contains(value)).map(Value::from));
    put("maxTokens", request.max_tokens.map(Value::from));
    let schema = request.response_schema.clone().filter(|schema| check_schema(schema).is_none());
    if schema.is_none() && request.response_schema.is_some() {
        notes.insert("A schema of replies that is no valid JSON Schema is left out.");
    }
    put("responseSchema", schema);
    put("options", (!request.options.is_empty()).then(|| request.options.clone().into()));
    let prompt = conversation.turns.first().filter(|_| conversation.turns.len() == 1);
    let prompt = prompt.and_then(|turn| prompt_of(parts, place, calls, conversation, &turn.message));
    let is_asked = prompt.is_none();
    put("prompt", prompt.map(Value::from));
    let mut chat = json!({ "type": "chat", "config": config });
    if let Some(agent) = &call.agent {
        chat["title"] = agent.as_str().into();
    }
    let attempts = conversation.turns.iter().flat_map(|turn| &turn.steps).map(Vec::len).max().unwrap_or(1);
    if attempts > 1 {
        chat["retry"] = json!({ "attempts": attempts.min(plait_core::flow::MAX_ATTEMPTS as usize), "backoffMs": 500, "maxBackoffMs": 30000, "jitter": 0.5 });
    }
    if is_asked {
        let question =
            json!({ "type": "userInput", "config": { "prompt": "What does the program send next?" } });
        parts.node(&ask, question);
        parts.edge(&context, &format!("{ask}.context"));
        parts.edge(&format!("{ask}.context"), &format!("{id}.context"));
        if conversation.turns.len() > 1 {
            parts.edge(&format!("{id}.context"), &format!("{ask}.context"));
        }
        if conversation.turns.iter().any(|turn| turn.steps.len() > 1) && conversation.turns.len() > 1 {
            notes.insert("A chat keeps the final reply of a turn in its history, and not the tool calls before it. The program sent them again.");
        }
    } else {
        parts.edge(&context, &format!("{id}.context"));
    }
    parts.node(id, chat);
    add_tools(parts, notes, id, &request.tools);
    add_order(parts, place, calls, if is_asked { &ask } else { id });
    let last = conversation.calls().next_back().map(|at| &calls[at].outcome);
    if matches!(last, Some(Outcome::Replied(reply)) if !reply.tool_calls.is_empty()) {
        notes.insert("A conversation ended with a tool call whose result no model got. A chat would call the tool and ask the model again.");
    }
    let has_failed = matches!(last, Some(Outcome::Failed(_)));
    if has_failed && !place.is_last {
        let failure = format!("{id}-failure");
        parts.node(&failure, json!({ "type": "output", "config": { "name": format!("Failure of {id}") } }));
        parts.edge(&format!("{id}.error"), &format!("{failure}.value"));
        notes.insert("The program went on after a call had failed. What it did then has to be connected to `error` of the chat.");
    }
}

/// A message before the first turn, where a flow can add it to a history.
fn injected(said: &Said, notes: &mut BTreeSet<&'static str>) -> Option<Value> {
    let role = match said.role {
        Role::User => "user",
        Role::Assistant if said.tool_calls.is_empty() => "assistant",
        Role::System => "system",
        Role::Assistant | Role::Tool => {
            notes.insert("A conversation began with tool calls that were made elsewhere. They are not in its history here.");
            return None;
        }
    };
    if said.text.trim().is_empty() || said.text.contains("{{") {
        notes.insert("Messages that are empty or contain double braces are not in the histories here.");
        return None;
    }
    Some(json!({ "role": role, "content": said.text }))
}

/// The message of the only turn as a template, with replies before it as variables. None if it is no text of a template: then a person gives it.
fn prompt_of(
    parts: &mut Parts,
    place: &Place<'_>,
    calls: &[ObservedCall],
    conversation: &ObservedConversation,
    message: &str,
) -> Option<String> {
    if message.trim().is_empty() || message.len() > MAX_PROMPT_BYTES || message.contains("{{") {
        return None;
    }
    let begun = calls[conversation.first()].begun_ms;
    let mut prompt = message.to_owned();
    let before = place.conversations[..place.number].iter().enumerate().rev().take(MAX_LOOKED_FOR);
    for (index, other) in before {
        // What follows a cycle runs once for each of its iterations.
        if other.turns.len() != 1 || other.ended_ms(calls) > begun {
            continue;
        }
        let reply = other.calls().next_back().and_then(|at| calls[at].reply()).map(|reply| reply.text.trim());
        let Some(reply) = reply.filter(|reply| reply.chars().count() >= MIN_REPEATED_CHARS) else { continue };
        // The output is the reply as it is, with what stands around it.
        let is_whole = other
            .calls()
            .next_back()
            .and_then(|at| calls[at].reply())
            .is_some_and(|whole| whole.text == reply);
        if is_whole && prompt.matches(reply).count() == 1 {
            let variable = format!("reply_{}", index + 1);
            prompt = prompt.replace(reply, &format!("{{{{{variable}}}}}"));
            parts.edge(&format!("{}.response", place.chats[index]), &format!("{}.{variable}", place.id));
        }
    }
    Some(prompt)
}

fn add_tools(parts: &mut Parts, notes: &mut BTreeSet<&'static str>, id: &str, tools: &[ToolSpec]) {
    if tools.is_empty() {
        return;
    }
    let mut known = BTreeSet::new();
    let declared = tools.iter().filter(|tool| is_tool_name(&tool.name) && known.insert(&tool.name));
    let declared: Vec<Value> = declared
        .map(|tool| {
            let any = json!({ "type": "object", "properties": {} });
            let parameters = if check_schema(&tool.parameters).is_none() { &tool.parameters } else { &any };
            json!({
                "name": tool.name,
                "description": tool.description,
                "method": "POST",
                "url": format!("{TOOL_URL}/{}", tool.name),
                "parameters": parameters,
            })
        })
        .collect();
    if declared.len() < tools.len() {
        notes.insert("Tools whose names are no names of HTTP tools are left out.");
    }
    if declared.is_empty() {
        return;
    }
    notes.insert("The program ran its tools itself. Give each HTTP tool the address of what runs it, or connect others in its place.");
    let node = format!("{id}-tools");
    // Below what leads to the chat.
    let x = parts.left + parts.column.saturating_sub(2) * COLUMN_WIDTH;
    parts.layout.insert(node.clone(), json!({ "x": x, "y": parts.row * ROW_HEIGHT + BELOW_PX }));
    parts.nodes.insert(node.clone(), json!({ "type": "tools", "config": { "tools": [], "http": declared } }));
    parts.edge(&format!("{node}.tools"), &format!("{id}.tools"));
}

fn is_tool_name(name: &str) -> bool {
    let is_allowed = |char: char| char.is_ascii_alphanumeric() || char == '_' || char == '-';
    !name.is_empty() && name.len() <= 64 && name.chars().all(is_allowed)
}

/// What begins after the latest conversation that had ended by then. Edges of its replies are order enough.
fn add_order(parts: &mut Parts, place: &Place<'_>, calls: &[ObservedCall], first: &str) {
    let Some(index) = latest_before(calls, place.conversations, place.number) else { return };
    let source = &place.chats[index];
    let is_fed = parts.edges.values().any(|edge| edge["source"] == *source && edge["target"] == *first);
    if is_fed {
        return;
    }
    parts.edge(&format!("{source}.response"), &format!("{first}.after"));
    let failure = format!("{source}-failure");
    if parts.nodes.contains_key(&failure) {
        parts.edge(&format!("{source}.error"), &format!("{first}.after"));
    }
}

/// The latest conversation of one turn that had ended when the one of this number began. What follows a cycle runs once for each of its
/// iterations, so nothing comes after those.
fn latest_before(
    calls: &[ObservedCall],
    conversations: &[ObservedConversation],
    number: usize,
) -> Option<usize> {
    let begun = calls[conversations[number].first()].begun_ms;
    let before = conversations[..number].iter().enumerate();
    let ended = before.filter(|(_, other)| other.turns.len() == 1 && other.ended_ms(calls) <= begun);
    ended.max_by_key(|(index, other)| (other.ended_ms(calls), *index)).map(|(index, _)| index)
}

/// An id from the name of an agent, unlike all before.
fn name_of(agent: Option<&str>, taken: &mut BTreeSet<String>) -> String {
    let plain = agent.unwrap_or("chat").to_lowercase();
    let plain: String =
        plain.chars().map(|char| if char.is_ascii_alphanumeric() { char } else { '-' }).collect();
    let plain = plain.trim_matches('-').chars().take(40).collect::<String>();
    let plain = if plain.is_empty() { "chat".to_owned() } else { plain };
    let mut name = plain.clone();
    let mut number = 1;
    while !taken.insert(name.clone()) {
        number += 1;
        name = format!("{plain}-{number}");
    }
    name
}
