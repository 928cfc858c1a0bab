//! A save survives a crash at each of its steps, and each error has its code.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::*;
use crate::atomic_file::{Step, replace_stepwise};

fn code(result: Result<impl std::fmt::Debug, Fault>) -> String {
    result.expect_err("a fault").code.to_string()
}

#[test]
fn write_that_crashes_leaves_the_old_or_the_new_text() {
    let old = "old ".repeat(5_000);
    let new = "new ".repeat(9_000);
    let mut steps = Vec::new();
    let home = tempfile::tempdir().expect("folder");
    replace_stepwise(&home.path().join("probe"), new.as_bytes(), &mut |step| steps.push(step))
        .expect("saved");
    assert!(steps.len() > 10 && steps.last() == Some(&Step::SyncFolder), "{steps:?}");

    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("a.flow.json");
    fs::write(&path, &old).expect("written");
    // The content at each step is what a crash at that step leaves.
    let mut seen = Vec::new();
    replace_stepwise(&path, new.as_bytes(), &mut |step| {
        let found = fs::read_to_string(&path).expect("readable");
        let expected = if step == Step::SyncFolder { &new } else { &old };
        assert!(found == *expected, "torn at {step:?}");
        seen.push(step);
    })
    .expect("saved");
    assert_eq!(seen, steps);

    // A crashed save leaves its temporary file, which does not disturb the next save.
    let crashed = catch_unwind(AssertUnwindSafe(|| {
        replace_stepwise(&path, old.as_bytes(), &mut |step| assert!(step != Step::Rename, "crash"))
    }));
    assert!(crashed.is_err());
    write(&path, "next", None).expect("saved");
    assert_eq!(read(&path).expect("read").text, "next");
}

#[test]
fn read_returns_what_write_wrote() {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("a.flow.json");
    let hash = write(&path, "{\"größe\": 1}", None).expect("saved");
    let flow = read(&path).expect("read");
    assert_eq!((flow.text.as_str(), &flow.hash), ("{\"größe\": 1}", &hash));
    assert!(flow.path.is_absolute());
    fs::write(&path, "\u{feff}{}").expect("written");
    assert_eq!(read(&path).expect("read").text, "{}", "the byte order mark is removed");
    let files: Vec<_> = fs::read_dir(folder.path()).expect("folder").collect();
    assert_eq!(files.len(), 1, "no temporary file remains");
}

#[test]
fn write_keeps_permissions_and_links() {
    let folder = tempfile::tempdir().expect("folder");
    let (real, link) = (folder.path().join("real.json"), folder.path().join("link.json"));
    fs::write(&real, "old").expect("written");
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).expect("set");
    std::os::unix::fs::symlink(&real, &link).expect("linked");
    write(&link, "new", None).expect("saved");
    assert!(fs::symlink_metadata(&link).expect("there").is_symlink());
    assert_eq!(fs::read_to_string(&real).expect("read"), "new");
    assert_eq!(fs::metadata(&real).expect("there").permissions().mode() & 0o777, 0o640);
}

#[test]
fn write_refuses_a_file_changed_by_another_program() {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("a.flow.json");
    let hash = write(&path, "mine", None).expect("saved");
    assert!(write(&path, "mine 2", Some(&hash)).is_ok());
    assert_eq!(code(write(&path, "mine 3", Some(&hash))), "flow.changed_on_disk");
    assert_eq!(read(&path).expect("read").text, "mine 2");
    // A file that can't be read may have changed, too. (Root can read it, and sees the change.)
    fs::set_permissions(&path, fs::Permissions::from_mode(0o200)).expect("set");
    assert!(write(&path, "mine 3", Some("another")).is_err());
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).expect("set");
    assert_eq!(read(&path).expect("read").text, "mine 2");
    fs::remove_file(&path).expect("removed");
    assert!(write(&path, "mine 4", Some(&hash)).is_ok(), "a missing file is written");
}

#[test]
fn errors_have_codes() {
    let folder = tempfile::tempdir().expect("folder");
    let at = |name: &str| folder.path().join(name);
    assert_eq!(code(read(&at("missing"))), "flow.not_found");
    assert_eq!(code(read(folder.path())), "flow.unreadable");
    fs::write(at("latin"), b"{\"gr\xf6\xdfe\": 1}").expect("written");
    let fault = read(&at("latin")).expect_err("not text");
    assert_eq!(fault.code, "flow.not_text");
    assert!(fault.message.contains("byte 4"), "{fault}");
    assert_eq!(code(write(&at("no/such/folder"), "x", None)), "flow.not_found");
    assert_eq!(code(write(folder.path(), "x", None)), "flow.unwritable");
    fs::write(at("fixed"), "old").expect("written");
    fs::set_permissions(at("fixed"), fs::Permissions::from_mode(0o444)).expect("set");
    assert_eq!(code(write(&at("fixed"), "x", None)), "flow.read_only");
    assert_eq!(fs::read_to_string(at("fixed")).expect("read"), "old");
}
