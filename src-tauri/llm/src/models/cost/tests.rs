use super::*;

#[test]
fn unknown_price_is_never_displayed_as_zero() {
    let shown = |calls: &[Option<u64>]| calls.iter().copied().map(Cost::of_call).sum::<Cost>().to_string();
    assert_eq!(shown(&[]), "$0");
    assert_eq!(shown(&[Some(0)]), "$0");
    assert_eq!(shown(&[None]), "—");
    assert_eq!(shown(&[None, Some(0)]), "—");
    assert_eq!(shown(&[Some(4_200_000)]), "$0.0042");
    assert_eq!(shown(&[Some(4_200_000), None, None]), "≥ $0.0042");
    assert_eq!(shown(&[Some(12_345_678_901)]), "$12.35");
    assert_eq!(shown(&[Some(99_999)]), "< $0.0001");
    assert_eq!(shown(&[Some(99_999), None]), "> $0");
    assert_eq!(shown(&[Some(u64::MAX), Some(1)]), Cost { nano_usd: u64::MAX, unpriced: 0 }.to_string());
}
