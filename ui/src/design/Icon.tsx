import type { LucideIcon, LucideProps } from "lucide-react";
import * as all from "./icons";

const byName = new Map<string, LucideIcon>(
  Object.entries(all).map(([name, icon]) => [kebab(name), icon as LucideIcon]),
);

/** The icon a node type names, in kebab case; a plain box for a name this build does not carry. */
export function Icon({ name, ...rest }: LucideProps & { name: string }) {
  const Found = byName.get(name) ?? all.Box;
  return <Found size={15} strokeWidth={2} aria-hidden {...rest} />;
}

export function hasIcon(name: string): boolean {
  return byName.has(name);
}

/** `MessageCircleQuestion` → `message-circle-question`, `Code2` → `code-2`. */
function kebab(name: string): string {
  return name
    .replace(/([a-z])([A-Z0-9])/g, "$1-$2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1-$2")
    .toLowerCase();
}
