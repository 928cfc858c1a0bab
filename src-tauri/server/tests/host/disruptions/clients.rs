//! Clients that come back until their runs have ended, from any host that answers.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use reqwest::{Client, Method};
use serde_json::{Value, json};

use super::as_text;
use super::workload::{CYCLES, Job};
use crate::process::{Data, JsonBody as _};

/// How long a client waits before it asks another host.
const RETRY_DELAY: Duration = Duration::from_millis(20);

/// How a run ended, as a client sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    pub status: String,
    pub outputs: Value,
    /// Of all replies that were recorded: one that was stored and bought again would count twice.
    pub tokens: Value,
}

/// The hosts that may be asked.
#[derive(Clone)]
pub struct Target {
    pub urls: Arc<Mutex<Vec<String>>>,
    pub token: String,
    client: Client,
    /// Opened one after the other, by number.
    conversations: Arc<tokio::sync::Mutex<Vec<Value>>>,
}

impl Target {
    pub fn of(data: &Data, url: &str) -> Self {
        Self {
            urls: Arc::new(Mutex::new(vec![url.to_owned()])),
            token: data.token("admin").to_owned(),
            client: Client::new(),
            conversations: Arc::default(),
        }
    }

    /// The answer of some host. None if it is gone, or the database is.
    async fn ask(
        &self,
        turn: usize,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> Option<(u16, Value)> {
        let urls = self.urls.lock().clone();
        let url = &urls[turn % urls.len()];
        let mut request = self.client.request(method, format!("{url}{path}")).bearer_auth(&self.token);
        if let Some(body) = body {
            request = request.json_body(body);
        }
        let response = request.send().await.ok()?;
        let status = response.status().as_u16();
        let body = response.text().await.ok()?;
        let body = serde_json::from_str(&body).ok()?;
        (status != 503).then_some((status, body))
    }

    /// The same, asked until one answers.
    pub async fn ask_until_answered(&self, method: Method, path: &str, body: Option<&Value>) -> (u16, Value) {
        for turn in 0.. {
            if let Some(answer) = self.ask(turn, method.clone(), path, body).await {
                return answer;
            }
            tokio::time::sleep(RETRY_DELAY).await;
        }
        unreachable!("it asks for ever")
    }

    /// The conversation with this number.
    pub async fn conversation(&self, number: usize) -> Value {
        let mut opened = self.conversations.lock().await;
        while opened.len() <= number {
            let flow = json!({ "flow": { "name": "Helper" }, "new": true });
            let (status, record) =
                self.ask_until_answered(Method::POST, "/commands/conversations.open", Some(&flow)).await;
            assert_eq!(status, 200, "{record}");
            opened.push(record["id"].clone());
        }
        opened[number].clone()
    }
}

/// Begins a run, which may have begun before, and gives how it stands when it has ended or asks something.
pub async fn begin(target: &Target, job: &Job) -> Value {
    let mut body = json!({ "run": job.run });
    if let Some(input) = &job.input {
        body["input"] = json!(input);
    }
    if let Some(number) = job.conversation {
        body["conversation"] = target.conversation(number).await;
    }
    let path = format!("/flows/{}/runs", job.flow);
    let (status, state) = target.ask_until_answered(Method::POST, &path, Some(&body)).await;
    assert!(matches!(status, 200 | 202), "{job:?}: {status} {state}");
    state
}

/// Runs a job to its end.
pub async fn complete(target: &Target, job: &Job) -> Outcome {
    let mut state = begin(target, job).await;
    loop {
        match as_text(&state["status"]) {
            "waiting" => answer(target, &state).await,
            "running" | "interrupted" => {}
            status => {
                let (outputs, tokens) = (state["outputs"].clone(), state["tokens"].clone());
                return Outcome { status: status.to_owned(), outputs, tokens };
            }
        }
        let path = format!("/runs/{}?wait=5", job.run);
        let (status, next) = target.ask_until_answered(Method::GET, &path, None).await;
        assert_eq!(status, 200, "{job:?}: {next}");
        state = next;
    }
}

/// Answers the question of a run, or ends it after some answers. Another try may have done so before.
async fn answer(target: &Target, state: &Value) {
    let question = &state["questions"][0];
    let round = question["epoch"][0].as_u64().unwrap_or_default();
    let mut body = json!({ "run": state["run"], "node": question["node"], "epoch": question["epoch"] });
    if let Some(asker) = question.get("asker") {
        // A child run.
        body = asker.clone();
    }
    let command = if round < CYCLES as u64 {
        body["value"] = json!(format!("Answer {round}"));
        "run.answer"
    } else {
        "run.end"
    };
    let (status, reply) =
        target.ask_until_answered(Method::POST, &format!("/commands/{command}"), Some(&body)).await;
    let is_answered =
        status == 409 && matches!(as_text(&reply["error"]["code"]), "answer.not_waiting" | "run.ended");
    assert!(status == 200 || is_answered, "{state}: {reply}");
}
