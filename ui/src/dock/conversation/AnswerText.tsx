import { type ReactNode, useLayoutEffect, useRef } from "react";
import { isComposing } from "@/design/keys/keys";
import { useWorkspace } from "@/workspace/context";

const MAX_HEIGHT = 180;

/** A text field that grows with its text. Enter sends, Shift+Enter begins a new line. */
export function AnswerText({
  label,
  text,
  onText,
  placeholder,
  onEnter,
  end,
  testid = "pause-answer",
  mono = false,
  invalid = false,
}: {
  label: string;
  text: string;
  onText: (text: string) => void;
  placeholder: string;
  /** What Enter does; without it Enter begins a new line. */
  onEnter?: () => void;
  end?: ReactNode;
  testid?: string;
  mono?: boolean;
  invalid?: boolean;
}) {
  const { answerTypeAhead } = useWorkspace();
  const field = useRef<HTMLTextAreaElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the height follows the text.
  useLayoutEffect(() => {
    const area = field.current;
    if (!area) return;
    area.style.height = "0";
    area.style.height = `${Math.min(MAX_HEIGHT, area.scrollHeight)}px`;
  }, [text]);
  return (
    <div className="mt-1.5 flex rounded-md border border-line bg-bg py-0.5 pr-1 focus-within:border-accent has-[[aria-invalid=true]]:border-bad">
      <textarea
        ref={field}
        rows={1}
        data-testid={testid}
        aria-label={label}
        aria-invalid={invalid}
        aria-keyshortcuts={onEnter ? "Enter" : undefined}
        className={`min-h-[26px] min-w-0 flex-1 resize-none bg-transparent px-2 py-1 outline-none ${mono ? "font-mono text-xs" : ""}`}
        placeholder={placeholder}
        spellCheck={!mono}
        value={text}
        onFocus={() => {
          const early = answerTypeAhead.take();
          if (early !== "") onText(text + early);
        }}
        onChange={(event) => onText(event.target.value)}
        onKeyDown={(event) => {
          if (!onEnter || event.key !== "Enter" || event.shiftKey || isComposing(event)) return;
          event.preventDefault();
          event.stopPropagation();
          onEnter();
        }}
      />
      {end}
    </div>
  );
}
