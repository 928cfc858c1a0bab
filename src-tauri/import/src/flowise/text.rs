//! Texts of agentflows, with the names of values in them.

use super::super::builder::Output;
use super::super::template::TemplateText;
use super::agentflow::OUTPUT;
use super::markdown::plain_text;
use super::{LOOP, Reader};

impl Reader<'_> {
    /// A text of an agentflow as a template.
    pub(super) fn template(&mut self, at: usize, text: &str) -> TemplateText {
        let text = plain_text(text);
        let mut template = TemplateText::default();
        let mut rest = text.as_str();
        while let Some(start) = rest.find("{{") {
            let Some(length) = rest[start..].find("}}") else { break };
            template.push_text(&rest[..start]);
            // Editors of earlier versions escape underscores in names.
            let name = rest[start + 2..start + length].trim().replace('\\', "");
            let name = name.as_str();
            if let Some((output, path)) = self.named(at, name) {
                let last = name.rsplit('.').next().unwrap_or(name);
                let is_own_name = path.is_empty() && last != "instance";
                let variable = if is_own_name { last.to_owned() } else { output.node.to_string() };
                template.push_value(&variable, &output, &path);
            } else {
                let node = &self.graph.nodes[at];
                let missing = self.builder.add_missing_value(node.id, node.title, name, node.at);
                template.push_value("missing", &missing, &[]);
            }
            rest = &rest[start + length + 2..];
        }
        template.push_text(rest);
        template
    }

    /// The value that a name stands for.
    pub(super) fn named(&mut self, at: usize, name: &str) -> Option<(Output, Vec<String>)> {
        let path = |rest: &str| -> Vec<String> {
            rest.split('.').filter(|step| !step.is_empty()).map(str::to_owned).collect()
        };
        if name == "question" {
            return Some((self.question(at), Vec::new()));
        }
        if let Some(rest) = name.strip_prefix("$form.") {
            return self.form.clone().map(|form| (form, path(rest)));
        }
        if let Some(rest) = name.strip_prefix("$flow.state.") {
            let mut steps = path(rest);
            if steps.is_empty() {
                return None;
            }
            let key = steps.remove(0);
            let (output, base) = self.state.get(&key)?.clone();
            return Some((output, base.into_iter().chain(steps).collect()));
        }
        if let Some(rest) = name.strip_prefix("$iteration") {
            let parent = self.graph.find(self.graph.nodes[at].parent?)?;
            let container = self.output(parent, LOOP)?;
            return Some((Output::new(&container.node, "item"), path(rest)));
        }
        // What a node sets the state to may be of its own reply.
        if name == OUTPUT {
            return Some((self.output(at, "")?, Vec::new()));
        }
        if let Some(rest) = name.strip_prefix("output.") {
            return Some((self.output_as_json(at)?, path(rest)));
        }
        let (node, rest) = name.split_once('.').unwrap_or((name, ""));
        let rest = rest.strip_prefix("output").unwrap_or(rest);
        let rest = rest.strip_prefix("data.instance").unwrap_or(rest);
        let source = self.graph.find(node)?;
        let mut steps = path(rest);
        match (self.graph.nodes[source].kind, steps.first().map(String::as_str)) {
            ("startAgentflow", Some("question")) => return Some((self.question.clone()?, Vec::new())),
            ("startAgentflow", Some("form")) => return Some((self.form.clone()?, steps.split_off(1))),
            ("startAgentflow", _) => return None,
            ("iterationAgentflow", Some("iterationResults")) => {
                let container = self.output(source, LOOP)?;
                return Some((Output::new(&container.node, "results"), steps.split_off(1)));
            }
            ("httpAgentflow", Some("http")) => {
                let part = steps.get(1).cloned().unwrap_or_default();
                let part = if part == "data" { "" } else { part.as_str() };
                let output = self.outputs.get(&(source, part.to_owned()))?.clone();
                return Some((output, steps.into_iter().skip(2).collect()));
            }
            _ => {}
        }
        // Fields of a reply that has a schema.
        let structured = self.output(source, "structured").filter(|output| output.port == "structured");
        match structured.filter(|_| !steps.is_empty() && steps != ["content"]) {
            Some(structured) => Some((structured, steps)),
            None => {
                Some((self.output(source, "")?, steps.into_iter().filter(|step| step != "content").collect()))
            }
        }
    }
}
