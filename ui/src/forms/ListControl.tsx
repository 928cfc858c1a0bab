import { ArrowDown, ArrowUp, Plus, Trash2 } from "lucide-react";
import { Button, IconButton } from "@/design/controls/Button";
import { blankOf, type Spec } from "@/flow/node-types/config-spec";
import { focusNewField } from "./focus-new-field";
import { useStepwise } from "./form-context";
import type { NestingProps } from "./props";

type ListSpec = Extract<Spec, { kind: "list" }>;

/** A list with items that can be added, removed and reordered. */
export function ListControl({
  id,
  label,
  spec,
  value,
  path,
  findings,
  onChange,
  readOnly,
  nested: Nested,
}: NestingProps<ListSpec>) {
  const change = useStepwise(onChange);
  const items = Array.isArray(value)
    ? (value as unknown[])
    : Array.isArray(spec.default)
      ? (spec.default as unknown[])
      : [];
  const one = singular(label);
  const replace = (next: unknown[]) => change(path, next.length === 0 && !spec.default ? undefined : next);
  const swap = (from: number, to: number) => {
    const next = [...items];
    [next[from], next[to]] = [next[to], next[from]];
    replace(next);
  };
  return (
    <fieldset id={id} aria-label={label} className="flex flex-col gap-2">
      {items.map((item, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: items have no identity but their place.
        <div key={index} className="flex items-start gap-1 rounded-lg border border-line bg-bg-2 p-2">
          <div className="min-w-0 flex-1 [&>fieldset]:border-0 [&>fieldset]:pl-0">
            <Nested
              id={`${id}-${index}`}
              label={`${one} ${index + 1}`}
              spec={spec.item}
              value={item}
              path={[...path, index]}
              findings={findings}
              onChange={(at, next) => {
                // An emptied text is an empty item, not one less.
                const own = at.length === path.length + 1;
                if (own && next === undefined)
                  replace(items.map((old, place) => (place === index ? blankOf(spec.item) : old)));
                else onChange(at, next);
              }}
              readOnly={readOnly}
            />
          </div>
          <div className="flex flex-col">
            <IconButton
              label={`Move ${one.toLowerCase()} ${index + 1} up`}
              icon={<ArrowUp size={13} />}
              className="size-6"
              disabled={readOnly || index === 0}
              onClick={() => swap(index, index - 1)}
            />
            <IconButton
              label={`Move ${one.toLowerCase()} ${index + 1} down`}
              icon={<ArrowDown size={13} />}
              className="size-6"
              disabled={readOnly || index === items.length - 1}
              onClick={() => swap(index, index + 1)}
            />
            <IconButton
              label={`Remove ${one.toLowerCase()} ${index + 1}`}
              icon={<Trash2 size={13} />}
              className="size-6"
              disabled={readOnly}
              onClick={() => replace(items.filter((_, at) => at !== index))}
            />
          </div>
        </div>
      ))}
      <Button
        className="self-start"
        disabled={readOnly}
        data-testid={`add-${path.join("-")}`}
        onClick={() => {
          replace([...items, blankOf(spec.item)]);
          focusNewField(`${id}-${items.length}`);
        }}
      >
        <Plus size={14} aria-hidden /> Add {one.toLowerCase()}
      </Button>
    </fieldset>
  );
}

/** `Messages` → `Message`, for the buttons. */
function singular(label: string): string {
  return label.endsWith("ies") ? `${label.slice(0, -3)}y` : label.endsWith("s") ? label.slice(0, -1) : "Item";
}
