import type { ButtonHTMLAttributes, ReactNode, Ref } from "react";
import { Tooltip } from "./Tooltip";

type Kind = "plain" | "main" | "danger" | "quiet";

const KINDS: Record<Kind, string> = {
  plain: "border-line bg-bg-2 text-fg hover:border-line-2 hover:bg-bg-3",
  main: "border-transparent bg-accent-fill text-on-accent font-semibold hover:brightness-110",
  danger: "border-line bg-bg-2 text-bad hover:border-bad",
  quiet: "border-transparent bg-transparent text-fg-2 hover:bg-bg-3 hover:text-fg",
};

type Props = ButtonHTMLAttributes<HTMLButtonElement> & { kind?: Kind; ref?: Ref<HTMLButtonElement> };

export function Button({ kind = "plain", className = "", ...rest }: Props) {
  return (
    <button
      type="button"
      className={`inline-flex h-[30px] shrink-0 items-center justify-center gap-1.5 whitespace-nowrap rounded-md border px-2.5 text-sm transition-colors disabled:pointer-events-none disabled:opacity-45 ${KINDS[kind]} ${className}`}
      {...rest}
    />
  );
}

type IconProps = Omit<Props, "children" | "aria-label"> & {
  /** What it does; its name for screen readers and its tooltip. */
  label: string;
  /** The shortcut, shown in the tooltip. */
  keys?: string;
  icon: ReactNode;
  /** For buttons that stay pressed. */
  pressed?: boolean;
};

export function IconButton({ label, keys, icon, kind = "quiet", pressed, className = "", ...rest }: IconProps) {
  return (
    <Tooltip label={label} keys={keys}>
      <button
        type="button"
        aria-label={label}
        aria-pressed={pressed}
        className={`inline-flex size-[30px] shrink-0 items-center justify-center rounded-md border transition-colors disabled:pointer-events-none disabled:opacity-45 aria-pressed:bg-bg-3 aria-pressed:text-fg ${KINDS[kind]} ${className}`}
        {...rest}
      >
        {icon}
      </button>
    </Tooltip>
  );
}
