use super::*;
use proptest::prelude::*;

fn key(byte: u8) -> Master {
    Master::Key(Zeroizing::new([byte; KEY_BYTES]))
}

fn words(text: &str) -> Master {
    Master::Passphrase(SecretString::from(text))
}

proptest! {
    #[test]
    fn any_bytes_come_back(plain in proptest::collection::vec(any::<u8>(), 0..600), byte: u8) {
        let sealed = seal(&plain, &key(byte)).expect("sealed");
        prop_assert_eq!(&**open(&sealed, &key(byte)).expect("opened"), &plain);
        prop_assert!(plain.len() < 4 || !sealed.windows(plain.len()).any(|part| part == plain));
        prop_assert_eq!(open(&sealed, &key(byte.wrapping_add(1))), Err(Trouble::DoesNotOpen));
    }
}

#[test]
fn every_truncation_and_every_flipped_bit_is_told() {
    let sealed = seal(b"{\"openai\":\"sk-1\"}", &key(7)).expect("sealed");
    for length in 0..sealed.len() {
        assert!(open(&sealed[..length], &key(7)).is_err(), "cut to {length}");
    }
    for bit in 0..sealed.len() * 8 {
        let mut changed = sealed.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        assert!(open(&changed, &key(7)).is_err(), "bit {bit}");
    }
    let mut longer = sealed;
    longer.push(0);
    assert!(open(&longer, &key(7)).is_err());
}

#[test]
fn a_passphrase_opens_what_it_sealed_and_no_other_does() {
    let sealed = seal(b"plain", &words("correct horse")).expect("sealed");
    assert_eq!(lock_of(&sealed), Ok(Lock::Passphrase));
    assert_eq!(&**open(&sealed, &words("correct horse")).expect("opened"), b"plain");
    assert_eq!(open(&sealed, &words("correct horsf")), Err(Trouble::DoesNotOpen));
    assert_eq!(open(&sealed, &key(0)), Err(Trouble::DoesNotOpen), "a key is no passphrase");
    let mut salted = sealed;
    salted[SALT.start] ^= 1;
    assert_eq!(open(&salted, &words("correct horse")), Err(Trouble::DoesNotOpen));
}

#[test]
fn nothing_is_sealed_twice_alike_and_newer_files_are_told_from_broken_ones() {
    let (one, two) = (seal(b"same", &key(1)).expect("sealed"), seal(b"same", &key(1)).expect("sealed"));
    assert_ne!(one[HEADER..], two[HEADER..]);
    let mut newer = one.clone();
    newer[8] = 9;
    assert_eq!(lock_of(&newer), Err(Trouble::Newer(9)));
    assert_eq!(lock_of(b"PLAITKEY"), Err(Trouble::NotSealed));
    assert_eq!(lock_of(&[0; 80]), Err(Trouble::NotSealed));
}
