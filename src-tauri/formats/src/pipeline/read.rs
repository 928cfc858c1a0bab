//! Checks a tree of YAML against the format and turns it into steps. Reports all problems it finds, each with its place.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::document::{
    Agent, AgentRef, AgentStep, ConditionalStep, Document, HitlStep, KINDS, Loop, LoopStep, ParallelStep,
    VERSION,
};
use super::keys::Keys;
use super::order;
use super::problem::{Problem, suggest};
use super::references;
use super::steps::{Branch, Pipeline, Step, StepKind};
use super::yaml::{MappingEntry, Yaml, below, shorten};
use crate::codes;
use plait_core::error::ErrorCode;
use plait_core::flow::{FlowSettings, MemorySettings, TreeLimits};
use plait_run::node::type_hint;

/// Names that mean something else.
const RESERVED_NAMES: &[&str] = &["input", "previous", "index", "item", "message", "in", "hitl"];
/// The maximum length of a name.
const MAX_NAME_CHARS: usize = 100;

/// Reads a tree. Without problems, all agents and steps that are named exist and all names are unique.
pub(super) fn read(root: &Yaml) -> Result<Pipeline, Vec<Problem>> {
    let mut reader = Reader {
        root,
        problems: Vec::new(),
        names: HashMap::new(),
        agents: Vec::new(),
        keys: HashMap::new(),
    };
    let pipeline = reader.document();
    match pipeline {
        Some(pipeline) if reader.problems.is_empty() => Ok(pipeline),
        _ => {
            reader.problems.sort_by_key(|problem| problem.range.start);
            Err(reader.problems)
        }
    }
}

struct Reader<'y> {
    root: &'y Yaml,
    problems: Vec<Problem>,
    /// The names of steps, with the pointer of each.
    names: HashMap<String, String>,
    agents: Vec<(String, Agent)>,
    keys: HashMap<&'static str, Rc<Keys>>,
}

impl Reader<'_> {
    fn document(&mut self) -> Option<Pipeline> {
        let root = self.root;
        if !root.is_mapping() {
            self.report(
                codes::PIPELINE_WRONG_TYPE,
                "",
                "A pipeline is a mapping with `version` and `steps`.",
            )
            .hint = Some("`plait new my.yaml` writes one to start from.".to_owned());
            return None;
        }
        self.version();
        if let Some(agents) = root.get("agents") {
            self.read_agents(agents);
        }
        let document: Option<Document> = self.part(root, "");
        if let Some(settings) = root.get("settings") {
            self.check_settings(settings);
        }
        let steps = match root.get("steps") {
            Some(steps) => self.steps(steps, "/steps"),
            None => Vec::new(),
        };
        let pipeline = Pipeline { document: document?, agents: std::mem::take(&mut self.agents), steps };
        self.problems.extend(references::check(root, &pipeline));
        // Steps with problems are not among them, so names of these would count as unknown.
        if self.problems.is_empty() {
            self.problems.extend(order::check(root, &pipeline.steps));
        }
        Some(pipeline)
    }

    fn version(&mut self) {
        let found = self.root.get("version").and_then(Yaml::text);
        // A missing one is reported with the other keys.
        if let Some(found) = found.filter(|found| *found != VERSION) {
            let message =
                format!("The version of the format is `{}`; this Plait reads {VERSION}.", shorten(found));
            let hint =
                format!("Write `version: \"{VERSION}\"`, or update Plait if a newer one wrote the file.");
            self.report(codes::PIPELINE_VERSION, "/version", message).hint = Some(hint);
        }
    }

    fn read_agents(&mut self, agents: &Yaml) {
        if !agents.is_mapping() {
            // Reported with the types of the document's keys.
            self.wrong_type("/agents", "`agents` is a mapping from names to settings.");
            return;
        }
        for MappingEntry { key, value, .. } in agents.entries() {
            let pointer = below("/agents", key);
            self.check_name(key, &pointer);
            if let Some(agent) = self.part::<Agent>(value, &pointer) {
                self.agents.push((key.clone(), agent));
            }
        }
    }

    fn steps(&mut self, steps: &Yaml, pointer: &str) -> Vec<Step> {
        if !steps.is_sequence() {
            self.wrong_type(pointer, "Steps are a list: each begins with `- kind:`.");
            return Vec::new();
        }
        if steps.items().is_empty() {
            self.report(codes::PIPELINE_EMPTY, pointer, "There are no steps.").hint =
                Some("Add at least one, for example `- kind: step` with a `name`.".to_owned());
        }
        let items = steps.items().iter().enumerate();
        items.filter_map(|(index, step)| self.step(step, &below(pointer, index))).collect()
    }

    fn step(&mut self, yaml: &Yaml, pointer: &str) -> Option<Step> {
        if !yaml.is_mapping() {
            self.wrong_type(pointer, "A step is a mapping with `kind` and `name`.");
            return None;
        }
        let Some(kind) = yaml.get("kind") else {
            let message = "This step has no `kind`.";
            let hint = format!("Add one of: {}.", KINDS.join(", "));
            self.report(codes::PIPELINE_MISSING_KEY, pointer, message).hint = Some(hint);
            return None;
        };
        let kind_name = kind.text().unwrap_or_default();
        if !KINDS.contains(&kind_name) {
            let message = format!("There is no kind of step `{}`.", shorten(kind_name));
            let hint = suggest(kind_name, "kinds", KINDS.iter().copied());
            self.report(codes::PIPELINE_UNKNOWN_KIND, &below(pointer, "kind"), message).hint = Some(hint);
            return None;
        }
        let name = yaml.get("name").and_then(Yaml::text).map(str::to_owned);
        if let Some(name) = &name {
            self.declare(name, pointer);
        }
        let kind = match kind_name {
            "step" => self.part::<AgentStep>(yaml, pointer).map(|step| self.agent_step(step, yaml, pointer)),
            "hitl" => self.part::<HitlStep>(yaml, pointer).map(StepKind::Hitl),
            "loop" => self.loop_step(yaml, pointer),
            "parallel" => self.parallel_step(yaml, pointer),
            _ => self.conditional_step(yaml, pointer),
        };
        Some(Step { name: name?, pointer: pointer.to_owned(), kind: kind? })
    }

    /// An agent step. Its inline agent is read separately, so that problems in it have their places.
    fn agent_step(&mut self, mut step: AgentStep, yaml: &Yaml, pointer: &str) -> StepKind {
        match (yaml.get("agent"), &step.agent) {
            (Some(agent), _) if agent.is_mapping() => {
                if let Some(agent) = self.part::<Agent>(agent, &below(pointer, "agent")) {
                    step.agent = Some(AgentRef::Inline(Box::new(agent)));
                }
            }
            (Some(_), Some(AgentRef::Name(name))) if !self.is_agent(name) => {
                self.unknown_agent(name, &below(pointer, "agent"));
            }
            _ => {}
        }
        StepKind::Agent(step)
    }

    fn loop_step(&mut self, yaml: &Yaml, pointer: &str) -> Option<StepKind> {
        let step: Option<LoopStep> = self.part(yaml, pointer);
        let settings = yaml.get("loop")?;
        let below_loop = below(pointer, "loop");
        if !settings.is_mapping() {
            self.wrong_type(&below_loop, "`loop` is a mapping with the settings of the loop and its `body`.");
            return None;
        }
        let read: Option<Loop> = self.part(settings, &below_loop);
        let body = match settings.get("body") {
            Some(body) => self.steps(body, &below(&below_loop, "body")),
            None => Vec::new(),
        };
        let mut config = match settings.to_json() {
            Value::Object(config) => config,
            _ => serde_json::Map::new(),
        };
        config.remove("body");
        config.remove("items");
        config.remove("quota");
        let read = read?;
        if let Some(agent) = &read.history_management.summarizer_agent
            && !self.is_agent(agent.as_str())
        {
            self.unknown_agent(agent.as_str(), &format!("{below_loop}/history_management/summarizer_agent"));
        }
        Some(StepKind::Loop { step: step?, settings: Box::new(read), config, body })
    }

    fn parallel_step(&mut self, yaml: &Yaml, pointer: &str) -> Option<StepKind> {
        let step: Option<ParallelStep> = self.part(yaml, pointer);
        let branches = self.branches(yaml.get("branches")?, &below(pointer, "branches"));
        if branches.len() == 1 {
            let message = "A `parallel` step has at least two branches.";
            self.report(codes::PIPELINE_EMPTY, &below(pointer, "branches"), message).hint =
                Some("Add a branch, or write its steps without `parallel`.".to_owned());
        }
        Some(StepKind::Parallel(step?, branches))
    }

    fn conditional_step(&mut self, yaml: &Yaml, pointer: &str) -> Option<StepKind> {
        let step: Option<ConditionalStep> = self.part(yaml, pointer);
        let branches = self.branches(yaml.get("branches")?, &below(pointer, "branches"));
        Some(StepKind::Conditional(step?, branches))
    }

    fn branches(&mut self, branches: &Yaml, pointer: &str) -> Vec<Branch> {
        if !branches.is_mapping() {
            self.wrong_type(pointer, "`branches` is a mapping from names to lists of steps.");
            return Vec::new();
        }
        if branches.entries().is_empty() {
            self.report(codes::PIPELINE_EMPTY, pointer, "There are no branches.").hint =
                Some("Add a name with a list of steps.".to_owned());
        }
        let mut read = Vec::new();
        for MappingEntry { key, value, .. } in branches.entries() {
            let below_branch = below(pointer, key);
            self.check_name(key, &below_branch);
            read.push(Branch { name: key.clone(), steps: self.steps(value, &below_branch) });
        }
        read
    }

    /// Reads a part of the document. The keys are those of its schema; serde reports problems with values.
    fn part<T: DeserializeOwned + JsonSchema>(&mut self, yaml: &Yaml, pointer: &str) -> Option<T> {
        if !yaml.is_mapping() && !yaml.is_null() {
            self.wrong_type(pointer, "This is a mapping: `key: value`, one on each line.");
            return None;
        }
        let keys = self.check_keys::<T>(yaml, pointer);
        let known: HashSet<&str> = keys.names.iter().map(String::as_str).collect();
        let missing: Vec<&str> =
            keys.required.iter().map(String::as_str).filter(|key| yaml.get(key).is_none()).collect();
        for key in &missing {
            let message = format!("The key `{key}` is missing here.");
            self.report(codes::PIPELINE_MISSING_KEY, pointer, message);
        }
        if !missing.is_empty() {
            return None;
        }
        let mut value = match yaml.to_json() {
            Value::Null => Value::Object(serde_json::Map::new()),
            value => value,
        };
        // These are read separately.
        if let Value::Object(map) = &mut value {
            map.retain(|key, _| known.contains(key.as_str()));
            for key in ["name", "title", "after"] {
                // A name of digits is a number in YAML.
                if let Some(text) = map.get_mut(key).filter(|value| value.is_number() || value.is_boolean()) {
                    *text = Value::String(yaml.get(key).and_then(Yaml::text).unwrap_or_default().to_owned());
                }
            }
            if let Some(Value::Array(names)) = map.get_mut("after") {
                let texts = yaml.get("after").map(Yaml::items).unwrap_or_default();
                for (name, text) in names.iter_mut().zip(texts).filter(|(name, _)| name.is_number()) {
                    *name = text.text().unwrap_or_default().into();
                }
            }
        }
        match serde_path_to_error::deserialize(value) {
            Ok(part) => Some(part),
            Err(error) => {
                let mut place = pointer.to_owned();
                for segment in error.path() {
                    match segment {
                        serde_path_to_error::Segment::Seq { index } => place = below(&place, index),
                        serde_path_to_error::Segment::Map { key } => place = below(&place, key),
                        _ => {}
                    }
                }
                let inner = error.inner().to_string();
                let message = format!("This value does not fit: {}.", inner.trim_end_matches('.'));
                self.report(codes::PIPELINE_WRONG_TYPE, &place, message).hint = value_hint(&inner);
                None
            }
        }
    }

    /// Reports the keys that a part cannot have. Returns those that it may have.
    fn check_keys<T: JsonSchema>(&mut self, yaml: &Yaml, pointer: &str) -> Rc<Keys> {
        let keys = Rc::clone(
            self.keys.entry(std::any::type_name::<T>()).or_insert_with(|| Rc::new(Keys::of::<T>())),
        );
        let known: HashSet<&str> = keys.names.iter().map(String::as_str).collect();
        for entry in yaml.entries() {
            if !known.contains(entry.key.as_str()) {
                let message = format!("There is no key `{}` here.", shorten(&entry.key));
                let hint = suggest(&entry.key, "keys", keys.names.iter().map(String::as_str));
                let place = below(pointer, &entry.key);
                let mut problem =
                    Problem::new(codes::PIPELINE_UNKNOWN_KEY, entry.key_range.clone(), message).hint(hint);
                problem.diagnostic.pointer = place;
                self.problems.push(problem);
            }
        }
        keys
    }

    /// The settings of the flow. What reads flows keeps unknown keys; here they are mistakes.
    fn check_settings(&mut self, settings: &Yaml) {
        self.check_keys::<FlowSettings>(settings, "/settings");
        if let Some(memory) = settings.get("memory") {
            self.check_keys::<MemorySettings>(memory, "/settings/memory");
        }
        if let Some(limits) = settings.get("limits") {
            self.check_keys::<TreeLimits>(limits, "/settings/limits");
        }
    }

    /// Remembers the name of a step.
    fn declare(&mut self, name: &str, pointer: &str) {
        let place = below(pointer, "name");
        self.check_name(name, &place);
        if RESERVED_NAMES.contains(&name) {
            let message = format!(
                "A step cannot be called `{name}`: the name means something else in prompts and loops."
            );
            self.report(codes::PIPELINE_INVALID_NAME, &place, message).hint =
                Some("Give it another name.".to_owned());
        }
        if self.names.insert(name.to_owned(), pointer.to_owned()).is_some() {
            let message = format!("The name `{}` is used twice.", shorten(name));
            self.report(codes::PIPELINE_DUPLICATE_NAME, &place, message).hint =
                Some("Names are unique in the whole pipeline. Rename one of the two.".to_owned());
        }
    }

    fn check_name(&mut self, name: &str, place: &str) {
        let valid = !name.is_empty()
            && name.chars().count() <= MAX_NAME_CHARS
            && name.chars().all(|character| character.is_alphanumeric() || "_-".contains(character));
        if !valid {
            let message = format!("`{}` is not a name.", shorten(name));
            let hint = format!(
                "Names have letters, digits, `_` and `-`, at most {MAX_NAME_CHARS}. People see the `title`."
            );
            self.report(codes::PIPELINE_INVALID_NAME, place, message).hint = Some(hint);
        }
    }

    /// Whether there is an agent with a name, even if its definition has problems.
    fn is_agent(&self, name: &str) -> bool {
        self.root.get("agents").is_some_and(|agents| agents.entry(name).is_some())
    }

    fn unknown_agent(&mut self, name: &str, place: &str) {
        let agents = self.root.get("agents").map(Yaml::entries).unwrap_or_default();
        let hint = suggest(name, "agents", agents.iter().map(|agent| agent.key.as_str()));
        let message = format!("There is no agent `{}`.", shorten(name));
        self.report(codes::PIPELINE_UNKNOWN_AGENT, place, message).hint = Some(hint);
    }

    fn wrong_type(&mut self, place: &str, message: &str) {
        // The same may have been found with the keys around it.
        let known = |problem: &Problem| problem.diagnostic.pointer == place;
        if !self.problems.iter().any(known) {
            self.report(codes::PIPELINE_WRONG_TYPE, place, message);
        }
    }

    fn report(
        &mut self,
        code: ErrorCode,
        pointer: &str,
        message: impl Into<String>,
    ) -> &mut plait_core::diagnostic::Diagnostic {
        let range = self.root.place(pointer);
        let index = self.problems.len();
        self.problems.push(Problem::new(code, range, message).pointer(pointer));
        &mut self.problems[index].diagnostic
    }
}

/// What was probably meant by an unknown variant or a value of another type, from the message of serde.
fn value_hint(message: &str) -> Option<String> {
    if let Some(hint) = type_hint(message) {
        return Some(hint);
    }
    let (name, known) = message.strip_prefix("unknown variant `")?.split_once("`, expected ")?;
    let known: Vec<&str> = known.split('`').skip(1).step_by(2).collect();
    Some(suggest(name, "values", known.iter().copied()))
}
