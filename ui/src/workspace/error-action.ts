/** The button that an error offers: the way to the settings or to the grants of the flow, where these help. */
import type { ErrorCode } from "@/bindings";
import type { LayoutStore } from "./layout";

/** Errors about the addresses, names and keys of providers, which are all set in the settings. */
const PROVIDER_ERRORS: ReadonlySet<string> = new Set<ErrorCode>([
  "provider.unauthorized",
  "provider.unknown",
  "provider.bad_settings",
  "provider.no_key",
  "provider.unreachable",
]);

/** Errors about the limits of a run tree. The flow or the settings set them. */
const LIMIT_ERRORS: ReadonlySet<string> = new Set<ErrorCode>([
  "run.too_many_runs",
  "run.too_many_model_calls",
  "run.too_many_events",
]);

/** Whether the settings help against an error with this code. */
export function settingsHelp(code: string): boolean {
  return PROVIDER_ERRORS.has(code) || LIMIT_ERRORS.has(code) || code.startsWith("keys.");
}

/** The action to offer with an error; nothing when no part of the window helps. */
export function errorAction(code: string, layout: LayoutStore): { label: string; run: () => void } | undefined {
  if (code === "grant.denied" || code === "grant.missing") {
    return { label: "What it may do", run: () => layout.showPanel("grants") };
  }
  return settingsHelp(code) ? { label: "Settings", run: () => layout.showPanel("settings") } : undefined;
}
