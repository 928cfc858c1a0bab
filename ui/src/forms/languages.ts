/** Tokenizers of the two query languages, for highlighting only. */
import { StreamLanguage, type StringStream } from "@codemirror/language";

type State = { quote: string | undefined };

const JQ_WORDS = /^(?:if|then|elif|else|end|as|def|reduce|foreach|try|catch|label|import|include|and|or|not|__loc__)$/;
const CEL_WORDS = /^(?:in|has|all|exists|exists_one|map|filter)$/;
const FIXED = /^(?:true|false|null)$/;

/** jq: `.items | map(select(.price > 10))`. */
export const jq = language({
  comment: "#",
  quotes: '"',
  words: JQ_WORDS,
  path: /^\.[A-Za-z_]\w*/,
  name: /^[$@]?[A-Za-z_]\w*/,
});

/** CEL: `value.score >= 0.5 && value.lang == "en"`. */
export const cel = language({
  comment: "//",
  quotes: `"'`,
  words: CEL_WORDS,
  path: /^\.[A-Za-z_]\w*/,
  name: /^[A-Za-z_]\w*/,
});

type Marks = { comment: string; quotes: string; words: RegExp; path: RegExp; name: RegExp };

function language({ comment, quotes, words, path, name }: Marks) {
  return StreamLanguage.define<State>({
    startState: () => ({ quote: undefined }),
    token: (stream, state) => {
      if (state.quote !== undefined) return insideText(stream, state);
      if (stream.eatSpace()) return null;
      if (stream.match(comment)) {
        stream.skipToEnd();
        return "comment";
      }
      const next = stream.peek() ?? "";
      if (quotes.includes(next)) {
        state.quote = next;
        stream.next();
        return insideText(stream, state);
      }
      if (stream.match(/^\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/)) return "number";
      if (stream.match(path)) return "propertyName";
      if (stream.match(name)) {
        const word = stream.current();
        return FIXED.test(word) ? "bool" : words.test(word) ? "keyword" : "name";
      }
      stream.next();
      return /[()[\]{},;:]/.test(next) ? "punctuation" : "operator";
    },
    languageData: { commentTokens: { line: comment }, closeBrackets: { brackets: ["(", "[", "{", '"'] } },
  });
}

/** To the end of the text, which may be on another line. */
function insideText(stream: StringStream, state: State): string {
  for (let next = stream.next(); next !== undefined; next = stream.next()) {
    if (next === "\\") stream.next();
    else if (next === state.quote) {
      state.quote = undefined;
      break;
    }
  }
  return "string";
}
