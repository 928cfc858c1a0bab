//! `templates.*`: flows that a user keeps to start new flows from.

use plait_adapters::Redaction;
use plait_core::error::Fault;
use plait_core::flow;
use plait_core::flow::Flow;
use plait_store::Template;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::secrets;
use super::service::FlowService;
use super::text::write_flow;
use crate::ErrorReply;
use crate::blocking::run_blocking;
use crate::codes;
use crate::command::Command;

/// A template, as lists show it.
#[derive(Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct TemplateSummary {
    pub id: String,
    /// The name; of one that cannot be read, its id.
    pub name: String,
    /// What it is for, in Markdown.
    pub description: String,
    /// In milliseconds since the Unix epoch.
    #[ts(type = "number")]
    pub saved_at: u64,
    /// Why it cannot be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub problem: Option<String>,
}

impl TemplateSummary {
    fn of(Template { id, saved_at, text }: Template) -> Self {
        match text.and_then(|text| read(&id, &text)) {
            Ok(Flow { name, description, .. }) => Self { id, name, description, saved_at, problem: None },
            Err(fault) => {
                let (name, description) = (id.clone(), String::new());
                Self { id, name, description, saved_at, problem: Some(fault.message) }
            }
        }
    }
}

fn read(id: &str, text: &str) -> Result<Flow, Fault> {
    flow::read(text).map_err(|error| {
        let diagnostic = *error.diagnostic;
        let message = format!("The template `{id}` cannot be read: {}", diagnostic.message);
        Fault { hint: diagnostic.hint, ..Fault::new(diagnostic.code, message) }
    })
}

/// `templates.list`: the templates, by name.
#[derive(Debug, Default, Serialize, Deserialize, TS)]
pub struct ListTemplates {}

impl Command for ListTemplates {
    const NAME: &'static str = "templates.list";
    type Service = FlowService;
    type Reply = Vec<TemplateSummary>;

    async fn run(self, service: &FlowService) -> Result<Vec<TemplateSummary>, ErrorReply> {
        let store = service.store.clone();
        run_blocking(move || {
            let mut templates: Vec<_> = store.templates()?.into_iter().map(TemplateSummary::of).collect();
            templates.sort_by(|a, b| (a.name.to_lowercase(), &a.id).cmp(&(b.name.to_lowercase(), &b.id)));
            Ok(templates)
        })
        .await
    }
}

/// `templates.save`: keeps a flow as a new template. Secrets in it are replaced by labels.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct SaveTemplate {
    pub name: String,
    pub flow: Flow,
}

/// A template that was kept.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct SavedTemplate {
    pub id: String,
}

impl Command for SaveTemplate {
    const NAME: &'static str = "templates.save";
    type Service = FlowService;
    type Reply = SavedTemplate;

    async fn run(self, service: &FlowService) -> Result<SavedTemplate, ErrorReply> {
        let store = service.store.clone();
        let redaction = service.keys.redaction_with_stored_keys().await;
        run_blocking(move || {
            let id = uuid::Uuid::now_v7().to_string();
            store.put_template(&id, &text_of(self.flow, self.name, &redaction)?)?;
            Ok(SavedTemplate { id })
        })
        .await
    }
}

fn text_of(flow: Flow, name: String, redaction: &Redaction) -> Result<String, ErrorReply> {
    let mut flow = Flow { name, ..flow };
    secrets::redact(&mut flow, redaction)?;
    write_flow(&flow)
}

/// `templates.open`: the flow of a template. `template.unknown`; `flow.*` when it cannot be read.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct OpenTemplate {
    pub id: String,
}

impl Command for OpenTemplate {
    const NAME: &'static str = "templates.open";
    type Service = FlowService;
    type Reply = Flow;

    async fn run(self, service: &FlowService) -> Result<Flow, ErrorReply> {
        let store = service.store.clone();
        run_blocking(move || Ok(read(&self.id, &store.template(&self.id)?)?)).await
    }
}

/// `templates.rename`: gives a template another name. `template.unknown`, `template.no_name`; `flow.*` when it cannot be read.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct RenameTemplate {
    pub id: String,
    pub name: String,
}

impl Command for RenameTemplate {
    const NAME: &'static str = "templates.rename";
    type Service = FlowService;
    type Reply = ();

    async fn run(self, service: &FlowService) -> Result<(), ErrorReply> {
        let store = service.store.clone();
        let redaction = service.keys.redaction_with_stored_keys().await;
        run_blocking(move || {
            if self.name.trim().is_empty() {
                let error = ErrorReply::new(codes::TEMPLATE_NO_NAME, "A template needs a name.");
                return Err(error.hint("Give it one."));
            }
            let flow = read(&self.id, &store.template(&self.id)?)?;
            Ok(store.put_template(&self.id, &text_of(flow, self.name, &redaction)?)?)
        })
        .await
    }
}

/// `templates.remove`: removes a template. `template.unknown`.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct RemoveTemplate {
    pub id: String,
}

impl Command for RemoveTemplate {
    const NAME: &'static str = "templates.remove";
    type Service = FlowService;
    type Reply = ();

    async fn run(self, service: &FlowService) -> Result<(), ErrorReply> {
        let store = service.store.clone();
        run_blocking(move || Ok(store.remove_template(&self.id)?)).await
    }
}
