use super::*;

#[test]
fn a_quarter_at_most_16_384_or_what_is_set() {
    assert_eq!(reserve(8_192, None), 2_048 + 128);
    assert_eq!(reserve(1_000_000, None), 16_384 + 15_625);
    assert_eq!(reserve(8_192, Some(500)), 500 + 128);
    assert_eq!(reserve(0, None), 0);
}
