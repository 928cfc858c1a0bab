import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";
import { Beside } from "./Beside";

afterEach(cleanup);

const column = (name: string) => screen.getByRole("region", { name });
const marked = (name: string) => [...column(name).querySelectorAll("mark")].map((mark) => mark.textContent);

it("marks the words that differ on both sides, and strikes out neither", () => {
  const { container } = render(
    <Beside left={{ name: "Recorded", value: "the red fox" }} right={{ name: "Here", value: "the blue fox" }} />,
  );
  expect(column("Recorded").querySelector("p:last-child")?.textContent).toBe("the red fox");
  expect(column("Here").querySelector("p:last-child")?.textContent).toBe("the blue fox");
  expect([marked("Recorded"), marked("Here")]).toEqual([["red "], ["blue "]]);
  expect(container.querySelector("del, ins, s")).toBeNull();
});

it("shows what is no text as JSON, and that there is no value", () => {
  render(<Beside left={{ name: "Recorded", value: ["a", 1] }} right={{ name: "Here" }} />);
  expect(column("Recorded").querySelector("p:last-child")?.textContent).toBe('["a",1]');
  expect(column("Here").querySelector("p:last-child")?.textContent).toBe("nothing");
});
