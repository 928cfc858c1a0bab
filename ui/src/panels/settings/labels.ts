/** Labels of providers and of the places of their API keys. */
import type { KeyLocation, ProviderStatus } from "@/bindings";

const KINDS: Record<string, string> = {
  offline: "Simulator",
  openAi: "OpenAI-compatible chat completions",
  openAiResponses: "OpenAI Responses",
  anthropic: "Anthropic Messages",
  gemini: "Gemini",
  geminiInteractions: "Gemini Interactions",
  ollama: "Ollama",
};

/** A protocol's label, or its id for unknown ones. */
export function kindName(kind: string): string {
  return KINDS[kind] ?? kind;
}

/** Where an API key comes from. */
export function keyPlace({ key, needsKey, settings }: ProviderStatus, place: KeyLocation): string {
  const ending = `${key.ending ? `, ends in ${key.ending}` : ""}${key.setFor ? `, set for ${key.setFor}` : ""}`;
  switch (key.source) {
    case "session":
      return `Set for this session${ending}`;
    case "keychain":
      return `In the system keychain${ending}`;
    case "file":
      return `In an encrypted file, protected by ${place.passphrase ? "your passphrase" : "a key file"}${ending}`;
    case "environment":
      return `From ${key.variable ?? "the environment"}${ending}`;
    default:
      return needsKey ? `Not set; also read from ${settings.keyEnv}` : "Not required";
  }
}

/** A provider's status, in a word or two. */
export function standing({ key, needsKey, takesKey }: ProviderStatus, running: boolean): string {
  if (running) return "Running";
  if (key.problem) return "Key unreadable";
  if (!takesKey) return "Simulator";
  if (key.source) return "Key set";
  return needsKey ? "Key required" : "No key required";
}
