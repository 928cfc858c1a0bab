import type { NodeDescriptor } from "@/bindings";
import { Icon } from "./Icon";

/** A node type's icon on its category's color. */
export function TypeBadge({ type }: { type: Pick<NodeDescriptor, "category" | "icon"> }) {
  return (
    <span className="type-badge" data-category={type.category} aria-hidden>
      <Icon name={type.icon} size={14} />
    </span>
  );
}
