use super::*;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};

#[test]
fn base64_of_a_text_contains_the_form_of_the_secret_at_every_offset() {
    let secret = "sk-proj-0123456789?>~abcdefgh";
    for offset in 0..3 {
        let text = format!("{}{secret} and more", "x".repeat(offset + 3));
        for encoded in [STANDARD.encode(&text), URL_SAFE_NO_PAD.encode(&text)] {
            let (form, encoded) = (fold(&base64_at(secret, offset)), fold(&encoded));
            assert!(encoded.windows(form.len()).any(|window| window == form), "{offset}");
            assert!(form.len() >= secret.len() * 4 / 3 - 2, "{}", form.len());
        }
    }
}

#[test]
fn only_secrets_with_fragments_match_in_part() {
    let secret = "0123456789abcdefghijklmnop";
    assert!(disguises(secret, true).iter().all(|form| form.min_match < form.folded.len()));
    assert!(disguises(secret, false).iter().all(|form| form.min_match == form.folded.len()));
    assert_eq!(disguises("short-key", true)[0], Disguise { folded: b"short+key".to_vec(), min_match: 9 });
}
