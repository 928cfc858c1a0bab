use super::publication_name;

#[test]
fn name_of_a_publication_is_that_of_the_file_in_what_addresses_have() {
    for (path, name) in [
        ("/home/ann/Support Bot.flow.json", "support-bot"),
        ("C:\\flows\\Order.yaml", "order"),
        ("weekly_report.v2.json", "weekly_report.v2"),
        ("Grüße an Ann", "gr-e-an-ann"),
    ] {
        assert_eq!(publication_name(path), name);
    }
}
