import { fileURLToPath } from "node:url"
import { defineConfig, type Plugin } from "vitest/config"

// Packages are read in as operators run them: some have builds for development too, a few times as slow.
process.env["NODE_ENV"] = "production"

/**
 * Starts worker threads from the bundle, as in production: a thread that reads the sources takes two to four times as long
 * to start, and the tests start hundreds. `BuildSetup` builds the bundle again when the sources have changed.
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
    // Servers log; of a test that passes nothing is shown. `--silent=false` shows all.
    silent: "passed-only",
    // Processes, not threads: tests of a real service hold real sockets, and end with them.
    pool: "forks",
    // What Effect and the sources take to be read in is two fifths of the suite: files of a process share them.
    isolate: false,
    // With the default of 16 MB the young generation is collected more often, which takes 7 % more processor time.
    execArgv: ["--max-semi-space-size=32"],
    // On two cores: some wait for a process that they have started, or for the real clock.
    maxWorkers: 4,
    // Threads and processes that tests begin read the same program again and again.
    env: { NODE_COMPILE_CACHE: fileURLToPath(new URL("node_modules/.cache/compile", import.meta.url)) },
    // These end what hangs, and nothing else: a machine that is busy may take its time.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 120_000, interval: 20 } }
  }
})
