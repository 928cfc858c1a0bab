/** The button that an error offers: the way to the settings or to the grants of the flow, or what accepts changed settings. */
import type { ErrorCode } from "@/bindings";
import type { SettingsStore } from "@/workspace/settings/settings";
import type { LayoutStore } from "@/workspace/window/layout";

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

export type ErrorAction = { label: string; run: () => void };
type Window = {
  layout: LayoutStore;
  settings: SettingsStore;
  /** The host that the window belongs to: its settings are changed there. */
  remote?: object | undefined;
};
type Failure = { code: string; message: string; details?: unknown };

/** The action to offer with an error; nothing when no part of the window helps. */
export function errorAction(error: Failure, { layout, settings, remote }: Window): ErrorAction | undefined {
  const { code } = error;
  if (code === "grant.denied" || code === "grant.missing") {
    return { label: "What it may do", run: () => layout.showPanel("grants") };
  }
  if (remote) return undefined;
  const accept = settings.acceptAction(error);
  if (accept) return accept;
  const isProviders = PROVIDER_ERRORS.has(code);
  if (!isProviders && !LIMIT_ERRORS.has(code) && !code.startsWith("keys.")) return undefined;
  const provider = isProviders ? providerIn(error.message, settings) : undefined;
  return provider === undefined
    ? { label: "Settings", run: () => layout.showSettings({ section: sectionFor(code) }) }
    : { label: `Settings of ${provider}`, run: () => layout.showSettings({ provider }) };
}

/** Where the settings that help are. */
function sectionFor(code: string): string {
  return LIMIT_ERRORS.has(code) ? "runLimits" : "providers";
}

/** The provider that a message is about: errors of providers begin with its name, marked as code. */
function providerIn(message: string, settings: SettingsStore): string | undefined {
  const [, name = ""] = /`([^`]+)`/.exec(message) ?? [];
  return Object.hasOwn(settings.current.providers, name) ? name : undefined;
}
