use super::{ABOUT, Recording};
use crate::recordings::file::{Part, check, write};

/// What is said about a file with these parts.
fn error_of(parts: &[(&str, &str)]) -> String {
    let part =
        |(name, text): &(&str, &str)| Part { name: (*name).to_owned(), bytes: text.as_bytes().to_vec() };
    let parts: Vec<Part> = parts.iter().map(part).collect();
    Recording::read(check(&write(&parts).unwrap().0).unwrap()).unwrap_err().message
}

#[test]
fn parts_that_no_recording_has_are_refused_by_name() {
    let about = (ABOUT, "{\"plait\":\"1\"}");
    for name in ["../../.bashrc", "/etc/passwd", "runs/../x.jsonl", "flows/..", "C:\\x"] {
        assert!(error_of(&[about, (name, "x")]).contains(&format!("`{name}`")), "{name}");
    }
}

#[test]
fn parts_that_make_no_sense_are_refused_by_name() {
    let about = (ABOUT, "{\"plait\":\"1\"}");
    let run = "runs/0193e2a1-7c3b-7d52-9a41-3f2f7c6f1a10.jsonl";
    for (parts, named) in [
        (vec![about], "there is no run"),
        (vec![(run, "")], "does not begin with the start of its run"),
        (vec![about, (run, "{\"seq\":0}\n")], "event 0 can't be read"),
        (vec![about, ("flows/00.json", "{}")], "its name is not its hash"),
        (vec![about, ("attachments/00", "{}")], "its name is not its hash"),
        (vec![(ABOUT, "[")], "`about.json`"),
    ] {
        assert!(error_of(&parts).contains(named), "{named}: {}", error_of(&parts));
    }
}
