/**
 * Which request is the latest. Documents and runs take a while to load, and the last request wins, not the last response.
 * A run is shown over the document: it stays when a document requested before it arrives, and goes when one requested
 * after it arrives.
 */
export class LatestRequests {
  #documents = 0;
  #requests = 0;

  /** Registers a request for another document. Returns a check for whether no other document was requested since. */
  requestDocument(): () => boolean {
    this.#requests += 1;
    this.#documents += 1;
    const mine = this.#documents;
    return () => mine === this.#documents;
  }

  /** Registers a request for a run, or for leaving one. Returns a check for whether nothing else was requested since. */
  requestRun(): () => boolean {
    this.#requests += 1;
    const mine = this.#requests;
    return () => mine === this.#requests;
  }
}
