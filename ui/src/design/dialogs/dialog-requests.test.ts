import { expect, it } from "vitest";
import { DialogRequests } from "./dialog-requests";

it("asks one thing after the other", async () => {
  const requests = new DialogRequests<string, number>();
  const displayed = () => requests.store.getState().request;
  const first = requests.ask("first");
  const second = requests.ask("second");
  expect(displayed()).toBe("first");
  requests.store.getState().settle(1);
  expect(await first).toBe(1);
  expect(displayed()).toBe("second");
  requests.store.getState().settle();
  expect(await second).toBeUndefined();
  expect(displayed()).toBeUndefined();
});
