import { useState } from "react";
import { CONTROL } from "@/design/controls/control";

/** A field for a number that may be absent. Takes what was typed when it is left. */
export function NumberField(props: {
  id: string;
  label: string;
  placeholder: string;
  value: number | undefined;
  read: (text: string) => number | null | undefined;
  problem: string;
  onRead: (value: number | null) => void;
}) {
  const { id, label, placeholder, value, read, problem, onRead } = props;
  const [wrong, setWrong] = useState(false);
  return (
    <div data-setting={id} className="mb-2">
      <label htmlFor={id} className="mb-0.5 block text-fg-2 text-xs">
        {label}
      </label>
      <input
        // Resets the field to the parsed value.
        key={value}
        id={id}
        inputMode="decimal"
        className={`${CONTROL} h-[28px] text-sm tabular-nums`}
        placeholder={placeholder}
        defaultValue={value ?? ""}
        aria-invalid={wrong || undefined}
        onBlur={(event) => {
          const found = read(event.target.value);
          setWrong(found === undefined);
          if (found !== undefined && found !== (value ?? null)) onRead(found);
        }}
      />
      {wrong ? (
        <p className="mt-0.5 text-bad text-xs" role="status">
          {problem}
        </p>
      ) : null}
    </div>
  );
}
