/**
 * What was asked for last. Documents and runs take a while to arrive, and what counts is the last wish, not the last
 * arrival. A run lies over the document: it outlasts a document asked for before it, and gives way to one asked for later.
 */

let documents = 0;
let wishes = 0;

/** Asks for another document. Gives what tells whether no other one was asked for since. */
export function wishForDocument(): () => boolean {
  wishes += 1;
  documents += 1;
  const mine = documents;
  return () => mine === documents;
}

/** Asks for a run, or for the document without one. Gives what tells whether nothing else was asked for since. */
export function wishForRun(): () => boolean {
  wishes += 1;
  const mine = wishes;
  return () => mine === wishes;
}
