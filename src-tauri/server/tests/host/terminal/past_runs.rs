//! What is done with runs that are there already: canceled, retried, run again, watched, compared, counted.

use serde_json::json;

use super::Terminal;
use crate::process::{Data, ask_flow};

#[tokio::test(flavor = "multi_thread")]
async fn runs_are_canceled_retried_compared_and_counted_from_a_terminal() {
    let data = Data::new();
    let host = data.serve();
    let terminal = Terminal::of(&data, &host, "editor");
    terminal.write("ask.flow.json", &ask_flow());
    assert_eq!(terminal.on_host(&["publish", "ask.flow.json"]).0, 0);
    assert_eq!(terminal.on_host(&["run", "ask"]).0, 3);
    let first = terminal.json_on_host(&["runs", "list", "--json"])[0]["run"].as_str().unwrap().to_owned();
    let (code, _, error) = terminal.on_host(&["cancel", &first]);
    assert_eq!(code, 0, "{error}");
    let (code, out, error) = terminal.on_host(&["retry", &first, "--answer", "Ann"]);
    assert_eq!((code, out.trim()), (0, "Ann"), "{error}");
    let (code, out, error) = terminal.on_host(&["rerun", &first, "--yes", "--answer", "Bob"]);
    assert_eq!((code, out.trim()), (0, "Bob"), "{error}");
    let runs = terminal.json_on_host(&["runs", "list", "--json"]);
    let statuses: Vec<_> = runs.as_array().unwrap().iter().map(|run| &run["status"]).collect();
    assert_eq!(statuses, [&json!("finished"), &json!("finished"), &json!("cancelled")], "{runs}");
    let (code, out, error) = terminal.on_host(&["watch", "last", "--json"]);
    assert_eq!((code, out.contains("\"run.finished\"")), (0, true), "{out}{error}");
    let [last, retried] = [0, 1].map(|index| runs[index]["run"].as_str().unwrap());
    let (code, out, error) = terminal.on_host(&["diff", retried, last]);
    assert_eq!((code, out.contains("Ann") && out.contains("Bob")), (1, true), "{out}{error}");
    let (code, out, error) = terminal.on_host(&["debug", "last", "stops"]);
    assert_eq!((code, error.contains("debug.moved_on")), (1, true), "{out}{error}");
    let (code, out, error) = terminal.on_host(&["usage"]);
    assert_eq!(code, 0, "{out}{error}");
    let (code, out, error) = terminal.on_host(&["conversations", "list", "--json"]);
    assert_eq!((code, out.trim()), (0, "[]"), "{error}");
}
