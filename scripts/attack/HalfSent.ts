import { setTimeout as sleep } from "node:timers/promises"
import { attack } from "./Attack.ts"
import { statuses, times } from "./Client.ts"

const head = "POST /v2/auth/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"

/** Requests that announce a large body, send its beginning, and stop. */
export const halfSent = attack({
  name: "half-sent",
  finding: "17 half-sent log-ins blocked the large writes of all users for two minutes",
  together: true,
  run: async (lab) => {
    const anybody = lab.client()
    // A body of unknown length may reach the maximum.
    times(40, () => anybody.socket().write(`${head}Transfer-Encoding: chunked\r\n\r\n5\r\n{"ema\r\n`))
    await sleep(500)
    const other = lab.other()
    const { notebook_id } = lab.server.other
    const body = "x".repeat(100_000)
    const writes = times(6, () => other.post("/v2/notes", { notebook_id, title: "large", body }))
    return Promise.all(writes)
  },
  judge: (replies) => ({
    figures: `another's large writes ${statuses(replies)}`,
    failures: replies.some(({ status }) => status !== 201) ? ["another's large write was refused"] : []
  })
})
