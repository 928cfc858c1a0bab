/** The commands that a person chose last from the command palette. */
import type { SettingsStore } from "@/workspace/settings/settings";

const NAME = "recentCommands";
const MAX_RECENT_COMMANDS = 5;

/** Their ids, the latest one first. */
export function recentCommands(settings: Pick<SettingsStore, "remembered">): readonly string[] {
  const ids = settings.remembered<unknown>(NAME);
  return Array.isArray(ids) ? ids.filter((id) => typeof id === "string") : [];
}

export function rememberCommand(settings: Pick<SettingsStore, "remembered" | "remember">, id: string): void {
  const others = recentCommands(settings).filter((one) => one !== id);
  settings.remember(NAME, [id, ...others].slice(0, MAX_RECENT_COMMANDS));
}
