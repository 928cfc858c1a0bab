//! Cases that failed once, in the notation of failure messages. Every property replays them before its random cases.

use crate::generate::Case;

/// Each case is headed by a line `== name`.
const CASES: &str = include_str!("regressions.txt");

/// The cases with their names.
pub fn all() -> impl Iterator<Item = (&'static str, Case)> {
    CASES.split("\n== ").skip(1).map(|text| {
        let (name, case) = text.split_once('\n').unwrap();
        (name, Case::written(case))
    })
}

#[test]
fn written_case_reads_back() {
    for (name, case) in all() {
        let again = Case::written(&format!("{case:?}"));
        assert_eq!(format!("{again:?}"), format!("{case:?}"), "{name}");
        assert_eq!(again.flow, case.flow, "{name}");
    }
}
