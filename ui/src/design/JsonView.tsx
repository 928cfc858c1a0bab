import { memo } from "react";
import { JsonView as Lite } from "react-json-view-lite";

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

/** A JSON value as a tree that folds. */
export const JsonView = memo(function JsonView({ value, label }: { value: unknown; label: string }) {
  if (typeof value !== "object" || value === null) {
    return (
      <code className="json json-string whitespace-pre-wrap break-words">{JSON.stringify(value) ?? "No value"}</code>
    );
  }
  return <Lite aria-label={label} data={value} shouldExpandNode={isShallow} style={STYLES} clickToExpandNode />;
});
