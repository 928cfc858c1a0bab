use super::*;
use crate::keys::KeyStore;
use proptest::prelude::*;

const KEY: &str = "sk-0123456789abcdef";

proptest! {
    /// However a stream is cut up, what is shown is what the whole, redacted, says.
    #[test]
    fn no_cut_lets_a_key_through(
        words in proptest::collection::vec(prop_oneof!["[a-z ]{0,6}", Just(KEY.to_owned()), Just("sk-0123".to_owned())], 0..8),
        cuts in proptest::collection::vec(0_usize..120, 0..30),
    ) {
        let keys = KeyStore::in_memory();
        keys.give("openai", KEY).expect("given");
        let whole = words.concat();
        let mut cuts: Vec<_> = cuts.into_iter().filter(|cut| *cut < whole.len()).collect();
        cuts.extend([0, whole.len()]);
        cuts.sort_unstable();
        let mut shown = String::new();
        let mut sink = |chunk: Chunk| if let Chunk::Text(text) = chunk { shown.push_str(&text) };
        let mut speech = Speech::new(keys.redaction(), &mut sink);
        for cut in cuts.windows(2) {
            speech.take(Chunk::Text(whole[cut[0]..cut[1]].to_owned()));
        }
        speech.finish();
        prop_assert!(!shown.contains(KEY));
        prop_assert_eq!(shown, keys.redaction().text(&whole));
    }
}
