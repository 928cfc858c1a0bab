use plait_core::id::Epoch;
use proptest::prelude::*;

use super::*;

proptest! {
    #[test]
    fn notices_of_a_text_are_small_and_hold_all_of_it(
        text in "[\\PC\\n\"]{0,9000}",
        reasoning in "\\PC{0,5000}",
        before in 0_u64..100,
    ) {
        let piece = LiveText {
            root: "root".to_owned().into(),
            run: "run".to_owned().into(),
            after: 7,
            at: 9,
            activation: Activation { node: "chat".into(), epoch: Epoch::root() },
            text_before: before,
            text: text.clone(),
            reasoning_before: 2 * before,
            reasoning: reasoning.clone(),
        };
        let (mut said, mut thought) = (String::new(), String::new());
        for payload in piece.payloads() {
            prop_assert!(payload.len() <= MAX_PAYLOAD_BYTES);
            let piece: LiveText = serde_json::from_str(&payload).expect("written a moment ago");
            prop_assert_eq!(piece.text_before, before + said.len() as u64);
            prop_assert_eq!(piece.reasoning_before, 2 * before + thought.len() as u64);
            said.push_str(&piece.text);
            thought.push_str(&piece.reasoning);
        }
        prop_assert_eq!((said, thought), (text, reasoning));
    }
}
