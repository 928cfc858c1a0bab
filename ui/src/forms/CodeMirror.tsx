import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { json, jsonParseLinter } from "@codemirror/lang-json";
import { markdown } from "@codemirror/lang-markdown";
import { bracketMatching, HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { linter } from "@codemirror/lint";
import { Annotation, Compartment, EditorState, type Extension } from "@codemirror/state";
import {
  Decoration,
  EditorView,
  keymap,
  MatchDecorator,
  placeholder,
  ViewPlugin,
  type ViewUpdate,
} from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { type RefObject, useEffect, useLayoutEffect, useRef } from "react";
import type { CodeEditorProps, KeptFocus } from "./code-editor-props";
import { cel, jq } from "./languages";

const VARIABLES = new MatchDecorator({
  regexp: /\{\{[^}]*\}\}/g,
  decoration: Decoration.mark({ class: "cm-variable" }),
});

/** Highlights `{{variables}}`, which become inputs. */
const variables = ViewPlugin.define(
  (view) => ({
    marks: VARIABLES.createDeco(view),
    update(update: ViewUpdate) {
      this.marks = VARIABLES.updateDeco(update, this.marks);
    },
  }),
  { decorations: (plugin) => plugin.marks },
);

const colors = HighlightStyle.define([
  { tag: [tags.propertyName, tags.heading], color: "var(--context)" },
  { tag: [tags.string, tags.link], color: "var(--data)" },
  { tag: [tags.number, tags.bool, tags.null, tags.keyword], color: "var(--tools)" },
  { tag: tags.emphasis, fontStyle: "italic" },
  { tag: tags.strong, fontWeight: "600" },
  { tag: [tags.punctuation, tags.processingInstruction, tags.comment], color: "var(--fg-3)" },
]);

const look = EditorView.theme({
  "&": { maxHeight: "320px", fontSize: "12px" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { minHeight: "62px", fontFamily: "var(--font-mono)", lineHeight: "1.5" },
  ".cm-content": { padding: "6px 2px", caretColor: "var(--fg)" },
  ".cm-placeholder": { color: "var(--fg-3)" },
  ".cm-cursor": { borderLeftColor: "var(--fg)" },
  ".cm-variable": {
    padding: "0 1px",
    // On its own tint, the color alone has too little contrast in the light theme.
    color: "color-mix(in srgb, var(--data) 80%, var(--fg))",
    backgroundColor: "color-mix(in srgb, var(--data) 9%, transparent)",
    borderRadius: "3px",
  },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "color-mix(in srgb, var(--accent) 30%, transparent)",
  },
  ".cm-tooltip": { color: "var(--fg)", backgroundColor: "var(--bg-1)", border: "1px solid var(--line)" },
});

const LANGUAGES: Record<CodeEditorProps["language"], Extension> = {
  template: [variables],
  markdown: [markdown(), variables],
  json: [json(), linter(jsonParseLinter()), bracketMatching()],
  jq: [jq, bracketMatching()],
  // Mostly one line; it grows with its text.
  cel: [cel, bracketMatching(), EditorView.theme({ ".cm-scroller": { minHeight: "34px" } })],
  plain: [],
};

/** Marks changes that come from the document, not from the person. */
const externalChange = Annotation.define<boolean>();

/** The window runs the flow by Mod+Enter, also while a field has the focus. */
const EDITING_KEYS = defaultKeymap.filter(({ key }) => key !== "Mod-Enter");

/** With nothing left to undo here, the keys go on to the window. */
const HISTORY_KEYS = historyKeymap.map((binding) => ({ ...binding, preventDefault: false }));

/** CodeMirror as a controlled field. Tab leaves it, as it leaves every other field. */
export default function CodeMirror({
  language,
  label,
  describedBy,
  invalid,
  placeholder: hint,
  value,
  readOnly,
  onChange,
  onBlur,
  focus,
}: CodeEditorProps & { focus: RefObject<KeptFocus> }) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const access = useRef(new Compartment());
  const steps = useRef(new Compartment());
  const latest = useRef({ onChange, onBlur });
  latest.current = { onChange, onBlur };

  // Before the next key press: the fallback may have had the focus.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the editor is created once; value and access are updated below.
  useLayoutEffect(() => {
    if (!place.current) return;
    const editor = new EditorView({
      parent: place.current,
      state: EditorState.create({
        doc: value,
        extensions: [
          steps.current.of(history()),
          keymap.of([...EDITING_KEYS, ...HISTORY_KEYS]),
          EditorView.lineWrapping,
          LANGUAGES[language],
          look,
          syntaxHighlighting(colors),
          hint ? placeholder(hint) : [],
          access.current.of(accessOf(readOnly, label, describedBy)),
          EditorView.updateListener.of((update) => {
            if (update.docChanged && !update.transactions.some((one) => one.annotation(externalChange))) {
              latest.current.onChange(update.state.doc.toString());
            }
            if (update.focusChanged && !update.view.hasFocus) latest.current.onBlur?.();
          }),
        ],
      }),
    });
    view.current = editor;
    if (focus.current) {
      editor.dispatch({ selection: focus.current });
      editor.focus();
      focus.current = undefined;
    }
    return () => editor.destroy();
  }, [language]);

  useEffect(() => {
    const editor = view.current;
    if (!editor || editor.state.doc.toString() === value) return;
    editor.dispatch({
      changes: { from: 0, to: editor.state.doc.length, insert: value },
      annotations: externalChange.of(true),
      effects: steps.current.reconfigure([]),
    });
    // What was typed before is undone by the window from now on: here it would come back into another text.
    editor.dispatch({ effects: steps.current.reconfigure(history()) });
  }, [value]);

  useEffect(() => {
    view.current?.dispatch({ effects: access.current.reconfigure(accessOf(readOnly, label, describedBy)) });
  }, [readOnly, label, describedBy]);

  return <div ref={place} className="code-field" data-invalid={invalid || undefined} data-language={language} />;
}

function accessOf(readOnly: boolean, label: string, describedBy: string | undefined): Extension {
  return [
    EditorState.readOnly.of(readOnly),
    EditorView.editable.of(!readOnly),
    EditorView.contentAttributes.of({
      "aria-label": label,
      ...(describedBy ? { "aria-describedby": describedBy } : {}),
    }),
  ];
}
