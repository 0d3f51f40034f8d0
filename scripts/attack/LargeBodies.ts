import { setTimeout as sleep } from "node:timers/promises"
import { attack, report } from "./Attack.ts"
import { flood, times } from "./Client.ts"

/** The largest push, with bodies that take six times their size in JSON. */
export const largePushes = attack({
  name: "large-pushes",
  finding: "six pushes of 11 MB at once blocked the process for seconds",
  together: true,
  run: (lab) => {
    const { key, notebook_id } = lab.server.takeAttacker()
    const client = lab.client(key)
    const body = "\\u0061".repeat(900_000)
    const entry = `{"type":"note","op":"upsert","data":{"notebook_id":"${notebook_id}","title":"t","body":"${body}"}}`
    const raw = `{"changes":[${entry},${entry}]}`
    return flood(lab.signal, { atOnce: 6, most: 12 }, (index) =>
      client.send("POST", "/v2/sync/push", { raw, headers: { "idempotency-key": `push-${index}` } })
    )
  },
  judge: report
})

/** Each unknown field is named, and each invalid entry has a separate result. */
export const manyFaults = attack({
  name: "many-faults",
  finding: "a body of 90 000 unknown fields blocked the process for half a second",
  run: (lab) => {
    const { key, notebook_id } = lab.server.takeAttacker()
    const client = lab.client(key)
    const fields = Object.fromEntries(times(90_000, (index) => [`notebook_i${index}`, 1]))
    const unknown = times(500, (index) => ({
      type: "note",
      op: "upsert",
      id: `nt_${`${index}`.padStart(24, "0")}`,
      revision: 5,
      data: { notebook_id, title: "x" }
    }))
    const asks = [
      () =>
        client.post("/v2/notes", { notebook_id, title: "t", ...fields }, { headers: { prefer: "handling=strict" } }),
      () => client.post("/v2/sync/push", { changes: unknown }),
      () => client.post("/v2/notes", { notebook_id, title: "t", tags: times(90_000, () => "x") })
    ]
    return flood(lab.signal, { atOnce: 6, most: 18 }, (index) => asks[index % 3]!())
  },
  judge: report
})

/** Pipelined requests on one connection, which cost the sender forty bytes each. */
export const pipelined = attack({
  name: "pipelined",
  finding: "60 connections of 900 requests each, sent without a credential, blocked the process for two seconds",
  together: true,
  run: async (lab) => {
    const requests = "GET /v2/notes HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(900)
    const sockets = times(60, () => lab.client().socket())
    for (const socket of sockets) socket.resume().write(requests)
    await sleep(3000)
    return sockets.reduce((sum, { bytesRead }) => sum + bytesRead, 0)
  },
  judge: (bytes) => ({ figures: `${(bytes / 1e6).toFixed(1)} MB of responses`, failures: [] })
})
