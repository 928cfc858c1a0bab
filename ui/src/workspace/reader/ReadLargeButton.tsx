import { Expand } from "lucide-react";
import { IconButton } from "@/design/controls/Button";
import { useWorkspace } from "@/workspace/context";
import { TEXTS } from "./texts";

/** A text that is longer than this, or has more lines, is read with difficulty in a part of the window. */
const LONG_LENGTH = 700;
const LONG_LINES = 12;

/** Opens a long text in the reader. Nothing for a short one. */
export function ReadLargeButton({ title, text }: { title: string; text: string }) {
  const { overlays } = useWorkspace();
  if (!isLong(text)) return null;
  return (
    <IconButton
      label={TEXTS.readLarge(title)}
      className="!size-6"
      icon={<Expand size={13} aria-hidden />}
      data-testid="read-large"
      onClick={() => overlays.read({ title, text })}
    />
  );
}

export function isLong(text: string): boolean {
  return text.length > LONG_LENGTH || text.split("\n", LONG_LINES + 1).length > LONG_LINES;
}
