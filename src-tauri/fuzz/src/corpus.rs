//! The inputs that are mutated: the seeds of the target, and inputs that led to an outcome not seen before.

use std::collections::HashSet;

use crate::mutator::Mutator;

/// The maximum number of inputs. Then a new one replaces an old one.
const MAX_INPUTS: usize = 4_096;

pub(crate) struct Corpus {
    inputs: Vec<Vec<u8>>,
    outcomes: HashSet<u64>,
}

impl Corpus {
    pub(crate) fn new(seeds: Vec<Vec<u8>>) -> Self {
        Self { inputs: seeds, outcomes: HashSet::new() }
    }

    /// The seeds and the added inputs.
    pub(crate) fn inputs(&self) -> &[Vec<u8>] {
        &self.inputs
    }

    /// How many outcomes were seen.
    pub(crate) fn outcomes(&self) -> usize {
        self.outcomes.len()
    }

    /// A new input.
    pub(crate) fn next(&self, mutator: &mut Mutator) -> Vec<u8> {
        let one = &self.inputs[mutator.choose(self.inputs.len())];
        let other = &self.inputs[mutator.choose(self.inputs.len())];
        mutator.mutate(one, other)
    }

    /// Notes what an input led to. Keeps the input if no other has led there.
    pub(crate) fn note(&mut self, input: Vec<u8>, outcome: u64, mutator: &mut Mutator) {
        if !self.outcomes.insert(outcome) {
            return;
        }
        if self.inputs.len() < MAX_INPUTS {
            self.inputs.push(input);
        } else {
            let at = mutator.choose(self.inputs.len());
            self.inputs[at] = input;
        }
    }
}
