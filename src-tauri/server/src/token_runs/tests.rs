use super::*;

fn run(number: u32) -> RunId {
    RunId::from(format!("0190a0b0-0000-7000-8000-{number:012}"))
}

#[test]
fn runs_at_work_take_the_places_of_their_token() {
    let runs = TokenRuns::default();
    runs.place("ann", 2, |_| true).unwrap().fill(run(1));
    let starting = runs.place("ann", 2, |_| true).unwrap();
    assert_eq!(runs.place("ann", 2, |_| true).err().unwrap().code, "host.runs");
    drop(runs.place("bob", 2, |_| true).unwrap());
    // The start failed.
    drop(starting);
    runs.place("ann", 2, |_| true).unwrap().fill(run(2));
    runs.place("ann", 2, |_| true).err().unwrap();
    // One of them waits for a person.
    runs.place("ann", 2, |of| *of == run(2)).unwrap().fill(run(3));
    runs.place("ann", 2, |_| true).err().unwrap();
}
