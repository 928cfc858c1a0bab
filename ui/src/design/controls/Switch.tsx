import { Switch as Base } from "@base-ui/react/switch";

type Props = {
  id?: string;
  checked: boolean;
  disabled?: boolean;
  /** Its name, where no label points to it. */
  label?: string;
  describedBy?: string;
  onChange: (checked: boolean) => void;
};

export function Switch({ id, checked, disabled, label, describedBy, onChange }: Props) {
  return (
    <Base.Root
      id={id}
      checked={checked}
      disabled={disabled}
      aria-label={label}
      aria-describedby={describedBy}
      onCheckedChange={onChange}
      className="relative h-[18px] w-8 shrink-0 rounded-full bg-line-2 transition-colors disabled:opacity-50 data-[checked]:bg-accent-fill"
    >
      <Base.Thumb className="block size-3.5 translate-x-0.5 rounded-full bg-white transition-transform data-[checked]:translate-x-4" />
    </Base.Root>
  );
}
