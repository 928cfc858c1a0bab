import { Settings } from "lucide-react";
import { Button } from "@/design/Button";
import { useWorkspace } from "./context";
import { settingsHelp } from "./error-action";

/** A button to the settings, where they help against an error with this code. */
export function ErrorActionButton({ code, className }: { code: string; className?: string }) {
  return settingsHelp(code) ? <SettingsButton className={className} /> : null;
}

export function SettingsButton({ className }: { className?: string }) {
  const { layout } = useWorkspace();
  return (
    <Button data-testid="open-settings" className={className} onClick={() => layout.showPanel("settings")}>
      <Settings size={13} aria-hidden /> Settings
    </Button>
  );
}
