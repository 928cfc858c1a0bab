use crate::pipeline::Pipeline;
use crate::pipeline::tests::{place, problems, with_steps};

/// Two branches at once: `post`, then `log`; and `get` with this line.
fn branches(get: &str, post: &str) -> String {
    with_steps(&format!(
        "  - kind: parallel
    name: both
    branches:
      write:
        - kind: step
          name: post
{post}        - kind: step
          name: log
      read:
        - kind: step
          name: get
{get}"
    ))
}

#[test]
fn after_takes_a_name_or_a_list() {
    let edges = |get: &str| {
        let flow = Pipeline::read(&branches(get, "")).unwrap().flow;
        let into = flow.edges.values().filter(|edge| edge.target_input.as_str() == "after");
        into.map(|edge| format!("{}.{} {}", edge.source, edge.source_output, edge.target)).collect::<Vec<_>>()
    };
    assert_eq!(edges("          after: post\n"), ["post.response get"]);
    assert_eq!(edges("          after: [log, post]\n"), ["log.response get", "post.response get"]);
    assert_eq!(edges(""), [""; 0]);
}

#[test]
fn names_that_cannot_come_before_are_refused_at_their_place() {
    let texts = [
        branches("          after: pots\n", ""),
        branches("          after: [post, pots]\n", ""),
        branches("          after: get\n", ""),
        branches("          after: both\n", ""),
        with_steps("  - kind: step\n    name: a\n    after: b\n  - kind: step\n    name: b\n"),
        with_steps(
            "  - kind: loop\n    name: l\n    loop:\n      times: 2\n      kind: times\n      body:\n        - kind: step\n          name: in_it\n  - kind: step\n    name: b\n    after: in_it\n",
        ),
        with_steps(
            "  - kind: conditional\n    name: c\n    branches:\n      true:\n        - kind: step\n          name: yes_it_is\n      false:\n        - kind: step\n          name: no_it_is_not\n          after: yes_it_is\n",
        ),
        with_steps("  - kind: step\n    name: a\n    after: {b: 1}\n"),
    ];
    let found = texts.map(|text| place(&text));
    let expected = [
        "pipeline.unknown_step 14:18",
        "pipeline.unknown_step 14:25",
        "pipeline.order 14:18",
        "pipeline.order 14:18",
        "pipeline.order 5:12",
        "pipeline.order 13:12",
        "pipeline.order 12:18",
        "pipeline.wrong_type 5:5",
    ];
    assert_eq!(found, expected);
}

#[test]
fn both_orders_of_a_cycle_are_named() {
    let text = branches("          after: log\n", "          after: get\n");
    assert_eq!(problems(&text).lines().count(), 2);
    assert_eq!(place(&text), "pipeline.order 9:18");
}

#[test]
fn order_that_holds_anyway_is_a_warning() {
    let warned = |text: &str| {
        let pipeline = Pipeline::read(text).unwrap();
        pipeline.warnings.iter().map(|found| found.pointer.clone()).collect::<Vec<_>>()
    };
    assert_eq!(
        warned(&with_steps("  - kind: step\n    name: a\n  - kind: step\n    name: b\n    after: a\n")),
        ["/steps/1/after"]
    );
    assert_eq!(warned(&branches("          after: post\n", "")), [""; 0]);
    // Then `b` runs only if that branch did.
    let branch = "  - kind: conditional\n    name: c\n    branches:\n      true:\n        - kind: step\n          name: yes_it_is\n  - kind: step\n    name: b\n    after: yes_it_is\n";
    assert_eq!(warned(&with_steps(branch)), [""; 0]);
}
