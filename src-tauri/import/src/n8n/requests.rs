//! n8n's HTTP requests.

use serde_json::{Value, json};

use super::super::builder::Output;
use super::super::http_request::{Body, CREDENTIALS_LOST, HttpRequest, ONLY_JSON, Pairs};
use super::super::settings::Settings;
use super::{Reader, Shape, Shapes};
use plait_core::id::NodeId;

impl Reader<'_> {
    pub(super) fn http_request(
        &mut self,
        at: usize,
        settings: &Settings<'_>,
        input: Option<&Shape>,
    ) -> Shapes {
        let node = &self.workflow.nodes[at];
        let method = settings.text("/method").or_else(|| settings.text("/requestMethod")).unwrap_or("GET");
        // Since version 3, switches say what is sent.
        let is_first = node.version < 3.0;
        let sends = |switch: &str| is_first || settings.flag(switch);
        let (sends_query, sends_headers, sends_body) =
            (sends("/sendQuery"), sends("/sendHeaders"), sends("/sendBody"));
        let mut request = HttpRequest {
            method: method.to_owned(),
            url: self.template(at, settings.text("/url").unwrap_or_default(), input),
            ..HttpRequest::default()
        };
        if sends_query {
            let names = ["/queryParameters/parameters", "/queryParametersUi/parameter"];
            request.query = self.pairs(at, settings, input, &names);
        }
        if sends_headers {
            let names = ["/headerParameters/parameters", "/headerParametersUi/parameter"];
            request.headers = self.pairs(at, settings, input, &names);
        }
        if sends_body && request.sends_body() {
            let kind = settings.text("/contentType").or_else(|| settings.text("/bodyContentType"));
            let is_json = settings.text("/rawContentType").is_some_and(|kind| kind.contains("json"));
            request.body = match kind.unwrap_or("json") {
                "json" => self.json_body(at, settings, input),
                "raw" if is_json => {
                    Body::Json(self.template(at, settings.text("/body").unwrap_or_default(), input))
                }
                _ => return self.placeholder(at, ONLY_JSON),
            };
        }
        let response =
            |name: &str| [format!("/options/response/response/{name}"), format!("/options/{name}")];
        let is_set = |name: &str| response(name).iter().any(|pointer| settings.flag(pointer));
        let (is_full, never_fails) =
            (is_set("fullResponse"), is_set("neverError") || settings.flag("/options/ignoreResponseCode"));
        let format = response("responseFormat").iter().find_map(|pointer| settings.text(pointer));
        let format = format.or_else(|| settings.text("/responseFormat")).unwrap_or("autodetect");
        let property = response("outputPropertyName").iter().find_map(|pointer| settings.text(pointer));
        let property = property.or_else(|| settings.text("/dataPropertyName")).unwrap_or("data");
        if format == "file" {
            return self.placeholder(at, "It gives a file: Plait's requests give values and texts.");
        }
        settings.ignore_all(&[
            "/sendQuery",
            "/sendHeaders",
            "/sendBody",
            "/specifyBody",
            "/specifyHeaders",
            "/specifyQuery",
            "/jsonParameters",
            "/options/response",
            "/options/redirect",
            "/nodeCredentialType",
            "/genericAuthType",
        ]);
        if settings.text("/authentication").is_some_and(|kind| kind != "none") {
            self.builder.lose(node.name, CREDENTIALS_LOST);
        }
        let id = match request.add_to(&mut self.builder, node.name, node.name, node.at) {
            Ok(id) => id,
            Err(reason) => return self.placeholder(at, &reason),
        };
        if never_fails && let Some(config) = self.builder.config(&id) {
            config.insert("failOnErrorStatus".to_owned(), false.into());
        }
        let body = Output::new(&id, "body");
        if is_full {
            self.primary = Some(id.clone());
            self.builder.lose(node.name, "The words of its status, `statusMessage`.");
            return vec![Some(Shape::object(self.full_response(at, &id)))];
        }
        if matches!(format, "text" | "string") {
            self.builder.lose(node.name, "A reply in JSON as text: it is a value here.");
            return vec![Some(Shape::field(body, &[property]))];
        }
        vec![Some(Shape::object(body))]
    }

    /// A body in JSON: as it is written, or its fields.
    fn json_body(&mut self, at: usize, settings: &Settings<'_>, input: Option<&Shape>) -> Body {
        let written = settings.text("/jsonBody").or_else(|| settings.text("/bodyParametersJson"));
        let lists = ["/bodyParameters/parameters", "/bodyParametersUi/parameter"];
        let is_listed = settings.text("/specifyBody") == Some("keypair")
            || (settings.get("/specifyBody").is_none()
                && lists.iter().any(|list| !settings.items(list).is_empty()));
        match written.filter(|_| !is_listed) {
            Some(text) => Body::Json(self.template(at, text, input)),
            // The first versions send no body without fields.
            None => match self.pairs(at, settings, input, &lists) {
                fields if fields.is_empty() && self.workflow.nodes[at].version < 3.0 => Body::None,
                fields => Body::Fields(fields),
            },
        }
    }

    /// The reply with its status and headers.
    fn full_response(&mut self, at: usize, id: &NodeId) -> Output {
        let node = &self.workflow.nodes[at];
        let parts = [("body", "body"), ("headers", "headers"), ("status", "statusCode")];
        let names = parts.map(|(_, name)| name);
        let title = format!("{}: reply", node.name);
        let place = node.at.beside(0.5, 1.0);
        let join = self.builder.add(node.name, &title, "join", json!({ "names": names }), place);
        for (port, name) in parts {
            self.builder.connect(&Output::new(id, port), &join, name);
        }
        Output::new(&join, "object")
    }

    /// Names with their values.
    fn pairs(
        &mut self,
        at: usize,
        settings: &Settings<'_>,
        input: Option<&Shape>,
        pointers: &[&str],
    ) -> Pairs {
        let mut pairs = Pairs::new();
        for entry in pointers.iter().flat_map(|pointer| settings.items(pointer)) {
            let Some(name) = entry.get("name").and_then(Value::as_str).filter(|name| !name.is_empty()) else {
                continue;
            };
            let value = match entry.get("value") {
                Some(Value::String(text)) => text.clone(),
                Some(other) => other.to_string(),
                None => String::new(),
            };
            pairs.push((name.to_owned(), self.template(at, &value, input)));
        }
        pairs
    }
}
