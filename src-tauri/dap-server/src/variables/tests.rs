use super::*;

fn container(value: Value) -> Container {
    Container {
        scope: None,
        root: Some(Arc::new(value)),
        path: Vec::new(),
        expression: Some("inputs".to_owned()),
    }
}

#[test]
fn members_know_their_expression_and_their_number() {
    let mut containers = Containers::default();
    let root = container(json!({ "text": "Hi \"you\"", "a b": [10, [20]], "none": {} }));
    let shown = containers.members(&root, None, 0, None);
    let lines: Vec<_> = shown
        .iter()
        .map(|variable| {
            (
                variable.value.as_str(),
                variable.evaluate_name.as_deref().unwrap(),
                variable.variables_reference,
            )
        })
        .collect();
    let expected = [
        ("[10,[20]]", "inputs[\"a b\"]", 1),
        ("{}", "inputs.none", 0),
        ("\"Hi \\\"you\\\"\"", "inputs.text", 0),
    ];
    assert_eq!(lines, expected);
    let list = containers.get(1).unwrap().clone();
    let page = containers.members(&list, Some("indexed"), 1, Some(5));
    assert_eq!(
        (page.len(), page[0].name.as_str(), page[0].evaluate_name.as_deref().unwrap()),
        (1, "1", "inputs[\"a b\"][1]")
    );
    assert!(containers.members(&list, Some("named"), 0, None).is_empty());
    assert!(containers.members(&list, None, usize::MAX, Some(usize::MAX)).is_empty());
    for number in [0, -1, 99, i64::MIN, i64::MAX] {
        assert_eq!(containers.get(number).unwrap_err().code, codes::DAP_UNKNOWN_ID);
    }
}

#[test]
fn long_texts_are_whole_and_long_lists_are_cut() {
    let text = "é".repeat(1_000);
    assert_eq!(preview(&json!(text)).chars().count(), 1_002);
    assert_eq!(preview(&json!([text])).chars().count(), MAX_PREVIEW + 1);
}

#[test]
fn typed_values_are_json_or_the_text_that_stood_there() {
    let typed = |text, was: Value| parse_typed(text, Some(&was)).map_err(|error| error.code.to_string());
    assert_eq!(typed(" [1, {}] ", json!("x")).unwrap(), json!([1, {}]));
    assert_eq!(typed("Hello, you", json!("x")).unwrap(), "Hello, you");
    assert_eq!(typed("Hello", json!(5)), Err("dap.arguments".to_owned()));
    let path = |steps: &[&str]| steps.iter().map(|step| (*step).to_owned()).collect::<Vec<_>>();
    let value = json!({ "a": [1, { "b": 2 }] });
    assert_eq!(
        with_member(value.clone(), &path(&["a", "1", "b"]), json!(3)),
        Some(json!({ "a": [1, { "b": 3 }] }))
    );
    assert_eq!(with_member(value.clone(), &path(&["a", "7"]), json!(3)), None);
    assert_eq!(with_member(value, &[], json!(3)), Some(json!(3)));
}
