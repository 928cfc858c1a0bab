use plait_adapters::Redaction;
use serde_json::json;

use super::Mask;
use crate::codes;

#[test]
fn name_has_one_placeholder_in_any_case_and_the_longer_name_wins() {
    let redaction = Redaction::default();
    let mask =
        Mask::new(&["Ada".to_owned(), "Ada Lovelace".to_owned(), "Müller".to_owned()], &redaction).unwrap();
    let value =
        json!({ "ada": ["ADA said", "to Ada Lovelace and MÜLLER"], "metadata": "AdaMüller's ada_1, Adam" });
    let masked = json!({
        "MASKED_1": ["MASKED_1 said", "to MASKED_2 and MASKED_3"],
        "metadata": "MASKED_1MASKED_3's MASKED_1_1, Adam",
    });
    assert_eq!(mask.value(value), masked);
}

#[test]
fn single_letters_are_refused() {
    let redaction = Redaction::default();
    let error = Mask::new(&["a".to_owned()], &redaction).err().unwrap();
    assert_eq!(error.code, codes::RECORDING_MASK);
}
