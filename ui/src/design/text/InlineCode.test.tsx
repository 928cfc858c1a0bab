import { cleanup, render } from "@testing-library/react";
import { afterEach, describe, expect, it } from "vitest";
import { InlineCode } from "./InlineCode";

afterEach(cleanup);

const drawn = (text: string) => render(<InlineCode text={text} />).container.innerHTML;

describe("InlineCode", () => {
  it("renders text in backticks as code", () => {
    expect(drawn("The input `value` is required.")).toBe(
      'The input <code class="inline-code">value</code> is required.',
    );
    expect(drawn("`a` and `b`")).toBe('<code class="inline-code">a</code> and <code class="inline-code">b</code>');
    expect(drawn("Nothing <b>here</b>.")).toBe("Nothing &lt;b&gt;here&lt;/b&gt;.");
  });

  it("keeps an unpaired backtick", () => {
    expect(drawn("5` long")).toBe("5` long");
    expect(drawn("`a` and `b")).toBe("`a` and `b");
  });
});
