import { memo } from "react";
import { JsonView as Lite } from "react-json-view-lite";
import { formatJson, isLargeInteger } from "./exact-json";

const STYLES = {
  container: "json",
  basicChildStyle: "json-child",
  childFieldsContainer: "json-children",
  label: "json-label",
  clickableLabel: "json-label",
  nullValue: "json-null",
  undefinedValue: "json-null",
  stringValue: "json-string",
  booleanValue: "json-boolean",
  numberValue: "json-number",
  otherValue: "json-null",
  punctuation: "json-mark",
  expandIcon: "json-open",
  collapseIcon: "json-shut",
  collapsedContent: "json-more",
  noQuotesForStringValues: false,
  quotesForFieldNames: false,
  ariaLables: { collapseJson: "Collapse", expandJson: "Expand" },
  stringifyStringValues: false,
};

const isShallow = (level: number) => level < 2;

/** The value with large integers as numbers, for display. Shares what has none. */
function withBigInts(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (isLargeInteger(value)) return BigInt(value.$int);
  if (Array.isArray(value)) {
    const items = value.map(withBigInts);
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  const entries = Object.entries(value).map(([key, inner]) => [key, withBigInts(inner), inner] as const);
  return entries.some(([, shown, inner]) => shown !== inner)
    ? Object.fromEntries(entries.map(([key, shown]) => [key, shown]))
    : value;
}

/** A JSON value as a tree that folds. */
export const JsonView = memo(function JsonView({ value, label }: { value: unknown; label: string }) {
  if (typeof value !== "object" || value === null || isLargeInteger(value)) {
    return <code className="json json-string whitespace-pre-wrap break-words">{formatJson(value) ?? "No value"}</code>;
  }
  return (
    <Lite
      aria-label={label}
      data={withBigInts(value) as object}
      shouldExpandNode={isShallow}
      style={STYLES}
      clickToExpandNode
    />
  );
});
