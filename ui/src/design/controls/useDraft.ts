import { type ChangeEvent, type KeyboardEvent, useState } from "react";
import { flushSync } from "react-dom";
import { isComposing } from "@/design/keys/keys";

/** A text field. Its text counts once it is left: Enter leaves it, Escape leaves it as it was before. */
export function useDraft(value: string, onCommit: (text: string) => void) {
  const [draft, setDraft] = useState<string>();
  return {
    value: draft ?? value,
    onChange: (event: ChangeEvent<HTMLInputElement>) => setDraft(event.target.value),
    onBlur: () => {
      if (draft !== undefined && draft !== value) onCommit(draft);
      setDraft(undefined);
    },
    onKeyDown: (event: KeyboardEvent<HTMLInputElement>) => {
      if (isComposing(event)) return;
      const { currentTarget: field } = event;
      if (event.key === "Enter") field.blur();
      if (event.key === "Escape") {
        flushSync(() => setDraft(undefined));
        field.blur();
      }
    },
  };
}
