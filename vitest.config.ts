import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/PostgresSetup.ts", "test/RedisSetup.ts"],
    // Processes, not threads: tests of a real service hold real sockets, and end with them.
    reporters: ["default", "./test/ClosingLine.ts"],
    pool: "forks",
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000
  }
})
