import { randomBytes } from "node:crypto"
import { attack } from "./Attack.ts"
import { type Reply, flood, statuses, times } from "./Client.ts"
import { store } from "./Content.ts"
import { FREE_STORAGE_MB } from "./Lab.ts"

/** Writes new versions of one large note, of which only the last is visible. */
export const disk = attack({
  name: "disk",
  finding: "a gigabyte a minute of one note's history did not count towards any quota",
  seconds: 20,
  run: async (lab) => {
    const workspace = lab.server.takeAttacker()
    const client = lab.client(workspace.key)
    const [id] = await store(client, workspace, [{ title: "history" }])
    const bodies = times(4, () => randomBytes(780_000).toString("base64"))
    const replies: Array<Reply> = []
    // Until a request is refused.
    await flood(lab.signal, { atOnce: 4, most: 45 }, async (index) => {
      const refused = replies.find(({ status }) => status === 403)
      if (refused !== undefined) return refused
      const reply = await client.send("PATCH", `/v2/notes/${id}`, { body: { body: bodies[index % 4]!.slice(index) } })
      replies.push(reply)
      return reply
    })
    const response = await client.get("/v2/usage")
    return { replies, usage: response.status === 200 ? JSON.parse(response.text) : {} }
  },
  judge: ({ replies, usage }) => {
    const written = replies.filter(({ status }) => status === 200).length
    return {
      figures: `${statuses(replies)} (${written > FREE_STORAGE_MB ? "beyond" : "within"} the quota), text_bytes ${usage.text_bytes ?? "unknown"}`,
      failures: written > FREE_STORAGE_MB ? [`${written} MB of history passed a quota of ${FREE_STORAGE_MB} MB`] : []
    }
  }
})
