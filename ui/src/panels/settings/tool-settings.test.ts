import { expect, it } from "vitest";
import { isHost, isOrigin, isVariable, readHosts } from "./tool-settings";

it("reads one host in each line, each once", () => {
  expect(readHosts(" localhost\n\n[::1]:80, localhost ")).toEqual(["localhost", "[::1]:80"]);
});

it("tells hosts from URLs", () => {
  for (const host of ["localhost", "localhost:8080", "192.168.0.1", "[::1]:8080"]) expect(isHost(host)).toBe(true);
  for (const text of ["", "http://a", "a/b", "*", "a:b", "user@a"]) expect(isHost(text)).toBe(false);
});

it("tells origins from URLs with a path", () => {
  for (const origin of ["https://api.github.com", "http://localhost:80/"]) expect(isOrigin(origin)).toBe(true);
  for (const text of ["", "api.github.com", "https://a/b", "file:///", "https://u@a"])
    expect(isOrigin(text)).toBe(false);
});

it("accepts names of variables only", () => {
  expect([isVariable("GITHUB_TOKEN"), isVariable("ghp-123"), isVariable("")]).toEqual([true, false, false]);
});
