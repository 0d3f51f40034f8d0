import { attack, report } from "./Attack.ts"
import { type Reply, slowest, statuses, times } from "./Client.ts"
import { store, unique } from "./Content.ts"

const refusals = ({ text }: Reply): ReadonlyArray<{ readonly error?: { readonly code: string } }> => {
  const { results = [] } = text.startsWith("{") ? JSON.parse(text) : {}
  return results
}
const overQuota = (replies: ReadonlyArray<Reply>): number =>
  replies.flatMap(refusals).filter(({ error }) => error?.code === "quota_exceeded").length

/** Notes with fifty new tags each, pushed as fast as possible. */
export const tags = attack({
  name: "tags",
  finding: "tags had no quota and were all kept in memory: 475 000 of them took 550 MB",
  seconds: 20,
  run: async (lab) => {
    const { key, notebook_id } = lab.server.takeAttacker()
    const client = lab.client(key)
    const replies: Array<Reply> = []
    for (let push = 0; push < 3; push++) {
      const changes = times(500, () => ({
        type: "note",
        op: "upsert",
        data: { notebook_id, title: "t", tags: times(50, () => `${unique()}${unique()}${unique()}`) }
      }))
      replies.push(await client.post("/v2/sync/push", { changes }))
    }
    return replies
  },
  judge: (replies) => ({
    figures: `${statuses(replies)}, ${slowest(replies)}, ${overQuota(replies)} entries over the quota`,
    failures: overQuota(replies) === 0 ? ["75 000 tags were made"] : []
  })
})

/** Many notebooks, all of which every write to the workspace reads. */
export const notebooks = attack({
  name: "notebooks",
  finding: "notebooks had no quota",
  seconds: 10,
  run: async (lab) => {
    const client = lab.client(lab.server.takeAttacker().key)
    const replies: Array<Reply> = []
    for (let push = 0; push < 5; push++) {
      const changes = times(500, (index) => ({ type: "notebook", op: "upsert", data: { name: `nb ${push} ${index}` } }))
      replies.push(await client.post("/v2/sync/push", { changes }))
    }
    return replies
  },
  judge: (replies) => ({
    figures: `${statuses(replies)}, ${slowest(replies)}, ${overQuota(replies)} entries over the quota`,
    failures: overQuota(replies) === 0 ? ["2 500 notebooks were made"] : []
  })
})

/** Each renaming of a tag creates a version of every note that has it. */
export const tagRenames = attack({
  name: "tag-renames",
  finding: "each renaming of a tag of 10 000 notes took 0.6 s and wrote 20 000 rows",
  together: true,
  prepare: async (lab) => {
    const workspace = lab.server.takeAttacker()
    const client = lab.client(workspace.key)
    await store(
      client,
      workspace,
      times(4000, (index) => ({ title: `t${index}`, tags: ["x"] }))
    )
    const {
      data: [tag]
    } = await client.need(200, "GET", "/v2/tags")
    return { workspace, id: tag.id }
  },
  run: (lab, { id, workspace: { key } }) => {
    const client = lab.client(key)
    return Promise.all(times(8, (index) => client.send("PATCH", `/v2/tags/${id}`, { body: { name: `n${index}` } })))
  },
  judge: report
})
