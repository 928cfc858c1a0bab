/** How providers and the places of their keys are called. */
import type { KeyPlace, ProviderStatus } from "@/bindings";

const KINDS: Record<string, string> = {
  offline: "Simulator",
  openAi: "OpenAI-compatible chat completions",
  openAiResponses: "OpenAI Responses",
  anthropic: "Anthropic Messages",
  gemini: "Gemini",
  ollama: "Ollama",
};

/** A protocol's name; one that is newer than these words keeps its own. */
export function kindName(kind: string): string {
  return KINDS[kind] ?? kind;
}

/** Where a key comes from, as the end of "The key …". */
export function keyPlace({ key, needsKey, settings }: ProviderStatus, place: KeyPlace): string {
  const ending = key.ending ? `, ends in ${key.ending}` : "";
  switch (key.source) {
    case "session":
      return `Given for this session${ending}`;
    case "keychain":
      return `In the system's keychain${ending}`;
    case "file":
      return `In an encrypted file, ${place.passphrase ? "locked with your passphrase" : "opened by a key beside it"}${ending}`;
    case "environment":
      return `From ${key.variable ?? "the environment"}${ending}`;
    default:
      return needsKey ? `None yet; also looked for in ${settings.keyEnv}` : "None, and none needed";
  }
}

/** How a provider stands, in a word or two. */
export function standing({ key, needsKey, takesKey }: ProviderStatus, running: boolean): string {
  if (running) return "running here";
  if (key.problem) return "key can't be read";
  if (!takesKey) return "simulator";
  if (key.source) return "key set";
  return needsKey ? "needs a key" : "no key needed";
}
