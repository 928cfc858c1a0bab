/** Shortcuts: how they are written (`Mod+Shift+Z`), how a platform shows them, and which one a key event is. */

const IS_MAC = typeof navigator !== "undefined" && /Mac|iPhone|iPad/.test(navigator.platform);

const MAC: Record<string, string> = { Mod: "⌘", Shift: "⇧", Alt: "⌥", Enter: "↵", Delete: "⌫" };
const OTHER: Record<string, string> = { Mod: "Ctrl", Enter: "↵" };
const ARROWS: Record<string, string> = { ArrowUp: "↑", ArrowDown: "↓", ArrowLeft: "←", ArrowRight: "→" };

/** `Mod+Shift+Z` as this platform writes it. */
export function formatKeys(keys: string): string {
  const names = IS_MAC ? MAC : OTHER;
  return parts(keys)
    .map((part) => names[part] ?? ARROWS[part] ?? part)
    .join(IS_MAC ? "" : "+");
}

/** The same for `aria-keyshortcuts`. */
export function ariaKeys(keys: string): string {
  return parts(keys)
    .map((part) => (part === "Mod" ? (IS_MAC ? "Meta" : "Control") : part))
    .join("+");
}

/** Whether a key event is this shortcut. A sign that needs Shift on some keyboards (`?`, `+`) is taken as typed. */
export function matches(event: KeyboardEvent, keys: string): boolean {
  const wanted = parts(keys);
  const key = wanted.at(-1) ?? "";
  const mod = IS_MAC ? event.metaKey : event.ctrlKey;
  const other = IS_MAC ? event.ctrlKey : event.metaKey;
  if (mod !== wanted.includes("Mod") || other || event.altKey !== wanted.includes("Alt")) return false;
  const sign = key.length === 1 && !/[a-z0-9]/i.test(key);
  if (!sign && event.shiftKey !== wanted.includes("Shift")) return false;
  if (event.key.toLowerCase() === key.toLowerCase() || (key === "Space" && event.key === " ")) return true;
  // A key that types another Latin letter here is the key of that letter, wherever it is on other keyboards.
  if (/^[a-z0-9]$/i.test(event.key) && !(IS_MAC && event.altKey)) return false;
  // For other scripts, and for Alt on a Mac, the typed character says nothing: use the physical key.
  return /^[A-Z]$/.test(key) ? event.code === `Key${key}` : /^\d$/.test(key) && event.code === `Digit${key}`;
}

/** Modifiers, and keys that begin or end a composition: no shortcuts on their own. */
const INCOMPLETE: ReadonlySet<string> = new Set([
  "Control",
  "Meta",
  "Alt",
  "AltGraph",
  "Shift",
  "CapsLock",
  "Dead",
  "Process",
  "Unidentified",
]);

/** The shortcut that a key event is, as `matches` takes it. Nothing while only modifiers are pressed. */
export function keysOf(event: KeyboardEvent): string | undefined {
  const mod = IS_MAC ? event.metaKey : event.ctrlKey;
  const other = IS_MAC ? event.ctrlKey : event.metaKey;
  if (other || INCOMPLETE.has(event.key)) return undefined;
  const key = keyOf(event);
  const isSign = key.length === 1 && !/[a-z0-9]/i.test(key);
  const modifiers = [mod ? "Mod" : "", event.altKey ? "Alt" : "", event.shiftKey && !isSign ? "Shift" : ""];
  return [...modifiers, key].filter(Boolean).join("+");
}

/** With Shift a digit types a sign, and with Alt a Mac types other characters: then the physical key says which it is. */
function keyOf({ key, code, shiftKey, altKey }: KeyboardEvent): string {
  if (key === " ") return "Space";
  const physical = /^(?:Key|Digit)([A-Z0-9])$/.exec(code)?.[1];
  const isTypedOtherwise = !/^[a-z0-9]$/i.test(key) && key.length === 1;
  if (physical !== undefined && isTypedOtherwise && (shiftKey || altKey || key > "~")) return physical;
  return key.length === 1 ? key.toUpperCase() : key;
}

/** `Mod++` is Mod and plus. */
function parts(keys: string): string[] {
  return keys.endsWith("+") ? [...keys.slice(0, -1).split("+").filter(Boolean), "+"] : keys.split("+");
}

/** Whether the key belongs to an input method: Enter and Escape then end a composition, and nothing else. */
export function isComposing(event: { nativeEvent: { isComposing: boolean } }): boolean {
  return event.nativeEvent.isComposing;
}

/** Whether the person is typing text there. */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target.closest(".cm-editor") !== null) return true;
  if (target instanceof HTMLInputElement) return !["checkbox", "radio", "button", "range"].includes(target.type);
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;
}
