//! n8n's HTTP requests.

use serde_json::{Map, Value, json};

use super::super::draft::Output;
use super::super::settings::Settings;
use super::super::template::TemplateText;
use super::{Reader, Shape};

impl Reader<'_> {
    pub(super) fn http_request(
        &mut self,
        at: usize,
        settings: &Settings<'_>,
        input: Option<&Shape>,
    ) -> Vec<Option<Shape>> {
        let node = &self.workflow.nodes[at];
        let method = settings.text("/method").or_else(|| settings.text("/requestMethod")).unwrap_or("GET");
        if !["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"].contains(&method) {
            return self.placeholder(at, "Its method is none that Plait sends.");
        }
        let mut all = TemplateText::default();
        let url = settings.text("/url").unwrap_or_default();
        let url = self.template(at, url, input);
        let has_variable_host = !url.is_constant() && !url.source().starts_with("http");
        let mut config = json!({ "method": method });
        if !has_variable_host {
            config["url"] = part_of(&mut all, &url);
        }
        let query = self.pairs(
            at,
            settings,
            input,
            &mut all,
            "/sendQuery",
            &["/queryParameters/parameters", "/queryParametersUi/parameter"],
        );
        let headers = self.pairs(
            at,
            settings,
            input,
            &mut all,
            "/sendHeaders",
            &["/headerParameters/parameters", "/headerParametersUi/parameter"],
        );
        let headers: Map<String, Value> = headers
            .into_iter()
            .filter(|(name, _)| {
                !["content-type", "content-length", "host"].contains(&name.to_lowercase().as_str())
            })
            .collect();
        config["query"] = query.into();
        config["headers"] = headers.into();
        let mut body = None;
        let sends_body = !matches!(method, "GET" | "HEAD");
        let text = settings.text("/jsonBody").or_else(|| settings.text("/bodyParametersJson"));
        if let Some(text) = text.filter(|_| sends_body) {
            let template = self.template(at, text, input);
            let before = all.clone();
            let source = part_of(&mut all, &template);
            match source.as_str().and_then(|source| serde_json::from_str::<Value>(source).ok()) {
                Some(value) => config["body"] = value,
                None => {
                    all = before;
                    body = Some(template);
                }
            }
        } else if sends_body {
            let fields = self.pairs(
                at,
                settings,
                input,
                &mut all,
                "/sendBody",
                &["/bodyParameters/parameters", "/bodyParametersUi/parameter"],
            );
            if !fields.is_empty() {
                config["body"] = fields.into();
            }
        }
        settings.ignore_all(&[
            "/specifyBody",
            "/contentType",
            "/specifyHeaders",
            "/specifyQuery",
            "/jsonParameters",
            "/sendBody",
            "/options/response",
            "/options/redirect",
            "/nodeCredentialType",
            "/genericAuthType",
        ]);
        if settings.text("/authentication").is_some_and(|kind| kind != "none") {
            let lost = "Its credentials: add a header with a secret of the settings, such as `${NAME}`.";
            self.draft.lose(node.name, lost);
        }
        let id = self.draft.add(node.name, node.name, "httpRequest", config, node.at);
        if has_variable_host {
            let url = self.text_output(at, &format!("{}: address", node.name), &url);
            self.draft.connect(&url, &id, "url");
        }
        if let Some(body) = body {
            let text = self.text_output(at, &format!("{}: body text", node.name), &body);
            let title = format!("{}: body", node.name);
            let config = json!({ "query": "fromjson" });
            let parse = self.draft.add(node.name, &title, "json", config, node.at.beside(0.0, 1.0));
            self.draft.connect(&text, &parse, "value");
            self.draft.connect(&Output::new(&parse, "result"), &id, "body");
        }
        self.draft.feed(&all, &id);
        vec![Some(Shape::object(Output::new(&id, "body")))]
    }

    /// Names with their values, as templates that share their variables.
    fn pairs(
        &mut self,
        at: usize,
        settings: &Settings<'_>,
        input: Option<&Shape>,
        all: &mut TemplateText,
        switch: &str,
        pointers: &[&str],
    ) -> Map<String, Value> {
        settings.ignore(switch);
        let mut pairs = Map::new();
        for entry in pointers.iter().flat_map(|pointer| settings.items(pointer)) {
            let Some(name) = entry.get("name").and_then(Value::as_str).filter(|name| !name.is_empty()) else {
                continue;
            };
            let value = match entry.get("value") {
                Some(Value::String(text)) => text.clone(),
                Some(other) => other.to_string(),
                None => String::new(),
            };
            let template = self.template(at, &value, input);
            pairs.insert(name.to_owned(), part_of(all, &template));
        }
        pairs
    }
}

/// Adds a template to the one of the whole request. Returns its text with the names that its variables have there.
fn part_of(all: &mut TemplateText, part: &TemplateText) -> Value {
    let before = all.source().len();
    all.push(part);
    // Requests know no escapes, and no braces but those of variables.
    all.source()[before..].trim_start().replace("\\{{", "{ {").into()
}
