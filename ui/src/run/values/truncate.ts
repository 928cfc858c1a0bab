/** Truncates large values and counts what was left out. */

export type Cut = { value: unknown; left: number };

const MAX_TEXT_LENGTH = 1_500;
const MAX_ITEMS = 60;

/** The value with long texts and long lists cut, each at `scale` times the ordinary measure; `left` counts the cuts. */
export function truncate(value: unknown, scale = 1): Cut {
  const budget = { items: 400 * scale, left: 0 };
  return { value: cut(value, scale, budget), left: budget.left };
}

/** A text cut at `scale` times the ordinary measure. */
export function truncateText(text: string, scale = 1): { text: string; left: number } {
  const limit = MAX_TEXT_LENGTH * scale;
  return text.length <= limit ? { text, left: 0 } : { text: text.slice(0, limit), left: text.length - limit };
}

type Budget = { items: number; left: number };

function cut(value: unknown, scale: number, budget: Budget): unknown {
  budget.items -= 1;
  if (typeof value === "string") {
    if (value.length <= MAX_TEXT_LENGTH * scale) return value;
    budget.left += 1;
    return `${value.slice(0, MAX_TEXT_LENGTH * scale)}… (${value.length.toLocaleString("en")} characters)`;
  }
  if (typeof value !== "object" || value === null) return value;
  const limit = Math.min(MAX_ITEMS * scale, Math.max(1, budget.items));
  return Array.isArray(value) ? cutList(value, limit, scale, budget) : cutObject(value, limit, scale, budget);
}

function cutList(list: readonly unknown[], limit: number, scale: number, budget: Budget): unknown[] {
  const kept = list.slice(0, limit).map((item) => cut(item, scale, budget));
  if (list.length > kept.length) {
    budget.left += 1;
    kept.push(`… ${(list.length - kept.length).toLocaleString("en")} more`);
  }
  return kept;
}

function cutObject(object: object, limit: number, scale: number, budget: Budget): Record<string, unknown> {
  const kept: Record<string, unknown> = {};
  const keys = Object.keys(object);
  for (const key of keys.slice(0, limit)) kept[key] = cut((object as Record<string, unknown>)[key], scale, budget);
  if (keys.length > limit) {
    budget.left += 1;
    kept["…"] = `${(keys.length - limit).toLocaleString("en")} more`;
  }
  return kept;
}
