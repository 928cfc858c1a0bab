import { type ReactNode, useId } from "react";
import { CONTROL } from "@/design/controls/control";
import { isComposing } from "@/design/keys/keys";

/** A label above its control. */
function Labeled({ id, label, children }: { id: string; label: string; children: ReactNode }) {
  return (
    <div className="mb-2">
      <label htmlFor={id} className="mb-0.5 block text-fg-2 text-xs">
        {label}
      </label>
      {children}
    </div>
  );
}

type TextFieldProps = {
  label: string;
  value: string | undefined;
  placeholder: string;
  invalid?: boolean;
  /** Takes what was typed, also where that is what was there before. */
  onLeave: (text: string) => void;
};

/** A line of text, which counts when the person leaves it or presses Enter. */
export function TextField({ label, value = "", placeholder, invalid = false, onLeave }: TextFieldProps) {
  const id = useId();
  return (
    <Labeled id={id} label={label}>
      <input
        // Resets the field to the host's value.
        key={value}
        id={id}
        className={`${CONTROL} h-[28px] text-sm`}
        placeholder={placeholder}
        defaultValue={value}
        aria-invalid={invalid || undefined}
        onBlur={({ target }) => onLeave(target.value)}
        onKeyDown={(event) => event.key === "Enter" && !isComposing(event) && event.currentTarget.blur()}
      />
    </Labeled>
  );
}

type ChoiceFieldProps = {
  label: string;
  value: string;
  /** Values with their labels. */
  choices: readonly (readonly [string, string])[];
  onChange: (value: string) => void;
};

/** One of several values. */
export function ChoiceField({ label, value, choices, onChange }: ChoiceFieldProps) {
  const id = useId();
  return (
    <Labeled id={id} label={label}>
      <select
        id={id}
        className={`${CONTROL} h-[28px] text-sm`}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      >
        {choices.map(([choice, text]) => (
          <option key={choice} value={choice}>
            {text}
          </option>
        ))}
      </select>
    </Labeled>
  );
}
