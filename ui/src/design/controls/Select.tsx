/** A choice among a few, as a native list. */
type Props<T extends string> = {
  label: string;
  options: readonly { id: T; label: string; disabled?: boolean }[];
  value: T;
  onChange: (id: T) => void;
  testId: string;
  className?: string;
};

export function Select<T extends string>({ label, options, value, onChange, testId, className = "" }: Props<T>) {
  return (
    <select
      className={`h-[26px] rounded-md border border-line bg-bg px-1 text-sm ${className}`}
      aria-label={label}
      data-testid={testId}
      value={value}
      onChange={(event) => {
        const chosen = options.find((option) => option.id === event.target.value);
        if (chosen) onChange(chosen.id);
      }}
    >
      {options.map((option) => (
        <option key={option.id} value={option.id} disabled={option.disabled}>
          {option.label}
        </option>
      ))}
    </select>
  );
}
