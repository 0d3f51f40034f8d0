import { afterAll, beforeAll } from "vitest"
import { type Scenario, scenarioOf } from "./Scenario.ts"
import { startApp, type TestApp, type TestAppOptions } from "./TestApp.ts"

/** Starts an App before the tests of a file and stops it after them. Returns it with its `Scenario`. */
export const useApp = (options?: TestAppOptions): Scenario & { readonly app: TestApp } => {
  let running: TestApp | undefined
  const started = (): TestApp => {
    if (running === undefined) throw new Error("the App runs only during tests and their hooks")
    return running
  }
  beforeAll(async () => {
    running = await startApp(options)
  })
  afterAll(() => running?.stop())
  const app: TestApp = {
    get url() {
      return started().url
    },
    get key() {
      return started().key
    },
    get workspace_id() {
      return started().workspace_id
    },
    get database() {
      return started().database
    },
    get dataDir() {
      return started().dataDir
    },
    call: (...given) => started().call(...given),
    changesAfter: (seq) => started().changesAfter(seq),
    seq: () => started().seq(),
    sql: (...given) => started().sql(...given),
    run: (effect) => started().run(effect),
    advance: (duration) => started().advance(duration),
    move: (duration) => started().move(duration),
    idle: () => started().idle(),
    stop: () => started().stop()
  }
  return { app, ...scenarioOf(app) }
}
