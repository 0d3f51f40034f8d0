import { afterAll, beforeAll } from "vitest"
import { type Scenario, scenarioOf } from "./Scenario.ts"
import { startApp, type TestApp, type TestAppOptions } from "./TestApp.ts"

/** An App for the tests of one file: it is started before them and stopped after them, and is there in between. */
export const useApp = (options?: TestAppOptions): Scenario & { readonly app: TestApp } => {
  let running: TestApp | undefined
  const started = (): TestApp => {
    if (running === undefined) throw new Error("the App is there for tests, and for what is done before and after them")
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
    jobsDone: () => started().jobsDone(),
    stop: () => started().stop()
  }
  return { app, ...scenarioOf(app) }
}
