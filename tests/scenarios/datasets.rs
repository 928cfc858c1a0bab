//! Datasets: rows of files as cases of `plait test`, their table, and grades.

use serde_json::{Value, json};

use crate::flow_tests::{Project, failures, offline, review, scripted};
use crate::support::server::{ModelServer, ServerReply, last_message_text};

/// A dataset of three rows; the answer to the second is wrong.
const CITIES: &str = "\u{feff}city,country\r\nRome,Italy\r\n\"Paris\",Spain\r\nBern,\"Switzerland\"\r\n";

fn suite(dataset: &Value) -> String {
    let check = json!({ "contains": { "text": "in {{country}}" } });
    json!({ "cases": [
        { "name": "cities", "dataset": dataset, "live": true, "input": "Where is {{city}}?", "checks": [check] },
    ] })
    .to_string()
}

fn rows(project: &Project, args: &[&str]) -> Vec<Value> {
    let exported = project.plait(&[&["test", "export", "--format", "jsonl"], args].concat());
    assert_eq!(exported.code, 0, "{exported:#?}");
    exported.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// A model that knows three cities.
async fn atlas() -> ModelServer {
    ModelServer::start(|request, _| {
        let text = last_message_text(request);
        let known = [("Rome", "Italy"), ("Paris", "France"), ("Bern", "Switzerland")];
        let found = known.iter().find(|(city, _)| text.contains(city));
        ServerReply::Text(found.map_or(text.clone(), |(city, country)| format!("{city} is in {country}.")))
    })
    .await
}

/// How often the model was asked about a city, without the judgments.
fn asked(server: &ModelServer, city: &str) -> usize {
    let about = |text: &str| text.starts_with("Answer") && text.contains(city);
    server.calls().iter().filter(|call| about(&last_message_text(call))).count()
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_run_as_cases_and_resume() {
    let server = atlas().await;
    let project = Project::new(&review(&scripted(), "Answer: {{topic}}"));
    project.home.set_provider_url(&server.url).await;
    project.write("cities.csv", CITIES);
    project.write("review.tests.json", &suite(&json!({ "file": "cities.csv", "id": "city" })));

    let refused = project.plait(&["test"]);
    assert!(refused.code == 2 && refused.err.contains("Bill: 3 live runs"), "{refused:#?}");
    assert_eq!(server.calls().len(), 0);

    let (output, value) = project.outcome(&["--yes"]);
    assert_eq!((output.code, &value["passed"], &value["failed"]), (1, &json!(2), &json!(1)), "{value:#}");
    let names: Vec<&str> = value["cases"]
        .as_array()
        .unwrap()
        .iter()
        .map(|case| case["outcome"]["case"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["cities/Rome", "cities/Paris", "cities/Bern"]);
    assert!(failures(&value)[0].contains("in Spain"), "{value:#}");
    let of_all: Vec<usize> = ["Rome", "Paris", "Bern"].map(|city| asked(&server, city)).into();
    assert_eq!(of_all, [1, 1, 1], "{:#?}", server.calls());

    // Only the row that was corrected runs again.
    project.write("cities.csv", &CITIES.replace("Spain", "France"));
    let (output, value) = project.outcome(&["--yes", "--resume"]);
    assert_eq!((output.code, &value["passed"]), (0, &json!(3)), "{value:#}");
    let of_all: Vec<usize> = ["Rome", "Paris", "Bern"].map(|city| asked(&server, city)).into();
    assert_eq!(of_all, [1, 2, 1]);

    let (_, value) = project.outcome(&["--yes", "--rows", "1"]);
    assert_eq!((&value["passed"], asked(&server, "Rome"), asked(&server, "Bern")), (&json!(1), 2, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn grades_stay_with_their_results() {
    let server = atlas().await;
    let project = Project::new(&review(&scripted(), "Answer: {{topic}}"));
    project.home.set_provider_url(&server.url).await;
    project.write("cities.csv", CITIES);
    project.write("review.tests.json", &suite(&json!({ "file": "cities.csv", "id": "city" })));

    let early = project.plait(&["test", "grade", "cities/Rome", "--pass"]);
    assert!(early.code == 2 && early.err.contains("suite.not_run"), "{early:#?}");
    project.outcome(&["--yes"]);
    for args in
        [&["cities/Rome", "--pass"][..], &["cities/Paris", "--score", "2.5", "--note", "Not Spain.\nFrance"]]
    {
        let graded = project.plait(&[&["test", "grade"], args].concat());
        assert_eq!(graded.code, 0, "{graded:#?}");
    }
    let unknown = project.plait(&["test", "grade", "cities/Oslo", "--fail"]);
    assert!(unknown.code == 2 && unknown.err.contains("cities/Oslo"), "{unknown:#?}");

    let exported = project.plait(&["test", "export", "-o", "results.csv"]);
    assert!(exported.code == 0 && exported.err.contains("Wrote 3 rows"), "{exported:#?}");
    let text = project.read("results.csv");
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let header = reader.headers().unwrap().clone();
    let records: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    let cell = |row: usize, name: &str| {
        let column = header.iter().position(|column| column == name).unwrap();
        records[row].get(column).unwrap().to_owned()
    };
    assert_eq!(
        (cell(0, "city"), cell(0, "passed"), cell(0, "grade")),
        ("Rome".into(), "true".into(), "pass".into())
    );
    assert_eq!(
        (cell(1, "country"), cell(1, "passed"), cell(1, "grade"), cell(1, "note")),
        ("Spain".into(), "false".into(), "2.5".into(), "Not Spain.\nFrance".into())
    );
    assert!(cell(1, "out.value").contains("Paris is in France."), "{records:#?}");
    assert!(cell(1, "input_tokens").parse::<u64>().unwrap() > 0);
    assert_eq!(rows(&project, &["--failed"]).len(), 1);
    assert_eq!(rows(&project, &["--graded", "--filter", "Rome"]).len(), 1);

    // A later run is another result: its grade is open, and the earlier one is kept with what it is of.
    project.outcome(&["--yes"]);
    let after = rows(&project, &[]);
    assert!(after.iter().all(|row| row.get("grade").is_none()), "{after:#?}");
    let earlier = &after[1]["earlier"][0];
    assert_eq!((&earlier["grade"]["mark"], &earlier["hasSameOutputs"]), (&json!(2.5), &json!(true)));
    assert!(earlier["result"]["outputs"]["out.value"].as_str().unwrap().contains("France"));

    project.plait(&["test", "grade", "cities/Paris", "--fail"]);
    project.plait(&["test", "grade", "cities/Paris", "--clear"]);
    let cleared = rows(&project, &["--filter", "Paris"]);
    assert_eq!((cleared[0].get("grade"), cleared[0]["earlier"].as_array().unwrap().len()), (None, 1));

    // Nor does a change of the flow lose one.
    project.write("review.flow.json", &review(&scripted(), "Answer at last: {{topic}}").to_string());
    let changed = rows(&project, &["--filter", "Paris"]);
    assert_eq!((changed[0].get("result"), &changed[0]["earlier"][0]["grade"]["mark"]), (None, &json!(2.5)));
}

#[test]
fn problems_of_a_dataset_name_file_and_line() {
    let project = Project::new(&review(&offline(), "Answer: {{topic}}"));
    let file = |name: &str| suite(&json!({ "file": name }));
    let cases = [
        (file("cities.csv"), "city,country\nRome,Italy\nParis\n", "suite.bad_row", "cities.csv:3:"),
        (file("cities.csv"), "city,country\nRome,\"Italy\n", "suite.bad_row", "cities.csv:2:"),
        (file("cities.csv"), "town,country\nRome,Italy\n", "suite.unknown_column", "cities.csv:2:"),
        (file("cities.jsonl"), "{\"city\": \"Rome\"}\n", "suite.unknown_column", "cities.jsonl:1:"),
        (
            file("cities.jsonl"),
            "{\"city\": \"Rome\", \"country\": 1}\n\n{]\n",
            "suite.bad_row",
            "cities.jsonl:3:",
        ),
        (file("cities.csv"), "", "suite.bad_dataset", "cities.csv:1:"),
        (file("cities.xlsx"), "PK", "suite.bad_dataset", "cities.xlsx"),
        (file("../cities.csv"), "", "suite.bad_dataset", "review.tests.json:1:"),
        (file("/etc/passwd.csv"), "", "suite.bad_dataset", "review.tests.json:1:"),
        (file("none.csv"), "", "suite.dataset_not_read", "none.csv"),
        (suite(&json!({ "file": "cities.csv", "limit": 0 })), "", "suite.invalid", "review.tests.json:1:"),
        (
            suite(&json!({ "file": "a.jsonl", "separator": ";" })),
            "",
            "suite.no_effect",
            "review.tests.json:1:",
        ),
        (suite(&json!({ "table": "cities.csv" })), "", "suite.invalid", "review.tests.json:1:"),
    ];
    for (text, dataset, code, place) in cases {
        project.write("cities.csv", dataset);
        project.write("cities.jsonl", dataset);
        project.write("cities.xlsx", dataset);
        project.write("review.tests.json", &text);
        let refused = project.plait(&["test", "--yes"]);
        assert_eq!(refused.code, 2, "{text}\n{refused:#?}");
        let names = refused.err.contains(&format!("error[{code}]")) && refused.err.contains(place);
        assert!(names, "{text}\n{refused:#?}");
    }
}

/// A repository of somebody else could have such a suite.
#[cfg(unix)]
#[test]
fn what_a_suite_names_is_read_only_if_it_is_its_own_file() {
    let project = Project::new(&review(&offline(), "Answer: {{topic}}"));
    let secret = tempfile::tempdir().unwrap();
    let outside = secret.path().join("secret.csv");
    std::fs::write(&outside, "city,country\nkey,0123\n").unwrap();
    std::os::unix::fs::symlink(&outside, project.path("linked.csv")).unwrap();
    let refused = |file: &str| {
        project.write("review.tests.json", &suite(&json!({ "file": file })));
        project.plait(&["test", "--yes"])
    };
    let output = refused("linked.csv");
    assert!(output.code == 2 && output.err.contains("leads out of the folder"), "{output:#?}");
    assert!(!output.err.contains("0123"), "{output:#?}");

    let pipe = std::process::Command::new("mkfifo").arg(project.path("pipe.csv")).status().unwrap();
    assert!(pipe.success());
    let output = refused("pipe.csv");
    assert!(output.code == 2 && output.err.contains("no regular file"), "{output:#?}");

    for recording in ["pipe.csv", "/dev/zero"] {
        let case = json!({ "name": "tea", "recording": recording });
        project.write("review.tests.json", &json!({ "cases": [case] }).to_string());
        let (output, value) = project.outcome(&[]);
        assert_eq!(output.code, 1, "{output:#?}");
        assert!(failures(&value)[0].contains("no regular file"), "{value:#}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_live_case_that_names_no_node_of_the_flow_calls_nobody() {
    let server = atlas().await;
    let project = Project::new(&review(&scripted(), "Answer: {{topic}}"));
    project.home.set_provider_url(&server.url).await;
    for part in [
        json!({ "checks": [{ "contains": { "output": "daft.response", "text": "tea" } }] }),
        json!({ "answers": [{ "node": "nobody", "value": "yes" }] }),
    ] {
        let mut case = json!({ "name": "tea", "live": true, "input": "tea" });
        case.as_object_mut().unwrap().extend(part.as_object().unwrap().clone());
        project.write("review.tests.json", &json!({ "cases": [case] }).to_string());
        let (output, value) = project.outcome(&["--yes"]);
        assert_eq!(output.code, 1, "{output:#?}");
        assert!(failures(&value)[0].contains("The flow has no node"), "{value:#}");
    }
    assert_eq!(server.calls().len(), 0);
}
