//! HTTP requests of other tools, as `httpRequest` nodes. Credentials stay out of the flow: Plait's requests take
//! secrets of the settings, as `${NAME}`.

use serde_json::{Map, Value, json};

use super::builder::{FlowBuilder, Output, Point};
use super::secrets::{is_credential_name, without_keys, without_secrets};
use super::template::{InputNames, TemplateText};
use plait_core::id::NodeId;
use plait_llm::http_tool::{HttpMethod, is_forbidden_header, is_header_name};

/// The report for credentials that a tool keeps beside its file.
pub(super) const CREDENTIALS_LOST: &str =
    "Its credentials: add a header with a secret of the settings, such as `${NAME}`.";

pub(super) const ADDRESS_KEY_LOST: &str =
    "The key in its address: add it with a secret of the settings, such as `${NAME}`.";
pub(super) const BODY_KEY_LOST: &str =
    "The keys in its body: add them with secrets of the settings, such as `${NAME}`.";

/// A request, as a file describes it.
#[derive(Debug, Default)]
pub(super) struct HttpRequest {
    pub(super) method: String,
    pub(super) url: TemplateText,
    pub(super) query: Pairs,
    pub(super) headers: Pairs,
    pub(super) body: Body,
}

/// Why a request becomes a placeholder that sends anything else.
pub(super) const ONLY_JSON: &str = "Plait sends bodies in JSON.";

/// Names with their values.
pub(super) type Pairs = Vec<(String, TemplateText)>;

/// What a request sends.
#[derive(Debug, Default)]
pub(super) enum Body {
    #[default]
    None,
    /// A text that is JSON once its values are filled in.
    Json(TemplateText),
    /// A text that is sent as it is. It has to be JSON.
    Text(TemplateText),
    /// A JSON object with these fields.
    Fields(Pairs),
}

impl HttpRequest {
    /// Whether its method has a body.
    pub(super) fn sends_body(&self) -> bool {
        read_method(&self.method).is_none_or(|method| !matches!(method, HttpMethod::Get | HttpMethod::Head))
    }

    /// Adds the node for a node of the file. An error says why there can be none.
    pub(super) fn add_to(
        self,
        builder: &mut FlowBuilder,
        source: &str,
        title: &str,
        at: Point,
    ) -> Result<NodeId, String> {
        let Some(method) = read_method(&self.method) else {
            return Err("Its method is none that Plait sends.".to_owned());
        };
        let is_known = self.url.leading_text().trim_start().starts_with("http");
        if !is_known && self.url.is_constant() {
            return Err("Its address is not known before it runs.".to_owned());
        }
        if let Body::Text(text) = &self.body
            && self.sends_body()
            && !text.is_blank()
            && !is_json(text)
        {
            return Err(ONLY_JSON.to_owned());
        }
        let mut writer = Writer { builder, names: InputNames::of_request(), source, title, at };
        let mut config = json!({ "method": method.as_str() });
        if is_known {
            let url = writer.text(&self.url, "address");
            config["url"] = writer.address(&url).trim().into();
        }
        for (key, pairs, place) in
            [("query", self.query, Place::Query), ("headers", self.headers, Place::Headers)]
        {
            let pairs = writer.pairs(pairs, place);
            if !pairs.is_empty() {
                config[key] = pairs.into();
            }
        }
        let mut fed_body = None;
        if method.has_body() || method == HttpMethod::Delete {
            match self.body {
                Body::None => {}
                Body::Fields(fields) => config["body"] = writer.pairs(fields, Place::Body).into(),
                Body::Json(template) | Body::Text(template) => match writer.json(&template) {
                    Some(body) => config["body"] = body,
                    None if template.is_blank() => {}
                    None => fed_body = Some(template),
                },
            }
        }
        let names = writer.names;
        let id = builder.add(source, title, "httpRequest", config, at);
        // Other tools send a request once, unless they are set to try again.
        builder.set_retry(&id, 1);
        builder.feed(names.inputs(), &id);
        if !is_known {
            let url = builder.text_output(source, &format!("{title}: address"), &self.url, at);
            builder.connect(&url, &id, "url");
        }
        if let Some(template) = fed_body {
            if !method.has_body() {
                builder.lose(source, "Its body: it is JSON only once it is filled in.");
                return Ok(id);
            }
            let body = builder.text_output(source, &format!("{title}: body text"), &template, at);
            let config = json!({ "query": FROM_JSON });
            let parse = builder.add(source, &format!("{title}: body"), "json", config, at.beside(0.0, 1.0));
            builder.connect(&body, &parse, "value");
            builder.connect(&Output::new(&parse, "result"), &id, "body");
        }
        Ok(id)
    }
}

/// The query that makes a value of a text in JSON. An expression may have made the value itself.
pub(super) const FROM_JSON: &str = "if type == \"string\" then fromjson else . end";

/// A part of a request that has names.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Query,
    Headers,
    Body,
}

impl Place {
    fn name(self) -> &'static str {
        match self {
            Self::Query => "parameter",
            Self::Headers => "header",
            Self::Body => "field",
        }
    }
}

/// Whether a named value is taken over into a request. An error names the loss; empty if there is none.
pub(super) fn keep_pair(place: Place, name: &str, is_constant: bool) -> Result<(), String> {
    if place == Place::Headers && (is_forbidden_header(name) || name.eq_ignore_ascii_case("content-type")) {
        // Plait sets them itself.
        return Err(String::new());
    }
    if place == Place::Headers && !is_header_name(name) {
        return Err(format!("`{name}` is not the name of a header."));
    }
    if is_constant && is_credential_name(name) {
        return Err(format!(
            "The key in the {} `{name}`: add it with a secret of the settings, such as `${{NAME}}`.",
            place.name()
        ));
    }
    Ok(())
}

/// An address without keys in its parameters and before its host. Placeholders stay.
pub(super) fn address_without_keys(url: &str) -> (String, bool) {
    let without_words = without_keys(url);
    let mut written = String::new();
    let mut has_keys = without_words != url;
    for (index, part) in without_words.split_inclusive(['?', '&']).enumerate() {
        let end = part.trim_end_matches(['?', '&']).len();
        match part[..end].split_once('=') {
            Some((name, value))
                if index > 0 && is_credential_name(name) && !value.is_empty() && !value.contains("{{") =>
            {
                has_keys = true;
                written.push_str(name);
                written.push('=');
                written.push_str(&part[end..]);
            }
            _ => written.push_str(part),
        }
    }
    (written, has_keys)
}

/// Whether a text is JSON, whatever its values are.
fn is_json(template: &TemplateText) -> bool {
    let text = template.write_request(&mut InputNames::of_request());
    text.is_some_and(|text| serde_json::from_str::<Value>(&text).is_ok())
}

/// A method that Plait sends, by its name. Without one, it is GET.
pub(super) fn read_method(name: &str) -> Option<HttpMethod> {
    Some(match name.to_ascii_uppercase().as_str() {
        "" | "GET" => HttpMethod::Get,
        "HEAD" => HttpMethod::Head,
        "POST" => HttpMethod::Post,
        "PUT" => HttpMethod::Put,
        "PATCH" => HttpMethod::Patch,
        "DELETE" => HttpMethod::Delete,
        _ => return None,
    })
}

/// Writes the parts of a request, which share their inputs.
struct Writer<'d> {
    builder: &'d mut FlowBuilder,
    names: InputNames,
    source: &'d str,
    title: &'d str,
    at: Point,
}

impl Writer<'_> {
    /// A text with placeholders. What placeholders can't say is computed by a `text` node.
    fn text(&mut self, template: &TemplateText, what: &str) -> String {
        if let Some(text) = template.write_request(&mut self.names) {
            return text;
        }
        let title = format!("{}: {what}", self.title);
        let output = self.builder.text_output(self.source, &title, template, self.at);
        TemplateText::of(what, &output, &[]).write_request(&mut self.names).unwrap_or_default()
    }

    fn address(&mut self, url: &str) -> String {
        let (url, has_keys) = address_without_keys(url);
        if has_keys {
            self.builder.lose(self.source, ADDRESS_KEY_LOST);
        }
        url
    }

    fn pairs(&mut self, pairs: Pairs, place: Place) -> Map<String, Value> {
        let mut written = Map::new();
        for (name, value) in pairs {
            match keep_pair(place, &name, value.is_constant()) {
                Ok(()) => {
                    let text = self.text(&value, &name);
                    // A header is one line.
                    let text = if place == Place::Headers { text.replace(['\r', '\n'], " ") } else { text };
                    written.insert(name, text.trim_start().into());
                }
                Err(lost) if lost.is_empty() => {}
                Err(lost) => self.builder.lose(self.source, lost),
            }
        }
        written
    }

    /// A body as JSON with placeholders in its texts.
    fn json(&mut self, template: &TemplateText) -> Option<Value> {
        let mut names = self.names.clone();
        let text = template.write_request(&mut names)?;
        let body: Value = serde_json::from_str(&text).ok()?;
        self.names = names;
        let (body, removed) = without_secrets(&body);
        if removed > 0 {
            self.builder.lose(self.source, BODY_KEY_LOST);
        }
        Some(body)
    }
}
