import { fileURLToPath } from "node:url"
import { defineConfig, type Plugin } from "vitest/config"
import { WaitingFirst } from "./test/support/WaitingFirst.ts"

// Some packages have a slower build for development, which they choose unless NODE_ENV says production.
process.env["NODE_ENV"] = "production"

/**
 * Starts worker threads from the bundle, as in production: a thread that loads the sources takes two to four times as
 * long to start, and the tests start hundreds. `BuildSetup` builds the bundle again when the sources have changed.
 */
const builtThreads: Plugin = {
  name: "built threads",
  enforce: "pre",
  transform: (code, id) => {
    if (!id.endsWith("/services/concurrency/WorkerModule.ts")) return undefined
    const built = `export const workerModule = (_, name) => new URL(name + ".js", "${new URL("dist/", import.meta.url).href}")`
    const changed = code.replace(/^export const workerModule = .*?(?=\n\n)/ms, built)
    if (changed === code)
      throw new Error("services/concurrency/WorkerModule.ts no longer says which module a thread begins with")
    return changed
  }
}

export default defineConfig({
  plugins: [builtThreads],
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["TemporaryFiles", "BuildSetup", "PostgresSetup", "RedisSetup", "S3Setup"].map(
      (name) => `test/support/servers/${name}.ts`
    ),
    reporters: [process.env["CI"] ? "minimal" : "default", "./test/support/ClosingLine.ts"],
    // Servers log: only the output of a failed test is shown. `--silent=false` shows all output.
    silent: "passed-only",
    // Processes instead of threads: tests of a real service hold sockets, which close when their process ends.
    pool: "forks",
    sequence: { sequencer: WaitingFirst },
    // Loading Effect and the sources would take two fifths of the suite's time: test files of a process share them.
    isolate: false,
    // With the default of 16 MB the young generation is collected more often, which takes 7 % more processor time.
    execArgv: ["--max-semi-space-size=32"],
    // More than the two cores: some tests wait for a process that they have started, or for the real clock.
    maxWorkers: 4,
    // Threads and processes that tests start load the same program many times.
    env: { NODE_COMPILE_CACHE: fileURLToPath(new URL("node_modules/.cache/compile", import.meta.url)) },
    // These limits only end a test that hangs: on a busy machine a test may take long.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 120_000, interval: 20 } }
  }
})
