/** The engine `sheaf/sync` as a client of `sheaf conformance`. */
import { createInterface } from "node:readline"
import { createClient, SheafError } from "../../../src/clients/client/SheafClient.ts"
import { fileStore } from "../../../src/clients/sync/FileSyncStore.ts"
import { openSync, type SyncEngine } from "../../../src/clients/sync/SheafSync.ts"

const types = ["notebook", "note", "tag", "template", "attachment", "comment", "reminder"] as const

let engine: SyncEngine
const commands: Readonly<Record<string, (input: any) => unknown>> = {
  open: async ({ folder, key, url }) => {
    engine = await openSync({ client: createClient({ url, key, retries: 1 }), store: fileStore(folder) })
  },
  write: ({ data, id, op, type }) => (op === "delete" ? engine.remove(type, id) : engine.edit(type, id, data)),
  sync: () =>
    engine.sync().catch((error: unknown) => ({
      error: String(error),
      retry_after: error instanceof SheafError ? (error.retryAfter ?? 0) / 1000 : 0
    })),
  read: () => ({
    records: types.flatMap((type) => engine.all(type).map((data) => ({ type, id: data.id, data }))),
    kept: engine.refused.map(({ edit: { data, id, type }, problem: { code } }) => ({ type, id, data, code }))
  }),
  close: () => engine.close()
}

for await (const line of createInterface({ input: process.stdin })) {
  const { command, ...input } = JSON.parse(line)
  console.log(JSON.stringify((await commands[command]!(input)) ?? {}))
}
