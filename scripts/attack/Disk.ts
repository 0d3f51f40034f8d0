import { randomBytes } from "node:crypto"
import { attack } from "./Attack.ts"
import { type Answer, flood, statuses, times } from "./Client.ts"
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
    const answers: Array<Answer> = []
    // Until a request is refused.
    await flood(lab.signal, { atOnce: 4, most: 45 }, async (index) => {
      const refused = answers.find(({ status }) => status === 403)
      if (refused !== undefined) return refused
      const answer = await client.send("PATCH", `/v2/notes/${id}`, { body: { body: bodies[index % 4]!.slice(index) } })
      answers.push(answer)
      return answer
    })
    const usage = await client.get("/v2/usage")
    return { answers, told: usage.status === 200 ? JSON.parse(usage.text) : {} }
  },
  judge: ({ answers, told }) => {
    const written = answers.filter(({ status }) => status === 200).length
    return {
      figures: `${statuses(answers)} (${written > FREE_STORAGE_MB ? "beyond" : "within"} the quota), text_bytes ${told.text_bytes ?? "unknown"}`,
      fell: written > FREE_STORAGE_MB ? [`${written} MB of history passed a quota of ${FREE_STORAGE_MB} MB`] : []
    }
  }
})
