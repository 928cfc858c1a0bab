//! The number of pages of a PDF, without reading its structure: for an estimate of its tokens.

/// The most pages that are believed.
const MAX_PAGES: u32 = 10_000;

/// How many pages the tree of pages says it has: its root has the largest `/Count`. None if the tree is compressed, as it may be since
/// PDF 1.5.
pub(super) fn count_pages(bytes: &[u8]) -> Option<u32> {
    const COUNT: &[u8] = b"/Count";
    let mut most = None;
    let mut at = 0;
    while let Some(found) = bytes[at..].windows(COUNT.len()).position(|window| window == COUNT) {
        at += found + COUNT.len();
        most = most.max(read_number(&bytes[at..]));
    }
    most.filter(|pages| (1..=MAX_PAGES).contains(pages))
}

/// The number at the beginning, after spaces.
fn read_number(bytes: &[u8]) -> Option<u32> {
    let digits = bytes.iter().skip_while(|byte| byte.is_ascii_whitespace());
    let digits: String =
        digits.take_while(|byte| byte.is_ascii_digit()).take(6).map(|byte| char::from(*byte)).collect();
    digits.parse().ok()
}
