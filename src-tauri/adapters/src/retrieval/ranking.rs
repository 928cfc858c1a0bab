//! Joins two rankings into one: that by words and that by meaning.

use std::collections::HashMap;
use std::hash::Hash;

use plait_llm::retriever::Match;

/// The constant of reciprocal rank fusion, from the paper that introduced it (Cormack, Clarke and Büttcher, 2009): the first
/// ranks count little more than those behind them.
const RANK_OFFSET: f64 = 60.0;

/// A passage in a ranking.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Ranked<K> {
    pub(super) key: K,
    pub(super) score: f64,
    pub(super) matched: Match,
}

/// The best `limit` of both rankings, each the best first. With one ranking alone, its scores stay.
pub(super) fn fuse<K: Clone + Eq + Hash + Ord>(
    words: Vec<(K, f64)>,
    meaning: Vec<(K, f64)>,
    limit: usize,
) -> Vec<Ranked<K>> {
    let mut ranked: Vec<Ranked<K>> = if meaning.is_empty() {
        words.into_iter().map(|(key, score)| Ranked { key, score, matched: Match::Words }).collect()
    } else {
        let mut scores: HashMap<K, (f64, Match)> = HashMap::new();
        for (ranking, matched) in [(words, Match::Words), (meaning, Match::Meaning)] {
            for (rank, (key, _)) in (1_u32..).zip(ranking) {
                let score = 1.0 / (RANK_OFFSET + f64::from(rank));
                scores
                    .entry(key)
                    .and_modify(|(sum, both)| {
                        *sum += score;
                        *both = Match::Both;
                    })
                    .or_insert((score, matched));
            }
        }
        scores.into_iter().map(|(key, (score, matched))| Ranked { key, score, matched }).collect()
    };
    ranked.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.key.cmp(&b.key)));
    ranked.truncate(limit);
    ranked
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_ranking_keeps_its_scores() {
        let ranked = fuse(vec![("a", 7.5), ("b", 2.0), ("c", 1.0)], Vec::new(), 2);
        let shown: Vec<_> = ranked.iter().map(|one| (one.key, one.score, one.matched)).collect();
        assert_eq!(shown, [("a", 7.5, Match::Words), ("b", 2.0, Match::Words)]);
    }

    #[test]
    fn passages_in_both_rankings_come_first() {
        let ranked = fuse(vec![("a", 9.0), ("b", 8.0)], vec![("c", 0.9), ("b", 0.8)], 10);
        let shown: Vec<_> = ranked.iter().map(|one| (one.key, one.matched)).collect();
        assert_eq!(shown, [("b", Match::Both), ("a", Match::Words), ("c", Match::Meaning)]);
        assert!((ranked[0].score - 2.0 / 62.0).abs() < 1e-12);
    }
}
