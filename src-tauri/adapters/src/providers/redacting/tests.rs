use super::*;
use crate::keys::{KeyOwner, KeyStore};
use proptest::prelude::*;

const KEY: &str = "sk-0123456789abcdef";

proptest! {
    /// However a stream is split, its redacted chunks add up to the redacted whole.
    #[test]
    fn stream_redactor_passes_no_key_at_any_split(
        words in proptest::collection::vec(prop_oneof!["[a-z ]{0,6}", Just(KEY.to_owned()), Just("sk-0123".to_owned())], 0..8),
        cuts in proptest::collection::vec(0_usize..120, 0..30),
    ) {
        let keys = KeyStore::in_memory();
        keys.set_session_key(&KeyOwner::new("openai", None), KEY).expect("set");
        let whole = words.concat();
        let mut cuts: Vec<_> = cuts.into_iter().filter(|cut| *cut < whole.len()).collect();
        cuts.extend([0, whole.len()]);
        cuts.sort_unstable();
        let mut streamed = String::new();
        let mut sink = |chunk: Chunk| if let Chunk::Text(text) = chunk { streamed.push_str(&text) };
        let mut redactor = StreamRedactor::new(keys.redaction(), &mut sink);
        for cut in cuts.windows(2) {
            redactor.push(Chunk::Text(whole[cut[0]..cut[1]].to_owned()));
        }
        redactor.finish();
        prop_assert!(!streamed.contains(KEY));
        prop_assert_eq!(streamed, keys.redaction().text(&whole).into_owned());
    }
}
