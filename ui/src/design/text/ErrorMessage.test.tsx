import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, describe, expect, it } from "vitest";
import type { Cause } from "@/bindings";
import { ErrorMessage } from "./ErrorMessage";

afterEach(cleanup);

describe("ErrorMessage", () => {
  it("shows every cause, the innermost last", () => {
    const cause: Cause = {
      code: "provider.rate_limited",
      message: "Too many requests.",
      cause: { message: "status 429" },
    };
    render(<ErrorMessage error={{ code: "subflow.failed", message: "The sub-flow failed.", cause }} />);
    const causes = screen.getAllByText(/^Caused by:/).map((element) => element.textContent);
    expect(causes).toEqual(["Caused by: Too many requests. provider.rate_limited", "Caused by: status 429"]);
  });

  it("shows no cause where there is none", () => {
    const { container } = render(<ErrorMessage error={{ code: "subflow.failed", message: "The sub-flow failed." }} />);
    expect(container.textContent).not.toContain("Caused by");
  });
});
