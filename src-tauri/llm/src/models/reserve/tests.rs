use super::*;

#[test]
fn reserve_is_max_tokens_or_a_quarter_of_the_window() {
    assert_eq!(reserve(8_192, None), 2_048 + 128);
    assert_eq!(reserve(1_000_000, None), 16_384 + 15_625);
    assert_eq!(reserve(8_192, Some(500)), 500 + 128);
    assert_eq!(reserve(0, None), 0);
}
