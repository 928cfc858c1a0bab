/**
 * Which request is the latest. Documents and runs take a while to load, and the last request wins, not the last response.
 * A run is shown over the document: it stays when a document requested before it arrives, and goes when one requested
 * after it arrives.
 */

let documents = 0;
let requests = 0;

/** Registers a request for another document. Returns a check for whether no other document was requested since. */
export function requestDocument(): () => boolean {
  requests += 1;
  documents += 1;
  const mine = documents;
  return () => mine === documents;
}

/** Registers a request for a run, or for leaving one. Returns a check for whether nothing else was requested since. */
export function requestRun(): () => boolean {
  requests += 1;
  const mine = requests;
  return () => mine === requests;
}
