/** The settings in which a server differs from others of its protocol, as a form shows and changes them. */
import type { ChatQuirks, ProviderSettings } from "@/bindings";
import { TEXTS } from "./texts";

type Quirk = {
  key: keyof ChatQuirks;
  label: string;
  /** What holds without a choice. */
  byDefault: string;
  /** Values, as texts, with their labels. */
  choices: readonly (readonly [string, string])[];
};

export const QUIRKS: readonly Quirk[] = [
  {
    key: "tokenLimit",
    label: TEXTS.tokenLimitField,
    byDefault: "max_tokens",
    choices: [
      ["max_tokens", "max_tokens"],
      ["max_completion_tokens", "max_completion_tokens"],
    ],
  },
  {
    key: "reasoning",
    label: TEXTS.reasoningField,
    byDefault: TEXTS.notSent,
    choices: [
      ["reasoning_content", "reasoning_content"],
      ["reasoning", "reasoning"],
    ],
  },
  {
    key: "structuredOutput",
    label: TEXTS.structuredOutput,
    byDefault: TEXTS.jsonSchema,
    choices: [
      ["jsonSchema", TEXTS.jsonSchema],
      ["jsonObject", TEXTS.jsonObject],
      ["instructions", TEXTS.inInstructions],
    ],
  },
  {
    key: "strict",
    label: TEXTS.strictSchemas,
    byDefault: TEXTS.allowed,
    choices: [
      ["true", TEXTS.allowed],
      ["false", TEXTS.notSent],
    ],
  },
  {
    key: "streamOptions",
    label: TEXTS.streamOptions,
    byDefault: TEXTS.sent,
    choices: [
      ["true", TEXTS.sent],
      ["false", TEXTS.notSent],
    ],
  },
  {
    key: "shortToolCallIds",
    label: TEXTS.toolCallIds,
    byDefault: TEXTS.asReceived,
    choices: [
      ["true", TEXTS.nineCharacters],
      ["false", TEXTS.asReceived],
    ],
  },
  {
    key: "mergeRoles",
    label: TEXTS.messagesOfOneRole,
    byDefault: TEXTS.sentApart,
    choices: [
      ["true", TEXTS.sentAsOne],
      ["false", TEXTS.sentApart],
    ],
  },
];

/** What becomes of reasoning between tags in a reply's text, with the default first. */
export const REASONING_TAGS = [
  ["", TEXTS.byDefault(TEXTS.becomesReasoning)],
  ["true", TEXTS.becomesReasoning],
  ["false", TEXTS.staysInText],
] as const;

/** The settings with another choice about reasoning between tags; an empty text puts back the default. */
export function changeReasoningTags(settings: ProviderSettings, text: string): ProviderSettings {
  const { reasoningTags: _, ...others } = settings;
  return text === "" ? others : { ...others, reasoningTags: text === "true" };
}

/** The value of a quirk as text; empty where the default holds. */
export function quirkValue({ quirks }: ProviderSettings, key: keyof ChatQuirks): string {
  const value = quirks?.[key];
  return value === undefined ? "" : String(value);
}

/** The settings with another value of a quirk; an empty text puts back the default. */
export function changeQuirk(settings: ProviderSettings, key: keyof ChatQuirks, text: string): ProviderSettings {
  const { quirks = {}, ...others } = settings;
  const { [key]: _, ...kept } = quirks;
  const value = text === "true" || text === "false" ? text === "true" : text;
  const next = (text === "" ? kept : { ...kept, [key]: value }) as ChatQuirks;
  return Object.keys(next).length === 0 ? others : { ...others, quirks: next };
}

/** The settings with another text; an empty one removes it. */
export function setText(
  settings: ProviderSettings,
  key: "keyHeader" | "keyOf" | "baseUrl" | "keyEnv",
  text: string,
): ProviderSettings {
  const { [key]: _, ...others } = settings;
  return text.trim() === "" ? others : { ...others, [key]: text.trim() };
}

/** Query parameters, one `name=value` per line. */
export function formatQuery(query: ProviderSettings["query"]): string {
  return Object.entries(query ?? {})
    .map(([name, value]) => `${name}=${value}`)
    .join("\n");
}

/** The parameters of such a text, or nothing if a line is none. */
export function parseQuery(text: string): Record<string, string> | undefined {
  const lines = text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  const pairs = lines.map((line) => {
    const at = line.indexOf("=");
    return at > 0 ? ([line.slice(0, at).trim(), line.slice(at + 1).trim()] as const) : undefined;
  });
  return pairs.includes(undefined) ? undefined : Object.fromEntries(pairs as (readonly [string, string])[]);
}

/** The first word in capitals of a URL, which a person has to replace. */
export function placeholderIn(url: string): string | undefined {
  return url.split(/[^A-Za-z0-9]+/).find((word) => /^[A-Z]{2,}$/.test(word));
}
