/** Nodes in this process, from the kit for tests: no process can be killed, but the network fails in each way. */
import { Sheaf, type TestPostgres } from "../../src/program/testing/Testing.ts"
import { HookSink } from "../../test/support/servers/HookSink.ts"
import type { Stage } from "./Stage.ts"

export const startKit = async (nodes: number, postgres?: TestPostgres): Promise<Stage> => {
  const common = { clock: "live", ...(postgres === undefined ? {} : { postgres }) } as const
  const settings = { webhookAllow: ["127.0.0.1"] }
  const first = await Sheaf.start({ ...common, settings })
  const all = [first]
  while (all.length < nodes)
    all.push(await Sheaf.start({ ...common, databaseOf: first, settings: { ...settings, dataDir: first.dataDir } }))
  const sink = await HookSink.start()
  return {
    origins: all.map(({ url }) => new URL(url).origin),
    sink,
    inspect: async () => [],
    heal: async () => {},
    stop: async () => {
      for (const each of all.toReversed()) await each.stop()
      await sink.stop()
    }
  }
}
