use std::fs;

use serde_json::json;

use super::*;
use crate::flows::FlowService;
use crate::{Options, Parts, Plait};

/// Runs use the settings in force, so a check does.
#[test]
fn settings_in_force_count_also_when_the_file_was_changed() {
    let home = tempfile::tempdir().expect("folder");
    let path = home.path().join("settings.json");
    fs::write(&path, r#"{"config":{"retry.attempts":5}}"#).expect("written");
    let app =
        Plait::open(Options::new(home.path(), Parts::all())).map_err(|error| error.message).expect("opened");
    fs::write(&path, r#"{"config":{"retry.attempts":7}}"#).expect("written");
    let flows: &FlowService = app.as_ref();
    assert_eq!(Installed::of(&flows.installed).config.get("retry.attempts"), Some(&json!(5)));
}
