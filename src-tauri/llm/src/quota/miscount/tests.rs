//! What is learned from reports, and who waits for the first one.

use std::sync::Arc;

use futures::FutureExt as _;

use super::Miscounts;
use crate::models::TokenUsage;

fn expected(input: u64) -> TokenUsage {
    TokenUsage::new(input, 10)
}

fn most(miscounts: &Miscounts, input: u64) -> u64 {
    miscounts.most("p/m", expected(input)).input
}

#[test]
fn worst_report_of_a_model_counts_for_its_next_calls() {
    let miscounts = Miscounts::default();
    assert_eq!(most(&miscounts, 5), 5, "nothing is known");
    miscounts.learn("p/m", expected(5), Some(TokenUsage::new(20, 10)));
    miscounts.learn("p/m", expected(5), Some(TokenUsage::new(6, 4)));
    assert_eq!(most(&miscounts, 5), 20);
    assert_eq!(most(&miscounts, 10), 40);
    assert_eq!(miscounts.most("p/m", expected(5)).output, 10);
    assert_eq!(miscounts.most("p/other", expected(5)).input, 5);
}

#[test]
fn factor_of_a_small_prompt_is_not_that_of_a_large_one() {
    let miscounts = Miscounts::default();
    miscounts.learn("p/m", expected(5), Some(TokenUsage::new(20, 10)));
    assert_eq!(most(&miscounts, 10_000), 10_600, "the factor of the first tokens alone");
    miscounts.learn("p/m", expected(1_000), Some(TokenUsage::new(1_200, 10)));
    assert_eq!(most(&miscounts, 10_000), 12_000);
    assert_eq!(most(&miscounts, 5), 20);
}

#[test]
fn reply_beyond_what_was_asked_for_counts() {
    let miscounts = Miscounts::default();
    miscounts.learn("p/m", expected(5), Some(TokenUsage::new(5, 30)));
    assert_eq!(miscounts.most("p/m", expected(5)).output, 30);
}

#[test]
fn calls_wait_for_the_first_report_of_their_model() {
    let miscounts = Arc::new(Miscounts::default());
    let probe = miscounts.admit("p/m").now_or_never().expect("the first call goes");
    let mut second = Box::pin(miscounts.admit("p/m"));
    assert!(second.as_mut().now_or_never().is_none(), "the second one waits");
    assert!(miscounts.admit("p/other").now_or_never().is_some(), "not for another model");
    miscounts.learn("p/m", expected(5), Some(TokenUsage::new(20, 10)));
    drop(probe);
    assert!(second.now_or_never().is_some());
    assert!(miscounts.admit("p/m").now_or_never().is_some());
}

#[test]
fn call_without_a_reply_leaves_the_question_to_the_next_one() {
    let miscounts = Arc::new(Miscounts::default());
    let probe = miscounts.admit("p/m").now_or_never().expect("the first call goes");
    let (mut second, mut third) = (Box::pin(miscounts.admit("p/m")), Box::pin(miscounts.admit("p/m")));
    assert!(second.as_mut().now_or_never().is_none() && third.as_mut().now_or_never().is_none());
    drop(probe);
    let probe = second.as_mut().now_or_never().expect("the second one finds out");
    assert!(third.as_mut().now_or_never().is_none());
    // A provider that reports nothing holds nobody up.
    miscounts.learn("p/m", expected(5), None);
    drop(probe);
    assert!(third.now_or_never().is_some());
}
