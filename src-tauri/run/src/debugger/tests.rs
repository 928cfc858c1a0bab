use std::convert::Infallible;

use super::*;

/// Whether a run stops the tree, and whether it said so in its journal.
fn stops(debugger: &Debugger, run: &str) -> (bool, bool) {
    let mut is_recorded = false;
    let record = || -> Result<(), Infallible> {
        is_recorded = true;
        Ok(())
    };
    let Ok(stopped) = debugger.stop(&run.into(), record);
    (stopped, is_recorded)
}

#[test]
fn one_of_two_runs_that_stop_at_once_holds_the_tree() {
    let debugger = Debugger::default();
    assert_eq!(stops(&debugger, "first"), (true, true));
    assert_eq!(stops(&debugger, "second"), (false, false), "its place comes up again");
    assert_eq!(debugger.held_by(), Some("first".into()));
    debugger.release(DebugVerb::Continue);
    assert_eq!(stops(&debugger, "second"), (true, true));
}

#[test]
fn step_ends_where_any_run_stops_first() {
    let debugger = Debugger::default();
    assert_eq!(stops(&debugger, "root"), (true, true));
    debugger.begin_step(DebugVerb::Over);
    debugger.cover(&"child".into());
    assert_eq!(stops(&debugger, "child"), (true, true));
    assert!(debugger.holds(&"child".into()), "the step covers it no more");
    assert_eq!(stops(&debugger, "root"), (false, false));
}

#[test]
fn stop_that_cannot_be_recorded_holds_nothing() {
    let debugger = Debugger::default();
    assert_eq!(debugger.stop(&"run".into(), || Err("full")), Err("full"));
    assert_eq!(debugger.held_by(), None);
}
