use serde_json::json;

use super::*;
use crate::{Options, Parts};

#[test]
fn what_is_about_the_window_stays_on_this_machine() {
    for name in ["settings.get", "hosts.pull", "autosave.put", "dialog.open", "image.save"] {
        assert!(is_of_this_machine(name), "{name}");
    }
    for name in ["runs.list", "flow.open", "run.answer", "nodes.list", "published.list", "host.about"] {
        assert!(!is_of_this_machine(name), "{name}");
    }
}

#[tokio::test]
async fn host_that_is_not_in_the_list_executes_nothing() {
    let home = tempfile::tempdir().unwrap();
    let app = Plait::open(Options::new(home.path(), Parts::all())).unwrap();
    let asked = dispatch_in_window(&app, Some("team"), "runs.list", json!({})).await;
    assert_eq!(asked.unwrap_err().code, "hosts.unknown");
    dispatch_in_window(&app, Some("team"), "settings.get", json!({})).await.unwrap();
    dispatch_in_window(&app, None, "runs.list", json!({})).await.unwrap();
}
