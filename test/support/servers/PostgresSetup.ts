import type { TestProject } from "vitest/node"
import * as TemporaryPostgres from "../../../src/program/testing/TemporaryPostgres.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** The PostgreSQL of this test run. */
    postgres: TemporaryPostgres.TestPostgres
  }
}

/** Starts one embedded PostgreSQL for the whole run; each test file has its own databases on it. */
export default async (project: TestProject) => {
  const { address, stop } = await TemporaryPostgres.run()
  project.provide("postgres", address)
  return stop
}
