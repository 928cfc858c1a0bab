use super::*;
use proptest::prelude::*;

fn key(byte: u8) -> MasterKey {
    MasterKey::Random(Zeroizing::new([byte; KEY_BYTES]))
}

fn passphrase(text: &str) -> MasterKey {
    MasterKey::Passphrase(SecretString::from(text))
}

proptest! {
    #[test]
    fn encryption_round_trips(plain in proptest::collection::vec(any::<u8>(), 0..600), byte: u8) {
        let encrypted = encrypt(&plain, &key(byte)).expect("encrypted");
        prop_assert_eq!(&**decrypt(&encrypted, &key(byte)).expect("decrypted"), &plain);
        prop_assert!(plain.len() < 4 || !encrypted.windows(plain.len()).any(|part| part == plain));
        prop_assert_eq!(decrypt(&encrypted, &key(byte.wrapping_add(1))), Err(EncryptionError::WrongKey));
    }
}

#[test]
fn decrypt_rejects_truncated_and_modified_bytes() {
    let encrypted = encrypt(b"{\"openai\":\"sk-1\"}", &key(7)).expect("encrypted");
    for length in 0..encrypted.len() {
        assert!(decrypt(&encrypted[..length], &key(7)).is_err(), "cut to {length}");
    }
    for bit in 0..encrypted.len() * 8 {
        let mut changed = encrypted.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        assert!(decrypt(&changed, &key(7)).is_err(), "bit {bit}");
    }
    let mut longer = encrypted;
    longer.push(0);
    assert!(decrypt(&longer, &key(7)).is_err());
}

#[test]
fn decrypt_requires_the_same_passphrase() {
    let encrypted = encrypt(b"plain", &passphrase("correct horse")).expect("encrypted");
    assert_eq!(protection_of(&encrypted), Ok(Protection::Passphrase));
    assert_eq!(&**decrypt(&encrypted, &passphrase("correct horse")).expect("decrypted"), b"plain");
    assert_eq!(decrypt(&encrypted, &passphrase("correct horsf")), Err(EncryptionError::WrongKey));
    assert_eq!(decrypt(&encrypted, &key(0)), Err(EncryptionError::WrongKey), "a key is not a passphrase");
    let mut salted = encrypted;
    salted[SALT.start] ^= 1;
    assert_eq!(decrypt(&salted, &passphrase("correct horse")), Err(EncryptionError::WrongKey));
}

#[test]
fn encrypt_is_randomized_and_newer_formats_are_recognized() {
    let (one, two) =
        (encrypt(b"same", &key(1)).expect("encrypted"), encrypt(b"same", &key(1)).expect("encrypted"));
    assert_ne!(one[HEADER_BYTES..], two[HEADER_BYTES..]);
    let mut newer = one.clone();
    newer[8] = 9;
    assert_eq!(protection_of(&newer), Err(EncryptionError::Newer(9)));
    assert_eq!(protection_of(b"PLAITKEY"), Err(EncryptionError::InvalidFormat));
    assert_eq!(protection_of(&[0; 80]), Err(EncryptionError::InvalidFormat));
}
