import { attack } from "./Attack.ts"
import { type Reply, flood, statuses } from "./Client.ts"

/** Many credentials, each with its own rate limit. */
export const manyKeys = attack({
  name: "many-keys",
  finding: "30 keys made 6000 requests a second on a plan with 1000 a minute",
  seconds: 10,
  run: async (lab) => {
    const { token } = lab.server.takeAttacker()
    const owner = lab.client(token)
    const made = await flood(lab.signal, { atOnce: 8, most: 105 }, (index) =>
      owner.post("/v2/api-keys", { name: `k${index}` })
    )
    const secrets: Array<string> = made
      .filter(({ status }) => status === 201)
      .map(({ text }) => JSON.parse(text).secret)
    const user = lab.client()
    const replies = await flood(lab.signal, { atOnce: 30, most: 5400 }, (index) =>
      user.get("/v2/me", { credential: secrets[index % 30]! })
    )
    return { made, replies }
  },
  judge: ({ replies, made }) => ({
    figures: `keys ${statuses(made)}, requests ${statuses(replies)}`,
    failures: [
      ...(made.some(({ status }) => status === 403) ? [] : ["more than 100 keys of one user"]),
      ...(replies.some(({ status }) => status === 429) || replies.length < 5100
        ? []
        : ["5 400 requests a minute of one workspace"])
    ]
  })
})

/** Each pull may name a new device. */
export const manyDevices = attack({
  name: "many-devices",
  finding: "a pull made a device, an event and an audit entry, 480 times a second, and none was ever removed",
  measured: false,
  seconds: 10,
  run: async (lab) => {
    const client = lab.client(lab.server.takeAttacker().token)
    const id = (index: number) => `sy_${`${index}`.padStart(4, "0")}${"0".repeat(16)}`
    const pulls = await flood(lab.signal, { atOnce: 8, most: 120 }, (index) =>
      client.post("/v2/sync/pull", { device: { id: id(index) } })
    )
    let devices = 0
    let cursor = ""
    for (let page = 0; page < 3; page++) {
      const reply = await client.need(200, "GET", `/v2/sync/devices?limit=100${cursor}`)
      devices += reply.data.length
      if (!reply.has_more) break
      cursor = `&cursor=${encodeURIComponent(reply.next_cursor)}`
    }
    return { pulls, devices }
  },
  judge: ({ devices, pulls }) => ({
    figures: `pulls ${statuses(pulls)}, devices ${devices}`,
    failures: [
      ...(devices > 100 ? ["more than 100 devices of one user"] : []),
      ...(pulls.some(({ status }) => status !== 201) ? ["a pull was refused"] : [])
    ]
  })
})

/** The cost of purging a note must not depend on the number of stored Idempotency-Keys. */
export const purges = attack({
  name: "purges",
  finding: "purging a note scanned the stored Idempotency-Keys of all users",
  measured: false,
  seconds: 15,
  run: async (lab) => {
    const { key, notebook_id, token } = lab.server.takeAttacker()
    const client = lab.client(token)
    const credentials = [key]
    while (credentials.length < 8)
      credentials.push((await client.need(201, "POST", "/v2/api-keys", { body: { name: "k" } })).secret)
    const purge = async (): Promise<number> => {
      const all: Array<number> = []
      for (let count = 0; count < 15; count++) {
        const { id } = await client.need(201, "POST", "/v2/notes", { body: { notebook_id, title: "t" } })
        all.push((await client.send("DELETE", `/v2/notes/${id}?permanent=true`)).ms)
      }
      return all.sort((one, other) => one - other)[3]!
    }
    await purge()
    const before = await purge()
    // The maximum that a workspace may send in a minute.
    const keys = await flood(lab.signal, { atOnce: 16, most: 4500 }, (index): Promise<Reply> =>
      client.post(
        "/v2/notebooks",
        { name: "" },
        { credential: credentials[index % 8]!, headers: { "idempotency-key": `key ${index}` } }
      )
    )
    return { before, after: await purge(), keys: keys.length }
  },
  judge: ({ after, before, keys }) => ({
    figures: `${before.toFixed(1)} ms, with ${keys} keys ${after.toFixed(1)} ms`,
    failures: after > 2 * before && after - before > 2 ? ["a purge takes twice as long"] : []
  })
})
