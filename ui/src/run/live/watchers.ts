/** Listeners by key. Waking a key calls only the listeners of that key. */

export type Listener = () => void;

export class Watchers<Key> {
  #byKey = new Map<Key, Set<Listener>>();

  add(key: Key, listener: Listener): () => void {
    let set = this.#byKey.get(key);
    if (!set) {
      set = new Set();
      this.#byKey.set(key, set);
    }
    set.add(listener);
    const mine = set;
    return () => {
      mine.delete(listener);
      if (mine.size === 0 && this.#byKey.get(key) === mine) this.#byKey.delete(key);
    };
  }

  has(key: Key): boolean {
    return this.#byKey.has(key);
  }

  wake(key: Key): void {
    const set = this.#byKey.get(key);
    if (set) for (const listener of [...set]) listener();
  }

  wakeAll(): void {
    for (const set of [...this.#byKey.values()]) for (const listener of [...set]) listener();
  }
}
