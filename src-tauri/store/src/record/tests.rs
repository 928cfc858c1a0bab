use std::path::Path;

use plait_journal::view::RunView;

use super::*;

/// The journals that the folds of events share.
fn journals() -> Vec<(String, Vec<Entry>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/folds");
    let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    let read = files.map(|path| {
        let mut vector: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        (path.display().to_string(), serde_json::from_value(vector["journal"].take()).unwrap())
    });
    read.collect()
}

#[test]
fn working_time_is_that_of_the_view() {
    let mut idle = 0;
    for (name, entries) in journals() {
        let Some((first, rest)) = entries.split_first() else { continue };
        let Some(mut record) = RunRecord::begin(first) else { continue };
        for entry in rest {
            record.apply(entry);
        }
        assert_eq!(record.worked_ms(), RunView::of(&entries).worked_ms(), "{name}");
        idle += record.idle_ms;
    }
    assert!(idle > 0, "no journal has a wait, a stop or an interruption");
}
