import type { Reporter, TestCase, TestResult } from "@playwright/test/reporter";

/** Prints each measurement as one line of JSON, and what failed as text. */
export default class JsonLines implements Reporter {
  onTestEnd(test: TestCase, result: TestResult): void {
    for (const { type, description } of test.annotations) {
      if (type === "result") process.stdout.write(`${description}\n`);
    }
    for (const error of result.errors) process.stderr.write(`${test.title}: ${error.message}\n`);
  }

  printsToStdio(): boolean {
    return true;
  }
}
