//! What must be in contexts, memory and requests, step by step in plan order, as the design says it:
//!
//! - A node that takes a message adds it to its context together with its answer. A message that the context has is not added again.
//! - A request has what was said in its context, and in the loop around it, once and in order; then the message to answer.
//! - What the memory has and the request has not stands in the block before the message.

use proptest::prelude::*;

use super::flow::{AnyFlow, ITERATIONS, Kind, Place, Source, Step};
use super::played::Played;

/// A role and a text.
pub(super) type Line = (String, String);

/// Something that was said in a context or in a loop.
#[derive(Clone)]
struct Said {
    line: Line,
    /// When, among all that was said.
    at: usize,
    /// Whether it was added by a node that does not speak in the conversation of a loop.
    is_addition: bool,
}

pub(super) struct Reference<'a> {
    flow: &'a AnyFlow,
    contexts: [Vec<Said>; 3],
    /// What each context edge brings.
    edges: [Option<String>; 3],
    /// What those bring that lead from the steps before the loop to those after it.
    before: [Option<String>; 3],
    outputs: Vec<Option<String>>,
    pub(super) memory: Vec<String>,
    /// The turns of the loop, if its conversation is under way, and how much each context had before.
    turns: Option<(Vec<Said>, [usize; 3])>,
    /// What the first step of a place gets.
    start: String,
    count: usize,
}

fn line(role: &str, text: &str) -> Line {
    (role.to_owned(), text.to_owned())
}

/// The names of what was said in a text, in order.
fn names(text: &str) -> Vec<&str> {
    let kinds = ["Asked", "Reply", "Result", "Note", "Answer", "Own"];
    let is_number = |rest: &str| rest.starts_with(|first: char| first.is_ascii_digit());
    let is_name = |word: &&str| kinds.iter().any(|kind| word.strip_prefix(kind).is_some_and(is_number));
    text.split(|c: char| !c.is_alphanumeric()).filter(is_name).collect()
}

impl<'a> Reference<'a> {
    pub(super) fn new(flow: &'a AnyFlow) -> Self {
        Self {
            flow,
            contexts: Default::default(),
            edges: Default::default(),
            before: Default::default(),
            outputs: vec![None; flow.steps.len()],
            memory: Vec::new(),
            turns: None,
            start: "Asked0".to_owned(),
            count: 0,
        }
    }

    pub(super) fn history(&self, context: usize) -> Vec<Line> {
        self.contexts[context].iter().map(|said| said.line.clone()).collect()
    }

    pub(super) fn play(&mut self, played: &Played) -> Result<(), TestCaseError> {
        self.play_place(Place::Before, "", played)?;
        self.before = std::mem::take(&mut self.edges);
        if !self.flow.has_loop() {
            return Ok(());
        }
        if let Some(last) = self.last_output(Place::Before) {
            self.start = last;
        }
        if self.flow.is_nested {
            for iteration in 0..ITERATIONS {
                self.play_loop(&format!("#{iteration}"), played)?;
            }
        } else {
            self.play_loop("", played)?;
        }
        self.edges = self.before.clone();
        self.play_place(Place::After, "", played)
    }

    /// Plays the loop once, in an iteration of the loop around it.
    fn play_loop(&mut self, epoch: &str, played: &Played) -> Result<(), TestCaseError> {
        if self.flow.is_conversation {
            let begins = Said { line: line("user", &self.start), at: self.next(), is_addition: false };
            self.turns = Some((vec![begins], [0, 1, 2].map(|context: usize| self.contexts[context].len())));
        }
        for iteration in 0..ITERATIONS {
            self.edges = Default::default();
            self.play_place(Place::Inside, &format!("{epoch}#{iteration}"), played)?;
            if let Some(last) = self.last_output(Place::Inside) {
                self.start = last;
            }
        }
        self.turns = None;
        Ok(())
    }

    fn last_output(&self, place: Place) -> Option<String> {
        let at = self.flow.steps.iter().rposition(|step| step.place == place && step.output().is_some())?;
        self.outputs[at].clone()
    }

    fn play_place(&mut self, place: Place, epoch: &str, played: &Played) -> Result<(), TestCaseError> {
        let flow = self.flow;
        for (at, step) in flow.steps.iter().enumerate().filter(|(_, step)| step.place == place) {
            self.play_step(at, step, epoch, played)?;
        }
        Ok(())
    }

    fn next(&mut self) -> usize {
        self.count += 1;
        self.count
    }

    /// Adds to a context what it does not have.
    fn record(&mut self, step: &Step, role: &str, text: &str) {
        if self.has(step.context, text) {
            return;
        }
        let is_addition = matches!(step.kind, Kind::Child | Kind::Inject { .. });
        let said = Said { line: line(role, text), at: self.next(), is_addition };
        self.contexts[step.context].push(said);
    }

    fn has(&self, context: usize, text: &str) -> bool {
        self.contexts[context].iter().any(|said| said.line.1 == text)
    }

    fn take_turn(&mut self, role: &str, text: &str) {
        let at = self.next();
        if let Some((turns, _)) = &mut self.turns {
            turns.push(Said { line: line(role, text), at, is_addition: false });
        }
    }

    fn play_step(
        &mut self,
        at: usize,
        step: &Step,
        epoch: &str,
        played: &Played,
    ) -> Result<(), TestCaseError> {
        let edge = self.edges[step.context].clone();
        let question = match &step.source {
            Source::Edge => edge.clone(),
            Source::Start => Some(self.start.clone()),
            Source::Step(source) => self.outputs[*source].clone(),
        };
        let question = question.unwrap_or_default();
        let said = played.output(step, epoch);
        match step.kind {
            Kind::Failing => {}
            Kind::Chat { own_words, skips_history } => {
                let asked = if own_words { step.own_prompt(&question) } else { question.clone() };
                self.check_request(step, epoch, (&question, &asked), played)?;
                let reply = said.clone().unwrap_or_default();
                if !skips_history {
                    self.record(step, "user", &asked);
                    self.record(step, "assistant", &reply);
                }
                if step.uses_memory {
                    for text in [&question, &reply] {
                        if !self.memory.contains(text) {
                            self.memory.push(text.clone());
                        }
                    }
                }
                self.take_turn("assistant", &reply);
                self.edges[step.context] = Some(reply);
            }
            Kind::SideQuery { adds, .. } => {
                let sent = &played.requests[&format!("{}{epoch}", step.name)];
                prop_assert_eq!(sent, &vec![line("user", &question)]);
                if adds {
                    self.record(step, "user", &question);
                    let reply = played.reply(step, epoch).unwrap_or_default();
                    self.record(step, "assistant", &reply);
                }
            }
            Kind::Child => {
                let result = said.clone().unwrap_or_default();
                self.record(step, "user", &question);
                self.record(step, "assistant", &result);
                self.edges[step.context] = Some(result);
            }
            Kind::Inject { ends_with_user, count } => {
                if let Some(waiting) = edge.filter(|_| ends_with_user) {
                    self.record(step, "user", &waiting);
                }
                for number in 0..count {
                    let text = step.injected(number, &epoch.trim_start_matches('#').replace('#', "x"));
                    self.record(step, step.role_of_injected(number), &text);
                    if ends_with_user {
                        self.edges[step.context] = Some(text);
                    }
                }
            }
            Kind::Person { adds } => {
                let words = said.clone().unwrap_or_default();
                if adds {
                    self.record(step, "user", &words);
                }
                self.take_turn("user", &words);
                self.edges[step.context] = Some(words);
            }
        }
        self.outputs[at] = said;
        Ok(())
    }

    /// What was said so far that a request in this context has, in order.
    fn carried(&self, context: usize) -> Vec<Line> {
        let all = &self.contexts[context];
        let Some((turns, before)) = &self.turns else {
            return all.iter().map(|said| said.line.clone()).collect();
        };
        let (earlier, later) = all.split_at(before[context]);
        let additions = later.iter().filter(|said| said.is_addition);
        let mut whole: Vec<&Said> = Vec::new();
        // The conversation of the loop begins with its first turn, also where that was said before.
        for said in turns.iter().chain(earlier).chain(additions) {
            if !whole.iter().any(|known| known.line.1 == said.line.1) {
                whole.push(said);
            }
        }
        whole.sort_by_key(|said| said.at);
        whole.into_iter().map(|said| said.line.clone()).collect()
    }

    fn check_request(
        &self,
        step: &Step,
        epoch: &str,
        (question, asked): (&str, &str),
        played: &Played,
    ) -> Result<(), TestCaseError> {
        let at = format!("{}{epoch}", step.name);
        let sent = &played.requests[&at];
        let what = || format!("{at} of {:#?}\n{}", self.flow.steps, played.nodes);
        let others = |lines: &[Line]| -> Vec<Line> {
            lines.iter().filter(|(_, text)| text != question).cloned().collect()
        };
        let (last, rest) = sent.split_last().unwrap();
        let carried = self.carried(step.context);
        prop_assert_eq!(others(rest), others(&carried), "{}", what());
        // A prompt of its own may quote a message of the context.
        let repeats = rest.len() - others(rest).len();
        prop_assert!(repeats <= usize::from(asked != question), "{}", what());
        let mut expected: Vec<&str> = Vec::new();
        if step.uses_memory {
            // A prompt of its own has what it contains.
            let has = |known: &str, text: &str| names(text).iter().all(|name| names(known).contains(name));
            let missing =
                |text: &&String| *text != question && !carried.iter().any(|(_, known)| has(known, text));
            expected.extend(self.memory.iter().filter(missing).flat_map(|text| names(text)));
        }
        expected.extend(names(asked));
        prop_assert_eq!((last.0.as_str(), names(&last.1)), ("user", expected), "{}", what());
        Ok(())
    }
}
