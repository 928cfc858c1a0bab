//! n8n's HTTP requests.

use serde_json::Value;

use super::super::builder::Output;
use super::super::http_request::{Body, CREDENTIALS_LOST, HttpRequest, Pairs};
use super::super::settings::Settings;
use super::{Reader, Shape, Shapes};

impl Reader<'_> {
    pub(super) fn http_request(
        &mut self,
        at: usize,
        settings: &Settings<'_>,
        input: Option<&Shape>,
    ) -> Shapes {
        let node = &self.workflow.nodes[at];
        let method = settings.text("/method").or_else(|| settings.text("/requestMethod")).unwrap_or("GET");
        let mut request = HttpRequest {
            method: method.to_owned(),
            url: self.template(at, settings.text("/url").unwrap_or_default(), input),
            query: self.pairs(
                at,
                settings,
                input,
                &["/queryParameters/parameters", "/queryParametersUi/parameter"],
            ),
            headers: self.pairs(
                at,
                settings,
                input,
                &["/headerParameters/parameters", "/headerParametersUi/parameter"],
            ),
            body: Body::None,
        };
        if request.sends_body() {
            request.body = match settings.text("/jsonBody").or_else(|| settings.text("/bodyParametersJson")) {
                Some(text) => Body::Json(self.template(at, text, input)),
                None => Body::Fields(self.pairs(
                    at,
                    settings,
                    input,
                    &["/bodyParameters/parameters", "/bodyParametersUi/parameter"],
                )),
            };
        }
        settings.ignore_all(&[
            "/sendQuery",
            "/sendHeaders",
            "/sendBody",
            "/specifyBody",
            "/contentType",
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
        match request.add_to(&mut self.builder, node.name, node.name, node.at) {
            Ok(id) => vec![Some(Shape::object(Output::new(&id, "body")))],
            Err(reason) => self.placeholder(at, &reason),
        }
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
