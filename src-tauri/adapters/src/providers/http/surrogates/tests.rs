use super::*;

fn joined(events: &[&str]) -> Vec<String> {
    let mut joiner = SurrogateJoiner::default();
    events.iter().map(|event| joiner.join(event).into_owned()).collect()
}

#[test]
fn halves_in_two_texts_become_one_character() {
    let events = joined(&[r#"{"a": "x\ud83d"}"#, r#"{"a": ""}"#, r#"{"a": "\ude00y"}"#]);
    let texts: Vec<serde_json::Value> =
        events.iter().map(|event| serde_json::from_str(event).unwrap()).collect();
    assert_eq!(
        texts,
        [serde_json::json!({ "a": "x" }), serde_json::json!({ "a": "" }), serde_json::json!({ "a": "😀y" })]
    );
}

#[test]
fn half_without_another_is_replaced() {
    assert_eq!(joined(&[r#""a\ud83db""#, r#""\ude00""#]), [r#""a\ufffdb""#, r#""\ufffd""#]);
}

#[test]
fn other_escapes_stay() {
    for event in
        [r#""\ud83d\ude00 \u00e9""#, r#""\\ud83d""#, r#""\\\\ud83d \" é\\""#, "\"plain\"", r#""\u12"#, "\\"]
    {
        let mut joiner = SurrogateJoiner::default();
        assert!(matches!(joiner.join(event), Cow::Borrowed(same) if same == event), "{event}");
    }
}
