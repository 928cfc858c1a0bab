//! Texts of Flowise: what its editor stores as HTML, and the names of values in them.

use super::super::builder::Output;
use super::super::template::TemplateText;
use super::Reader;

impl Reader<'_> {
    /// A text of an agentflow as a template.
    pub(super) fn template(&mut self, at: usize, text: &str) -> TemplateText {
        let text = plain_text(text);
        let mut template = TemplateText::default();
        let mut rest = text.as_str();
        while let Some(start) = rest.find("{{") {
            let Some(length) = rest[start..].find("}}") else { break };
            template.push_text(&rest[..start]);
            let name = rest[start + 2..start + length].trim();
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
            let container = self.output(parent, "")?;
            return Some((Output::new(&container.node, "item"), path(rest)));
        }
        let (node, rest) = name.split_once('.').unwrap_or((name, ""));
        let rest = rest.strip_prefix("output").unwrap_or(rest);
        let rest = rest.strip_prefix("data.instance").unwrap_or(rest);
        let source = self.graph.find(node)?;
        let steps = path(rest);
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

/// The text of HTML as Flowise's editor writes it. Text that is no HTML stays as it is.
pub(super) fn plain_text(html: &str) -> String {
    if !html.trim_start().starts_with('<') {
        return html.to_owned();
    }
    let mut text = String::new();
    let mut rest = html;
    while let Some(start) = rest.find('<') {
        text.push_str(&rest[..start]);
        let Some(length) = rest[start..].find('>') else { break };
        let tag = rest[start + 1..start + length].trim();
        let name: String = tag.chars().take_while(|one| one.is_ascii_alphanumeric() || *one == '/').collect();
        match name.to_lowercase().as_str() {
            "br" | "br/" | "/p" | "/li" | "/h1" | "/h2" | "/h3" | "/h4" | "/pre" | "/ol" | "/ul" => {
                text.push('\n');
            }
            "li" => text.push_str("- "),
            _ => {}
        }
        rest = &rest[start + length + 1..];
    }
    text.push_str(rest);
    let decoded = text
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&#39;", "'")
        .replace("&nbsp;", " ")
        .replace("&amp;", "&");
    decoded.trim().to_owned()
}
