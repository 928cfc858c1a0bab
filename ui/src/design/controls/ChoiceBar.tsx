/** One of a few choices, all of them in sight. Arrow keys move between them. */
import { Toggle } from "@base-ui/react/toggle";
import { ToggleGroup } from "@base-ui/react/toggle-group";

type Option<T extends string> = { id: T; label: string; disabled?: boolean; tone?: "bad" };

type Props<T extends string> = {
  label: string;
  options: readonly Option<T>[];
  value: T;
  onChange: (id: T) => void;
};

const TONES = {
  plain: "data-pressed:bg-accent-fill data-pressed:text-on-accent",
  bad: "data-pressed:bg-bad/10 data-pressed:text-bad",
} as const;

export function ChoiceBar<T extends string>({ label, options, value, onChange }: Props<T>) {
  return (
    <ToggleGroup
      aria-label={label}
      className="flex h-[26px] shrink-0 overflow-hidden rounded-md border border-line-2"
      value={[value]}
      onValueChange={([chosen]) => {
        const option = options.find((one) => one.id === chosen);
        if (option) onChange(option.id);
      }}
    >
      {options.map((option) => (
        <Toggle
          key={option.id}
          value={option.id}
          disabled={option.disabled}
          className={`border-line-2 px-2.5 text-fg-2 text-xs not-first:border-l hover:bg-bg-3 hover:text-fg focus-visible:-outline-offset-2 disabled:pointer-events-none disabled:opacity-45 data-pressed:font-semibold ${TONES[option.tone ?? "plain"]}`}
        >
          {option.label}
        </Toggle>
      ))}
    </ToggleGroup>
  );
}
