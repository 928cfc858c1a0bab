/**
 * Which request is the latest. Documents and runs take a while to load, and the last request is shown, not the last response.
 */
export class LatestRequests {
  #requests = 0;

  /** Registers a request for a document or a run, or for leaving one. Returns a check for whether nothing was requested since. */
  request(): () => boolean {
    this.#requests += 1;
    const mine = this.#requests;
    return () => mine === this.#requests;
  }
}
