use super::*;

fn shell(script: &str) -> Step {
    let mut command = Command::new("sh");
    command.args(["-c", script]);
    Step::new("a step", command)
}

#[test]
fn a_failing_step_says_which_and_how() {
    let error = shell("echo why >&2; exit 3").quietly().unwrap_err();
    assert_eq!(error.to_string(), "a step: exit status: 3");
}

#[test]
fn the_output_asked_for_is_the_standard_one() {
    assert_eq!(shell("echo one; echo two >&2; echo three").for_its_output().unwrap(), ["one", "three"]);
}

#[test]
fn a_program_that_is_not_there_is_named() {
    let error = Step::new("a step", Command::new("no-such-program")).aloud().unwrap_err();
    assert!(error.to_string().contains("`no-such-program` cannot be started"), "{error}");
}

#[test]
fn a_step_ends_with_its_program_even_if_a_child_of_that_lives_on() {
    let start = Instant::now();
    shell("sleep 60 & exit 0").quietly().unwrap();
    assert!(start.elapsed() < Duration::from_secs(30));
}

#[test]
fn a_step_that_never_ends_is_stopped_with_its_children() {
    let marker = format!("sleep 6{}", std::process::id());
    let mut step = shell(&format!("{marker} & wait"));
    step.limit = Duration::from_millis(300);
    let error = step.quietly().unwrap_err();
    assert!(error.to_string().contains("took longer"), "{error}");
    let listed = Command::new("ps").args(["-e", "-o", "stat=,args="]).output().unwrap();
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    let alive = listed.lines().any(|line| line.contains(&marker) && !line.starts_with('Z'));
    assert!(!alive, "{listed}");
}
