import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"

// Packages are read in as operators run them: some have builds for development too, a few times as slow.
process.env["NODE_ENV"] = "production"

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["BuildSetup", "PostgresSetup", "RedisSetup", "S3Setup"].map(
      (name) => `test/support/servers/${name}.ts`
    ),
    // Processes, not threads: tests of a real service hold real sockets, and end with them.
    reporters: ["default", "./test/support/ClosingLine.ts"],
    pool: "forks",
    // What Effect and the sources take to be read in is two fifths of the suite: files of a process share them.
    isolate: false,
    // On two cores: some wait for what they have started, or for the clock of a process.
    maxWorkers: 3,
    // Threads and processes that tests begin read the same program again and again.
    env: { NODE_COMPILE_CACHE: fileURLToPath(new URL("node_modules/.cache/compile", import.meta.url)) },
    // These end what hangs, and nothing else: a machine that is busy may take its time.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 120_000, interval: 20 } }
  }
})
