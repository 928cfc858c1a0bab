import { CircleQuestionMark, Settings, ShieldQuestion } from "lucide-react";
import { Button, IconButton } from "@/design/controls/Button";
import { useSettings, useWorkspace } from "@/workspace/context";
import { errorAction } from "./error-action";

type Props = { error: { code: string; message: string }; className?: string };

/** The button that helps against an error: to the settings of the provider that it is about, or to another part of them. */
export function ErrorActionButton({ error, className }: Props) {
  const workspace = useWorkspace();
  // Only known providers have settings to go to.
  useSettings((settings) => settings.providers);
  const action = errorAction(error, workspace);
  const isSettings = action?.label.startsWith("Settings");
  if (!action) return null;
  const Sign = isSettings ? Settings : ShieldQuestion;
  return (
    <Button data-testid={isSettings ? "open-settings" : "open-grants"} className={className} onClick={action.run}>
      <Sign size={13} aria-hidden /> {action.label}
    </Button>
  );
}

export function SettingsButton({ className }: { className?: string }) {
  const { layout } = useWorkspace();
  return (
    <Button data-testid="open-settings" className={className} onClick={() => layout.showSettings()}>
      <Settings size={13} aria-hidden /> Settings
    </Button>
  );
}

/** Opens the guide at what an error's code means and what to do about it. */
export function ErrorHelpButton({ code }: { code: string }) {
  const { guide } = useWorkspace();
  return (
    <IconButton
      label="What is this?"
      icon={<CircleQuestionMark size={15} aria-hidden />}
      data-testid="explain-error"
      onClick={() => guide.explainError(code)}
    />
  );
}
