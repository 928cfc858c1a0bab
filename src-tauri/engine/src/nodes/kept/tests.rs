use super::*;

fn makes(kept: &Kept<usize>, sources: impl Iterator<Item = usize>) -> usize {
    let mut made = 0;
    for source in sources {
        kept.get_or_make(&source.to_string(), || {
            made += 1;
            source
        });
    }
    made
}

#[test]
fn what_is_in_use_stays_while_others_come_and_go() {
    let kept = Kept::new();
    let with_another = (1..2_000).flat_map(|other| [0, other]);
    assert_eq!(makes(&kept, with_another), 2_000, "each once");
}

#[test]
fn one_text_more_than_a_half_holds_does_not_have_all_made_again() {
    let kept = Kept::new();
    assert_eq!(makes(&kept, 0..=MOST), MOST + 1);
    assert_eq!(makes(&kept, 0..=MOST), 0);
}

#[test]
fn no_more_are_kept_than_two_halves() {
    let kept = Kept::new();
    makes(&kept, 0..10 * MOST);
    let halves = kept.0.lock().unwrap();
    assert_eq!((halves.lately.len(), halves.before.len()), (MOST, MOST));
}
