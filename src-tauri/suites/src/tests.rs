use plait_core::flow::Flow;
use plait_core::id::NodeId;
use serde_json::{Value, json};

use crate::{
    CaseOutcome, KnownNodes, PassRate, Suite, TestCase, TestResult, add_case, apply_variant, read, schema,
    unknown_nodes, variants,
};

fn suite(value: &Value) -> Suite {
    read(&value.to_string(), true).unwrap_or_else(|errors| panic!("{errors:?}"))
}

/// Table I of R. G. Newcombe, "Two-sided confidence intervals for the single proportion", Statistics in Medicine 17 (1998), method 3.
#[test]
fn interval_is_that_of_the_literature() {
    for (passed, runs, low, high) in
        [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)]
    {
        let rate = PassRate::of(passed, runs);
        assert!((rate.low - low).abs() < 5e-5 && (rate.high - high).abs() < 5e-5, "{rate:?}");
        // The interval of what failed is the mirror image.
        let failed = PassRate::of(runs - passed, runs);
        assert!((failed.low - (1.0 - rate.high)).abs() < 1e-12, "{failed:?}");
    }
    assert_eq!(PassRate::of(0, 0), PassRate { passed: 0, runs: 0, low: 0.0, high: 1.0 });
}

#[test]
fn part_of_the_repeats_has_to_pass() {
    assert!(PassRate::of(4, 5).reaches(0.8) && !PassRate::of(3, 5).reaches(0.8));
    assert!(PassRate::of(7, 10).reaches(0.7), "0.7 is no exact binary number");
    assert!(!PassRate::of(0, 0).reaches(0.0), "a case that did not run did not pass");
    let results = vec![TestResult::default(); 3];
    assert!(
        CaseOutcome::of(
            "a".to_owned(),
            variants(&suite(&json!({ "cases": [{ "name": "a", "live": true }] })), &TestCase::default())
                .remove(0),
            results,
            1.0
        )
        .passed
    );
}

#[test]
fn matrix_combines_models_and_parameters_of_live_cases() {
    let suite = suite(&json!({
        "matrix": { "models": ["offline/echo", "openai/gpt-5"], "parameters": { "draft.temperature": [0, 1], "draft.options.seed": [7] } },
        "cases": [{ "name": "live", "live": true }, { "name": "replay", "recording": "a" }],
    }));
    let of = |index: usize| variants(&suite, &suite.cases[index]);
    assert_eq!((of(0).len(), of(1).len()), (4, 1));
    assert_eq!(
        of(0)[1],
        json!({ "model": "offline/echo", "draft.options.seed": 7, "draft.temperature": 1 })
            .as_object()
            .unwrap()
            .clone()
            .into_iter()
            .collect()
    );

    let mut flow: Flow = serde_json::from_value(json!({
        "version": 1,
        "nodes": { "start": { "type": "contextStart" }, "draft": { "type": "chat" } },
    }))
    .unwrap();
    apply_variant(&of(0)[3], &mut flow).unwrap();
    let flow = serde_json::to_value(&flow).unwrap();
    assert_eq!(flow["nodes"]["start"]["config"], json!({ "provider": "openai", "model": "gpt-5" }));
    assert_eq!(flow["nodes"]["draft"]["config"], json!({ "temperature": 1, "options": { "seed": 7 } }));
    let mut other: Flow = serde_json::from_value(json!({ "version": 1, "nodes": {} })).unwrap();
    assert!(apply_variant(&of(0)[0], &mut other).unwrap_err().contains("`draft.options.seed`"));
}

#[test]
fn problems_have_their_places() {
    let places = |text: &str| -> Vec<(String, usize, usize)> {
        let errors = read(text, false).unwrap_err();
        errors
            .into_iter()
            .map(|error| (error.diagnostic.code.to_string(), error.line, error.column))
            .collect()
    };
    let at = |code: &str, line, column| (code.to_owned(), line, column);
    assert_eq!(places(""), [at("suite.empty", 1, 1)]);
    assert_eq!(places("cases: 3\n"), [at("suite.invalid", 1, 8)]);
    assert_eq!(places("cases:\n  - name: a\n    live: true\n    nmae: b\n"), [at("suite.invalid", 4, 11)]);
    assert_eq!(
        places("passRate: 2\ncases:\n  - name: a\n    live: true\n    repeats: 0\n"),
        [at("suite.invalid", 1, 11), at("suite.invalid", 5, 14)]
    );
    assert_eq!(
        places("cases:\n  - name: a\n    live: true\n    passRate: 0\n"),
        [at("suite.invalid", 4, 15)],
        "it would pass whatever its runs do"
    );
    assert_eq!(
        places("cases:\n  - name: a\n    live: true\n    checks:\n      - unchanged: {}\n"),
        [at("suite.bad_check", 2, 11)]
    );
    assert_eq!(places("cases:\n  - &a name: b\n")[0].0, "suite.syntax");
}

#[test]
fn case_is_added_as_people_write_it() {
    let case = TestCase {
        name: "two: lines".to_owned(),
        live: true,
        input: Some("a\nb".to_owned()),
        ..TestCase::default()
    };
    let text =
        "# All of them\ncases:\n- name: first # the first\n  live: true # yes\n\npassRate: 0.5 # half\n";
    let added = add_case(Some(text), false, &case).unwrap();
    let expected = "# All of them\ncases:\n- name: first # the first\n  live: true # yes\n- name: \"two: lines\"\n  input: |-\n    a\n    b\n  live: true\n\npassRate: 0.5 # half\n";
    assert_eq!(added, expected);
    let new = add_case(None, false, &case).unwrap();
    assert_eq!(read(&new, false).unwrap().cases, std::slice::from_ref(&case));
    let json = add_case(Some(r#"{ "cases": [{ "name": "first", "live": true }] }"#), true, &case).unwrap();
    assert_eq!(read(&json, true).unwrap().cases[1], case);
    for text in [
        "cases: [{ name: a, live: true }]\n",
        "cases: [\n  { name: a, live: true }, # the first\n]\nrepeats: 2\n",
        "cases: [\n  { name: a, live: true } # the first\n]\n",
    ] {
        let added = add_case(Some(text), false, &case).unwrap();
        let cases = read(&added, false).unwrap().cases;
        assert_eq!((cases.len(), &cases[1]), (2, &case), "{added}");
        assert_eq!(added.contains("# the first"), text.contains("# the first"));
    }
    let first = add_case(Some("cases: []\npassRate: 0.5\n"), false, &case).unwrap();
    assert_eq!(read(&first, false).unwrap().cases, std::slice::from_ref(&case));
}

#[test]
fn schema_accepts_what_the_reader_does() {
    let schema = schema();
    let accepts = |value: &Value| plait_core::expression::schema::accepts(&schema, value);
    let good = json!({ "cases": [{ "name": "a", "live": true, "checks": [{ "maxTokens": 3 }, { "contains": { "text": "a" } }] }] });
    let bad = json!({ "cases": [{ "name": "a", "live": true, "checks": [{ "contains": { "txt": "a" } }] }] });
    assert_eq!((accepts(&good), read(&good.to_string(), true).is_ok()), (true, true));
    assert_eq!((accepts(&bad), read(&bad.to_string(), true).is_ok()), (false, false));
}

#[test]
fn a_matrix_without_end_or_without_values_is_refused() {
    let refused = |matrix: Value| {
        let text = json!({ "matrix": matrix, "cases": [{ "name": "a", "live": true }] }).to_string();
        let errors = read(&text, true).unwrap_err();
        errors.into_iter().map(|error| error.diagnostic.message.clone()).collect::<Vec<_>>()
    };
    let axes: serde_json::Map<_, _> =
        (0..70).map(|at| (format!("draft.p{at}"), json!([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]))).collect();
    assert_eq!(
        refused(json!({ "parameters": axes })),
        ["The matrix has more than 1000 combinations."],
        "without multiplying past the largest number"
    );
    let ten = json!([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    suite(
        &json!({ "matrix": { "parameters": { "a.b": ten, "a.c": ten, "a.d": ten } }, "cases": [{ "name": "a", "live": true }] }),
    );
    assert_eq!(
        refused(json!({ "parameters": { "draft.temperature": [] } })),
        ["`draft.temperature` has no values, so no live case would run."]
    );
}

#[test]
fn a_suite_that_is_no_mapping_is_refused() {
    for text in ["[]", "null", "[1, [], null, null, null, null, [[\"a\"]]]", "\"cases\""] {
        let errors = read(text, true).unwrap_err();
        assert_eq!(errors[0].diagnostic.message, "A suite is a mapping with the key `cases`.", "{text}");
    }
}

struct Known;

impl KnownNodes for Known {
    fn has_place(&self, name: &str) -> bool {
        ["draft", "child/say"].contains(&name)
    }

    fn has_node(&self, node: &NodeId) -> bool {
        ["draft", "child", "say"].contains(&node.as_str())
    }
}

#[test]
fn nodes_that_a_case_names_and_no_flow_has_are_found() {
    let case = |world: Value| {
        let mut case = json!({ "name": "a", "answers": [{ "node": "say", "value": 1 }, { "node": "gone", "value": 1 }, { "value": 2 }],
            "checks": [{ "contains": { "text": "x" } }, { "contains": { "output": "child/say.text", "text": "x" } },
                { "unchanged": {} }, { "prompt": { "node": "say", "contains": "x" } }, { "maxTokens": 1 },
                { "equals": { "output": "lost.text", "value": 1 } }] });
        let is_live = world["live"] == true;
        case.as_object_mut().unwrap().extend(world.as_object().unwrap().clone());
        if is_live {
            case["checks"].as_array_mut().unwrap().remove(2);
        }
        suite(&json!({ "cases": [case] }))
    };
    let found = |suite: &Suite| -> Vec<String> {
        let found = unknown_nodes(suite, &suite.cases[0], &Known).into_iter();
        found.map(|failure| format!("{}: {}", failure.check, failure.message)).collect()
    };
    assert_eq!(
        found(&case(json!({ "live": true }))),
        [
            "answer of gone: The flow has no node `gone`.",
            "prompt say: The flow has no node `say`.",
            "equals lost.text: The flow has no node `lost`."
        ]
    );
    assert_eq!(found(&case(json!({ "recording": "a" }))), ["answer of gone: The flow has no node `gone`."]);
}
