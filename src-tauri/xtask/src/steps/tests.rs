use super::*;

fn shell(script: &str) -> Step {
    let mut command = Command::new("sh");
    command.args(["-c", script]);
    Step::new("a step", command)
}

#[test]
fn failed_step_reports_title_and_status() {
    let error = shell("echo why >&2; exit 3").run().unwrap_err();
    assert_eq!(error.to_string(), "a step: exit status: 3");
}

#[test]
fn captured_output_is_standard_output() {
    assert_eq!(shell("echo one; echo two >&2; echo three").capture_output().unwrap(), ["one", "three"]);
}

#[test]
fn missing_program_is_named() {
    let error = Step::new("a step", Command::new("no-such-program")).run_with_output().unwrap_err();
    assert!(error.to_string().contains("`no-such-program` cannot be started"), "{error}");
}

#[test]
fn step_ends_with_its_program_despite_a_running_grandchild() {
    let start = Instant::now();
    shell("sleep 60 & exit 0").run().unwrap();
    assert!(start.elapsed() < Duration::from_secs(30));
}

#[test]
fn step_timeout_kills_the_whole_group() {
    let marker = format!("sleep 6{}", std::process::id());
    let mut step = shell(&format!("{marker} & wait"));
    step.timeout = Duration::from_millis(300);
    let error = step.run().unwrap_err();
    assert!(error.to_string().contains("took longer"), "{error}");
    let listed = Command::new("ps").args(["-e", "-o", "stat=,args="]).output().unwrap();
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    let alive = listed.lines().any(|line| line.contains(&marker) && !line.starts_with('Z'));
    assert!(!alive, "{listed}");
}
