/** What in the settings helps against an error, and the way there. */
import { Settings } from "lucide-react";
import { Button } from "@/design/Button";
import { showPanel } from "./layout";

/** Faults of the addresses, names and keys of providers, which are all set in the settings. */
const PROVIDERS = new Set(["provider.unauthorized", "provider.unknown", "provider.bad_settings"]);

/** The action to offer with an error, where the settings help. */
export function errorAction(code: string): { label: string; run: () => void } | undefined {
  if (!PROVIDERS.has(code) && !code.startsWith("keys.")) return undefined;
  return { label: "Settings", run: showSettings };
}

/** A button to the settings, where they help against that error. */
export function ErrorActionButton({ code, className }: { code: string; className?: string }) {
  return errorAction(code) ? <SettingsButton className={className} /> : null;
}

export function SettingsButton({ className }: { className?: string }) {
  return (
    <Button data-testid="open-settings" className={className} onClick={showSettings}>
      <Settings size={13} aria-hidden /> Settings
    </Button>
  );
}

function showSettings(): void {
  showPanel("settings");
}
