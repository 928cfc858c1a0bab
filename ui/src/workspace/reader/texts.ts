/** Every text of the button that opens the reader. */
export const TEXTS = {
  readLarge: (title: string) => `Read ${title} in a large view`,
} as const;
