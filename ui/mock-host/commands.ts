/** The commands that one part of the mock host answers, by name. */
export type Commands = Record<string, (args: never) => unknown>;
