import { setTimeout as sleep } from "node:timers/promises"
import { attack, report } from "./Attack.ts"
import { type Reply, flood, times } from "./Client.ts"
import { LARGE, ordinaryText, store, unique } from "./Content.ts"
import type { Lab } from "./Lab.ts"

/** Small requests of many kinds, with and without a valid credential. */
export const requests = attack({
  name: "requests",
  finding: "",
  onDemand: true,
  run: (lab) => {
    const { key } = lab.server.takeAttacker()
    const client = lab.client()
    const asks = [
      () => client.get("/v2/me", { credential: `sfa_${unique().repeat(3)}` }),
      () => client.get("/v2/notebooks", { credential: key }),
      () => client.get(`/invitations/accept?token=sfi_${unique().repeat(3)}012345`),
      () =>
        client.post("/v2/auth/reset", {
          token: `sfp_${unique().repeat(3)}012345`,
          new_password: "correct horse battery"
        }),
      () => client.post("/v2/auth/refresh", { refresh_token: `sfr_${unique().repeat(3)}012345` }),
      () => client.post("/v2/auth/forgot", { email: `${unique()}@example.org` })
    ]
    return flood(lab.signal, { atOnce: 64, most: 20_000 }, (index) => asks[index % asks.length]!())
  },
  judge: report
})

/** Many long polls for the same change of a quarter of a megabyte. */
export const longPolls = attack({
  name: "long-polls",
  finding: "800 long polls of one key, each with its own pages, blocked all reads for seconds",
  seconds: 5,
  run: async (lab) => {
    const { key, notebook_id, token } = lab.server.takeAttacker()
    const client = lab.client(key, { connections: 900 })
    const { cursor } = await client.need(201, "POST", "/v2/sync/pull", { body: { limit: 500 } })
    const waits = Promise.all(times(800, () => client.post("/v2/sync/pull", { cursor, wait: 30 })))
    await sleep(1500)
    const writer = lab.client(token)
    const body = ordinaryText(LARGE / 4)
    await flood(lab.signal, { atOnce: 4, most: 100 }, (index) =>
      writer.post("/v2/notes", { notebook_id, title: `n${index}`, body })
    )
    return waits
  },
  judge: report
})

/** Streams that are opened and closed repeatedly. */
export const streams = attack({
  name: "streams",
  finding: "",
  onDemand: true,
  run: async (lab) => {
    const { key } = lab.server.takeAttacker()
    const client = lab.client()
    const open = (): Promise<Reply> =>
      new Promise((resolve) => {
        const began = performance.now()
        const socket = client.socket()
        const end = (status: number) => {
          socket.destroy()
          resolve({ status, head: "", text: "", ms: performance.now() - began })
        }
        socket.write(`GET /v2/sync/stream HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\n\r\n`)
        socket.once("data", (chunk) => end(Number(chunk.toString("latin1", 9, 12))))
        socket.once("close", () => end(0))
      })
    return flood(lab.signal, { atOnce: 32, most: 900 }, open)
  },
  judge: report
})

const tagged = async (lab: Lab) => {
  const workspace = lab.server.takeAttacker()
  const client = lab.client(workspace.key)
  await store(
    client,
    workspace,
    times(4000, (index) => ({ title: `t${index}`, tags: times(10, (which) => `m${which}`) }))
  )
  const { data } = await client.need(200, "GET", "/v2/tags?limit=100")
  return { workspace, ids: data.map(({ id }: { readonly id: string }) => id) as ReadonlyArray<string> }
}

/** One bulk write after another: tags of all notes are merged, then the notebook is deleted. */
export const bulkWrites = attack({
  name: "bulk-writes",
  finding: "",
  onDemand: true,
  seconds: 8,
  prepare: tagged,
  run: async (lab, { ids: [target, ...ids], workspace: { key, notebook_id } }) => {
    const client = lab.client(key)
    const merges = await flood(lab.signal, { atOnce: 4, most: ids.length }, (index) =>
      client.post("/v2/tags/merge", { source_ids: [ids[index]], target_id: target })
    )
    return [...merges, await client.send("DELETE", `/v2/notebooks/${notebook_id}`)]
  },
  judge: report
})
