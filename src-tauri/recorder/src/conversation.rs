//! Which calls belong together. A call continues a conversation if its messages begin with those of the conversation's latest call and the
//! reply to it. What follows the reply tells how: results of tools are the next step of the same turn, a user message begins the next turn,
//! the same request after a failure is another attempt.

use plait_llm::context::Role;
use plait_llm::provider::ModelReply;

use crate::observed::{ObservedCall, Outcome, Said};

/// Calls that belong together, by their places in the list of all calls.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ObservedConversation {
    /// Messages before the first turn.
    pub before: Vec<Said>,
    pub turns: Vec<ObservedTurn>,
}

/// A user message and the calls that led to its answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ObservedTurn {
    pub message: String,
    /// The attempts of each step.
    pub steps: Vec<Vec<usize>>,
}

impl ObservedConversation {
    pub fn calls(&self) -> impl DoubleEndedIterator<Item = usize> {
        self.turns.iter().flat_map(|turn| turn.steps.iter().flatten()).copied()
    }

    /// The first call. A conversation has one.
    pub fn first(&self) -> usize {
        self.calls().next().unwrap_or_default()
    }

    fn last(&self) -> usize {
        self.calls().next_back().unwrap_or_default()
    }

    /// When its last call ended.
    pub fn ended_ms(&self, calls: &[ObservedCall]) -> u64 {
        self.calls().map(|at| calls[at].ended_ms).max().unwrap_or_default()
    }
}

/// How a call continues a conversation.
enum Continuation {
    Attempt,
    Step,
    Turn(String),
}

/// The conversations of calls, in the order of their first calls. Calls that continue a stored reply get the messages before it.
pub fn conversations(calls: &mut [ObservedCall]) -> Vec<ObservedConversation> {
    calls.sort_by_key(|call| (call.begun_ms, call.ended_ms));
    let mut found: Vec<ObservedConversation> = Vec::new();
    for at in 0..calls.len() {
        restore_stored(calls, &found, at);
        // The latest one first: a program that does the same twice goes on with what it did last.
        let continued =
            found.iter().enumerate().rev().find_map(|(index, conversation)| {
                Some((index, continuation(calls, conversation.last(), at)?))
            });
        match continued {
            Some((index, how)) => extend(&mut found[index], how, at),
            None => found.push(begin(&calls[at], at)),
        }
    }
    found
}

fn extend(conversation: &mut ObservedConversation, how: Continuation, at: usize) {
    if let Continuation::Turn(message) = how {
        conversation.turns.push(ObservedTurn { message, steps: vec![vec![at]] });
        return;
    }
    let Some(turn) = conversation.turns.last_mut() else { return };
    match (how, turn.steps.last_mut()) {
        (Continuation::Attempt, Some(attempts)) => attempts.push(at),
        _ => turn.steps.push(vec![at]),
    }
}

fn begin(call: &ObservedCall, at: usize) -> ObservedConversation {
    let messages = &call.request.messages;
    let last = messages.iter().rposition(|message| message.role == Role::User);
    let (before, message) = match last {
        Some(last) => (messages[..last].to_vec(), messages[last].text.clone()),
        None => (messages.clone(), String::new()),
    };
    ObservedConversation { before, turns: vec![ObservedTurn { message, steps: vec![vec![at]] }] }
}

/// The messages of a call whose server has stored those before.
fn restore_stored(calls: &mut [ObservedCall], found: &[ObservedConversation], at: usize) {
    let Some(id) = calls[at].request.continues.clone() else { return };
    let is_it = |reply: &ModelReply| reply.response_id.as_deref() == Some(&id);
    let before = found.iter().rev().map(ObservedConversation::last);
    let mut before = before.filter(|last| calls[*last].reply().is_some_and(is_it));
    if let Some(last) = before.next() {
        let mut messages = calls[last].request.messages.clone();
        messages.extend(calls[last].reply().map(reply_message));
        messages.append(&mut calls[at].request.messages);
        calls[at].request.messages = messages;
    }
}

fn continuation(calls: &[ObservedCall], last: usize, at: usize) -> Option<Continuation> {
    let (before, call) = (&calls[last], &calls[at]);
    let (asked, asks) = (&before.request, &call.request);
    let is_same = before.provider == call.provider
        && before.agent == call.agent
        && asked.model == asks.model
        && asked.system == asks.system
        && before.ended_ms <= call.begun_ms;
    if !is_same {
        return None;
    }
    let reply = match &before.outcome {
        Outcome::Open => return None,
        Outcome::Failed(_) => return (asked.messages == asks.messages).then_some(Continuation::Attempt),
        Outcome::Replied(reply) => reply,
    };
    let rest = asks.messages.strip_prefix(&asked.messages[..])?;
    let (answer, rest) = rest.split_first()?;
    if !is_reply(answer, reply) {
        return None;
    }
    let has_results = rest.iter().any(|message| message.role == Role::Tool);
    let results = rest.iter().take_while(|message| message.role == Role::Tool).count();
    match &rest[results..] {
        [] if has_results && !reply.tool_calls.is_empty() => Some(Continuation::Step),
        [next] if next.role == Role::User && !has_results => Some(Continuation::Turn(next.text.clone())),
        _ => None,
    }
}

/// A reply as a message of the next request.
pub(crate) fn reply_message(reply: &ModelReply) -> Said {
    Said { tool_calls: reply.tool_calls.clone(), ..Said::new(Role::Assistant, reply.text.clone()) }
}

/// Whether a message is what the model replied. Protocols without ids of calls number them.
fn is_reply(message: &Said, reply: &ModelReply) -> bool {
    let calls = message.tool_calls.iter().zip(&reply.tool_calls);
    message.role == Role::Assistant
        && message.text.trim() == reply.text.trim()
        && message.tool_calls.len() == reply.tool_calls.len()
        && calls
            .into_iter()
            .all(|(said, called)| said.name == called.name && said.arguments == called.arguments)
}

#[cfg(test)]
mod tests;
