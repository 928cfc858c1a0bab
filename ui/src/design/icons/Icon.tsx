import { Box, CircleQuestionMark, type LucideIcon, type LucideProps } from "lucide-react";
import type { NodeDescriptor } from "@/bindings";
import * as all from "@/bindings/icons";

const byName: ReadonlyMap<string, LucideIcon> = new Map<string, LucideIcon>(
  Object.entries(all).map(([name, icon]) => [kebab(name), icon as LucideIcon]),
);

/**
 * A node type's icon by its name in kebab case; a question mark without a name, a box for a name that
 * is not in this build.
 */
export function Icon({ name, ...rest }: LucideProps & { name: string | undefined }) {
  const Found = name === undefined ? CircleQuestionMark : (byName.get(name) ?? Box);
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

/** A node type's icon on its category's color. */
export function TypeBadge({ type }: { type: Pick<NodeDescriptor, "category" | "icon"> }) {
  return (
    <span className="type-badge" data-category={type.category} aria-hidden>
      <Icon name={type.icon} size={14} />
    </span>
  );
}
