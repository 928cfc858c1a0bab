use super::*;
use std::process::Command;

#[test]
fn drop_ends_grandchildren() {
    let mut child = Command::new("sh").args(["-c", "sh -c 'sleep 300 & wait' & wait"]).spawn().unwrap();
    let root = child.id();
    while descendants(root).len() < 3 {
        assert!(child.try_wait().unwrap().is_none(), "the shell ended early");
        std::thread::yield_now();
    }
    let all = descendants(root);
    drop(ChildGuard::new(child));
    let alive = |pid: u32| {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        !stat.is_empty() && !stat.contains(") Z ")
    };
    // The kernel needs a moment.
    for _ in 0..100 {
        if !all.iter().any(|pid| alive(*pid)) {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    panic!("still alive: {all:?}");
}
