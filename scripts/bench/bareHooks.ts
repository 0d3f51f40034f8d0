/**
 * What webhooks cost that nothing is stored of: signs and posts with undici, `node bareHooks.ts <port> <hooks> <count>
 * <connections>`.
 */
import { createHmac, randomBytes } from "node:crypto"
import { Pool } from "undici"

const [port, hooks, count, connections] = process.argv.slice(2).map(Number) as [number, number, number, number]
const pool = new Pool(`http://127.0.0.1:${port}`, { connections })
const key = randomBytes(32)
let next = 0

const worker = async (): Promise<void> => {
  while (next < count) {
    const at = next++
    const body = JSON.stringify({
      type: "tag.created",
      timestamp: new Date().toISOString(),
      data: { id: `ev_${at}`, resource: { id: `tg_${at}`, name: `bench-${at}`, color: null } }
    })
    const seconds = Math.floor(Date.now() / 1000)
    const signature = createHmac("sha256", key).update(`ev_${at}.${seconds}.${body}`).digest("base64")
    const answer = await pool.request({
      path: `/${at % hooks}`,
      method: "POST",
      headers: {
        "content-type": "application/json",
        "webhook-id": `ev_${at}`,
        "webhook-timestamp": String(seconds),
        "webhook-signature": `v1,${signature}`
      },
      body
    })
    await answer.body.dump()
  }
}

await Promise.all(Array.from({ length: connections }, worker))
await pool.close()
