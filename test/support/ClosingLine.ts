import type { Reporter, TestModule } from "vitest/node"

/** A reporter that ends the run with one plain line of counts. */
export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: ReadonlyArray<TestModule>, errors: ReadonlyArray<unknown>): void {
    const counts = { passed: 0, failed: errors.length, skipped: 0 }
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        const { state } = test.result()
        if (state !== "pending") counts[state]++
      }
      // A file that could not be loaded has no tests that could fail.
      if (module.state() === "failed" && counts.failed === 0) counts.failed++
    }
    const skipped = counts.skipped === 0 ? "" : `, ${counts.skipped} skipped`
    // Printed after the output of the other reporters.
    process.once("exit", () => console.log(`${counts.passed} passed, ${counts.failed} failed${skipped}`))
  }
}
