/** A search field. Its label is also its placeholder, unless there is a shorter one. */
type Props = {
  label: string;
  placeholder?: string;
  value: string;
  onChange: (text: string) => void;
  testId: string;
  /** For bars that are lower than a panel's header. */
  small?: boolean;
};

export function SearchField({ label, placeholder = label, value, onChange, testId, small = false }: Props) {
  return (
    <input
      type="search"
      className={`rounded-md border border-line bg-bg ${small ? "h-[26px] w-56 px-2 text-sm" : "h-[30px] w-full px-2.5"}`}
      placeholder={placeholder}
      aria-label={label}
      data-testid={testId}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
