import { act, cleanup, render } from "@testing-library/react";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { GrowingMarkdown } from "./GrowingMarkdown";
import { changesMarkup, MarkdownTail } from "./growing-markdown";
import MarkdownText from "./MarkdownText";

const parse = vi.hoisted(() => vi.fn());
vi.mock("react-markdown", async (original) => {
  const { default: ReactMarkdown, ...others } = await original<typeof import("react-markdown")>();
  return {
    ...others,
    default: (props: Parameters<typeof ReactMarkdown>[0]) => {
      parse(props.children);
      return <ReactMarkdown {...props} />;
    },
  };
});

afterEach(cleanup);

/** The markup of a text without the places where it grows. */
const htmlOf = (element: HTMLElement) => element.innerHTML.replace(/<span class="growing-end">|<\/span>/g, "");

describe("GrowingMarkdown", () => {
  beforeEach(async () => {
    const { findByText, unmount } = render(<GrowingMarkdown text="Loaded" complete />);
    await findByText("Loaded");
    unmount();
    parse.mockClear();
  });

  it("parses plain text that grows once, and keeps its text node", () => {
    const words = "The parcel left the depot this morning, and the carrier holds it.".split(" ");
    const draw = (count: number, complete = false) => (
      <GrowingMarkdown text={words.slice(0, count).join(" ")} complete={complete} />
    );
    const { container, rerender } = render(draw(1));
    rerender(draw(2));
    const tail = container.querySelector("p > span");
    for (let count = 3; count <= words.length; count++) rerender(draw(count));
    expect(container.textContent).toBe(words.join(" "));
    expect(container.querySelector("p > span")).toBe(tail);
    expect(parse).toHaveBeenCalledTimes(1);
    rerender(draw(words.length, true));
    expect(container.innerHTML).toBe(`<div class="markdown "><p>${words.join(" ")}</p></div>`);
  });

  it("parses markup at once where it comes slowly, and no more than once in an interval", async () => {
    vi.useFakeTimers({ toFake: ["performance", "setTimeout", "clearTimeout"] });
    try {
      const { container, rerender } = render(<GrowingMarkdown text="It is **at" complete={false} />);
      await vi.advanceTimersByTimeAsync(500);
      rerender(<GrowingMarkdown text="It is **at home**" complete={false} />);
      expect(container.querySelector("strong")?.textContent).toBe("at home");
      parse.mockClear();
      for (const part of ["*", "*n", "*no", "*no*"]) {
        rerender(<GrowingMarkdown text={`It is **at home** ${part}`} complete={false} />);
      }
      expect(parse).not.toHaveBeenCalled();
      await act(() => vi.advanceTimersByTimeAsync(500));
      expect(parse).toHaveBeenCalledTimes(1);
      expect(container.querySelector("em")?.textContent).toBe("no");
    } finally {
      vi.useRealTimers();
    }
  });
});

it("plain growth looks as if all of it was parsed", () => {
  const piece = fc.constantFrom(
    ..."word| |\n|\n\n|1|.|- |* |**|`|```|```js|~~~|# |> ||a|    |[x|](y)|===|---|~~|_|<b>|&amp|;|:|\\".split("|"),
    "|",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), fc.array(piece, { maxLength: 4 }), (before, added) => {
      const start = before.join("");
      const text = start + added.join("");
      if (changesMarkup(text, start.length)) return;
      const parsed = start.trimEnd();
      const whole = render(<MarkdownText text={text} grows />);
      const grown = render(
        <MarkdownTail value={text.slice(parsed.length)}>
          <MarkdownText text={parsed} grows />
        </MarkdownTail>,
      );
      const shown = [whole, grown].map(({ container }) =>
        htmlOf(container).replace(/\s+/g, " ").replaceAll(" </", "</").trim(),
      );
      cleanup();
      expect(shown[1]).toBe(shown[0]);
    }),
    { numRuns: 400 },
  );
});
