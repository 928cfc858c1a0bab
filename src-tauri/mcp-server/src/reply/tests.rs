use rmcp::model::CallToolResult;
use serde_json::{Value, json};

use super::*;

fn parsed(reply: Reply) -> Value {
    let CallToolResult { content, .. } = reply.unwrap();
    let text = serde_json::to_value(&content[0]).unwrap()["text"].as_str().unwrap().to_owned();
    assert!(text.len() <= MAX_BYTES, "a reply of {} bytes", text.len());
    serde_json::from_str(&text).unwrap()
}

#[test]
fn small_value_is_whole() {
    assert_eq!(parsed(value(&json!({ "a": [1, 2] })))["data"], json!({ "a": [1, 2] }));
}

#[test]
fn long_texts_lists_and_objects_are_cut_and_say_so() {
    let long = "ü".repeat(100_000);
    let text = parsed(value(&json!({ "text": long })))["data"]["text"].as_str().unwrap().to_owned();
    assert!(text.starts_with("üü") && text.ends_with("… (96000 more characters)"), "{text}");

    let list = parsed(value(&vec!["a text of some length".repeat(20); 10_000]));
    assert_eq!(list["data"].as_array().unwrap().last().unwrap(), "… (9960 more)");

    let wide: serde_json::Map<String, Value> =
        (0..5_000).map(|at| (format!("key {at}"), json!("value".repeat(10)))).collect();
    assert_eq!(parsed(value(&wide))["data"]["…"], "(4600 more)");
}

#[test]
fn value_that_no_cut_makes_small_is_named() {
    let mut nested = json!("x".repeat(200));
    for _ in 0..6 {
        nested = json!({ "a": nested.clone(), "b": nested.clone(), "c": nested });
    }
    assert!(parsed(value(&nested))["data"].as_str().unwrap().contains("bytes of JSON"));
}

#[test]
fn pages_of_a_list_give_each_element_once() {
    let all: Vec<Value> = (0..500).map(|at| json!({ "at": at, "text": "t".repeat(at * 3) })).collect();
    let (mut from, mut seen) = (0, Vec::new());
    loop {
        let page = parsed(list(&all, from));
        assert_eq!(page["total"], 500);
        seen.extend(page["data"].as_array().unwrap().iter().map(|element| element["at"].as_u64().unwrap()));
        match page["next"].as_u64() {
            Some(next) => from = usize::try_from(next).unwrap(),
            None => break,
        }
    }
    assert_eq!(seen, (0..500).collect::<Vec<u64>>());
    assert_eq!(parsed(list(&all, 900))["data"], json!([]));
}

#[test]
fn pages_of_a_text_give_each_character_once() {
    let all: String = ('\u{1}'..'\u{2fff}').cycle().take(100_000).collect();
    let (mut from, mut seen) = (0, String::new());
    loop {
        let page = parsed(text(&all, from));
        seen.push_str(page["data"].as_str().unwrap());
        match page["next"].as_u64() {
            Some(next) => from = usize::try_from(next).unwrap(),
            None => break,
        }
    }
    assert!(seen == all);
    assert_eq!(parsed(text("abc", usize::MAX))["data"], "");
}
