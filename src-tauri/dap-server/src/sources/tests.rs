use std::fs;

use super::*;

const FLOW: &str = r#"{
  "version": 1,
  "nodes": {
    "first": { "type": "text", "config": { "template": "a" } },
    "sub": {
      "type": "subflow",
      "config": { "flow": {
        "version": 1,
        "nodes": {
          "inner": { "type": "text" }
        }
      } }
    },
    "one": { "type": "subflow", "config": { "file": "steps.flow.yaml" } },
    "two": { "type": "subflow", "config": { "file": "steps.flow.yaml" } }
  },
  "edges": {}
}
"#;

const STEPS: &str = "\
name: steps
version: \"0.1\"
agents:
  writer: { provider: offline, model: echo }
steps:
  - kind: loop
    name: again
    loop:
      times: 2
      body:
        - kind: step
          name: draft
          agent: writer
          prompt: Write
";

fn names(path: &[&str]) -> Vec<NodeId> {
    path.iter().map(|name| NodeId::from(*name)).collect()
}

fn sources(folder: &Path) -> (Sources, Source, Source) {
    fs::write(folder.join("main.flow.json"), FLOW).unwrap();
    fs::write(folder.join("steps.flow.yaml"), STEPS).unwrap();
    let source =
        |name: &str| Source { path: Some(folder.join(name).display().to_string()), ..Source::default() };
    let flow = flow::read(FLOW).unwrap();
    let (main, steps) = (source("main.flow.json"), source("steps.flow.yaml"));
    (Sources::of(&flow, main.path.as_deref(), &plait_nodes::registry()), main, steps)
}

#[test]
fn lines_are_those_of_the_innermost_node() {
    let folder = tempfile::tempdir().unwrap();
    let (sources, main, steps) = sources(folder.path());
    let at = |source: &Source, line| {
        sources.nodes_at(source, line).map(|found| (found.node.to_string(), found.paths, found.first_line))
    };
    assert_eq!(at(&main, 4), Some(("first".to_owned(), vec![names(&[])], 4)));
    assert_eq!(at(&main, 6), Some(("sub".to_owned(), vec![names(&[])], 5)));
    assert_eq!(at(&main, 10), Some(("inner".to_owned(), vec![names(&["sub"])], 10)));
    assert_eq!(at(&main, 1), None);
    assert_eq!(at(&main, 17), None, "edges are no nodes");
    assert_eq!(at(&main, -5), None);
    let twice = vec![names(&["one"]), names(&["two"])];
    assert_eq!(at(&steps, 8), Some(("again".to_owned(), twice.clone(), 6)));
    assert_eq!(at(&steps, 13), Some(("draft".to_owned(), twice, 11)), "not the context of its agent");
    assert_eq!(sources.line_of(&names(&["two"]), &"draft".into()), Some((steps_source(&sources), 11)));
    assert!(!sources.has(&Source { path: Some("/nowhere.flow.json".to_owned()), ..Source::default() }));
}

fn steps_source(sources: &Sources) -> Source {
    sources.source(sources.documents.iter().position(|document| document.name == "steps.flow.yaml").unwrap())
}

#[test]
fn text_of_a_changed_file_is_that_of_the_recorded_flow() {
    let folder = tempfile::tempdir().unwrap();
    let (_, main, _) = sources(folder.path());
    let mut recorded = flow::read(FLOW).unwrap();
    recorded.nodes.remove("first");
    let sources = Sources::of(&recorded, main.path.as_deref(), &plait_nodes::registry());
    let (source, line) = sources.line_of(&[], &"sub".into()).unwrap();
    assert_eq!((source.path, source.reference), (None, Some(1)));
    let text = sources.text(1).unwrap();
    assert!(text.lines().nth(usize::try_from(line).unwrap() - 1).unwrap().contains("\"sub\""), "{text}");
    assert_eq!(sources.text(99), None);
    assert_eq!(sources.text(i64::MIN), None);
    assert!(!sources.has(&main));
    let (inner, _) = sources.line_of(&["sub".into()], &"inner".into()).unwrap();
    assert_eq!((inner.path, inner.reference), (None, Some(3)));
}
