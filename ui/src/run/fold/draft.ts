/** Copies made once a batch: within one batch an object is copied when first changed and then changed in place. */
export class Draft {
  #mine = new Set<object>();

  /** The object itself if this batch made it, otherwise a shallow copy that may be changed. */
  own<T extends object>(value: T): T {
    if (this.#mine.has(value)) return value;
    const copy = (Array.isArray(value) ? value.slice() : { ...value }) as T;
    this.#mine.add(copy);
    return copy;
  }

  /** Says that this batch made the object. */
  made<T extends object>(value: T): T {
    this.#mine.add(value);
    return value;
  }
}
