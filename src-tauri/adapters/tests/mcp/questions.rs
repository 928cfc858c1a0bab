//! Questions of servers during a call: to the person, and to a model.

use std::sync::Arc;

use async_trait::async_trait;
use parking_lot::Mutex;
use plait_adapters::codes;
use plait_core::error::Fault;
use plait_llm::tool::{SamplingReply, SamplingRequest, ToolAnswer, ToolQuestion, ToolRequests};
use serde_json::{Value, json};

use crate::fixture::Fixture;

/// Answers every question, and records it. Without an answer it fails.
#[derive(Default)]
struct Person {
    answer: Option<Value>,
    asked: Mutex<Vec<ToolQuestion>>,
    sampled: Mutex<Vec<SamplingRequest>>,
}

#[async_trait]
impl ToolRequests for Person {
    async fn ask(&self, question: ToolQuestion) -> Result<ToolAnswer, Fault> {
        self.asked.lock().push(question);
        match &self.answer {
            Some(answer) => Ok(ToolAnswer::Accepted(answer.clone())),
            None => Err(Fault::new(codes::TOOL_NO_RESULT, "The run pauses.")),
        }
    }

    async fn sample(&self, request: SamplingRequest) -> Result<Option<SamplingReply>, Fault> {
        self.sampled.lock().push(request);
        Ok(Some(SamplingReply { model: "echo".into(), text: "Hello.".into(), is_truncated: false }))
    }
}

async fn act(fixture: &Fixture, what: &str, person: &Arc<Person>) -> Result<Value, Fault> {
    let requests = Arc::clone(person);
    let result = fixture.invoke(what, |call| call.requests = requests).await?;
    Ok(serde_json::from_str(result.as_str().unwrap()).unwrap())
}

#[tokio::test]
async fn elicitation_asks_the_person() {
    let fixture = Fixture::scripted("good").await;
    let person = Arc::new(Person { answer: Some(json!({ "name": "Ada" })), ..Person::default() });
    let answer = act(&fixture, "ask", &person).await.unwrap();
    assert_eq!(answer, json!({ "action": "accept", "content": { "name": "Ada" } }));
    let asked = person.asked.lock().remove(0);
    assert_eq!((asked.from.as_str(), asked.message.as_str()), ("s", "What is your name?"));
    assert_eq!(asked.schema["required"], json!(["name"]));
}

#[tokio::test]
async fn fault_of_a_question_ends_the_call() {
    let fixture = Fixture::scripted("good").await;
    let fault = act(&fixture, "ask", &Arc::default()).await.unwrap_err();
    assert_eq!(fault.message, "The run pauses.");
}

#[tokio::test]
async fn questions_outside_of_a_run_are_declined() {
    let fixture = Fixture::scripted("good").await;
    let result = fixture.act("ask").await.unwrap();
    assert_eq!(result, json!("{\"action\":\"decline\"}"));
}

#[tokio::test]
async fn sampling_lets_a_model_reply() {
    let fixture = Fixture::scripted("good").await;
    let person = Arc::new(Person::default());
    let answer = act(&fixture, "sample", &person).await.unwrap();
    assert_eq!((&answer["model"], &answer["role"]), (&json!("echo"), &json!("assistant")));
    assert_eq!(answer["content"]["text"], json!("Hello."));
    let request = person.sampled.lock().remove(0);
    assert_eq!((request.system.as_deref(), request.max_tokens), (Some("Be brief."), 20));
    assert_eq!(request.messages[0].text, "Say hello.");
    let declined: Value =
        serde_json::from_str(fixture.act("sample").await.unwrap().as_str().unwrap()).unwrap();
    assert_eq!(declined["error"]["code"], json!(-1));
}

/// Waits until the server has received this call; it writes down which it receives.
async fn received(fixture: &Fixture, what: &str) {
    while !std::fs::read_to_string(fixture.state_file()).is_ok_and(|calls| calls.contains(what)) {
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
}

#[tokio::test]
async fn question_waits_until_it_can_be_of_one_call_only() {
    let fixture = Fixture::scripted("counting").await;
    fixture.act("echo").await.unwrap();
    let person = Arc::new(Person { answer: Some(json!({ "name": "Ada" })), ..Person::default() });
    let mut hanging = Box::pin(fixture.act("hang"));
    let mut asking = Box::pin(async {
        received(&fixture, "hang").await;
        act(&fixture, "ask", &person).await
    });
    tokio::select! {
        _ = &mut hanging => panic!("it hangs"),
        _ = &mut asking => panic!("it could be the question of either"),
        () = received(&fixture, "ask") => {}
    }
    assert!(person.asked.lock().is_empty());
    // Only the other call is left.
    drop(hanging);
    let answer = asking.await.unwrap();
    assert_eq!(answer, json!({ "action": "accept", "content": { "name": "Ada" } }));
}

#[tokio::test]
async fn parallel_calls_that_both_ask_are_never_mixed_up() {
    let fixture = Fixture::scripted("counting").await;
    let person = |name: &str| Arc::new(Person { answer: Some(json!({ "name": name })), ..Person::default() });
    let (ada, bob) = (person("Ada"), person("Bob"));
    // As far as is known, the tool does not ask.
    fixture.act("echo").await.unwrap();
    // The questions can't be attributed to calls, so nobody is asked.
    let ask = |person| act(&fixture, "ask-together", person);
    let both = futures::future::join(ask(&ada), ask(&bob)).await;
    for outcome in [both.0, both.1] {
        assert_eq!(outcome.unwrap_err().code.as_str(), "mcp.unclear_request");
    }
    assert!(ada.asked.lock().is_empty() && bob.asked.lock().is_empty());
    // From now on the server gets one call at a time.
    let both = futures::future::join(act(&fixture, "ask", &ada), act(&fixture, "ask", &bob)).await;
    assert_eq!(both.0.unwrap()["content"]["name"], json!("Ada"));
    assert_eq!(both.1.unwrap()["content"]["name"], json!("Bob"));
}

#[tokio::test]
async fn first_parallel_questions_of_a_server_are_asked_one_after_the_other() {
    let fixture = Fixture::scripted("good").await;
    let person = |name: &str| Arc::new(Person { answer: Some(json!({ "name": name })), ..Person::default() });
    let (ada, bob) = (person("Ada"), person("Bob"));
    let both = futures::future::join(act(&fixture, "ask", &ada), act(&fixture, "ask", &bob)).await;
    assert_eq!(both.0.unwrap()["content"]["name"], json!("Ada"));
    assert_eq!(both.1.unwrap()["content"]["name"], json!("Bob"));
    assert_eq!((ada.asked.lock().len(), bob.asked.lock().len()), (1, 1));
}

#[tokio::test]
async fn calls_of_a_tool_that_did_not_ask_are_made_together() {
    let fixture = Fixture::scripted("good").await;
    fixture.act("echo").await.unwrap();
    let both = futures::future::join(fixture.act("meet"), fixture.act("meet")).await;
    assert_eq!((both.0.unwrap(), both.1.unwrap()), (json!("met"), json!("met")));
}
