/** Parses typed numbers, with commas as digit separators or decimal marks. */

/** A whole number; `128,000` and `128.000` are one, too. Nothing where the text is no number. */
export function readWhole(text: string): number | undefined {
  const typed = text.trim();
  return read(/^[+-]?[1-9]\d{0,2}(?:[,.]\d{3})+$/.test(typed) ? typed.replace(/[,.]/g, "") : typed.replace(",", "."));
}

/** A number that may have a fraction, as `0.5`, `0,5`, `1,234.5` or `$2.50`. Nothing where the text is no number. */
export function readDecimal(text: string): number | undefined {
  const typed = text.trim().replace(/^\$/, "");
  const grouped = /^[+-]?[1-9]\d{0,2}(?:,\d{3})+\.\d*$/.test(typed) || /^[+-]?[1-9]\d{0,2}(?:,\d{3}){2,}$/.test(typed);
  return read(grouped ? typed.replaceAll(",", "") : typed.replace(",", "."));
}

function read(text: string): number | undefined {
  const value = Number(text);
  return text === "" || !Number.isFinite(value) ? undefined : value;
}
