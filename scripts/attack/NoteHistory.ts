import { attack } from "./Attack.ts"
import { slowest, statuses, times } from "./Client.ts"
import { store } from "./Content.ts"

const PER_PUSH = 500

/** Versions that differ only in the pin: the body of each is stored with an older version. */
export const noteHistory = attack({
  name: "note-history",
  finding: "a page of a history of 30 000 versions took 60 s; eight of them stopped all reads",
  together: true,
  seconds: 5,
  prepare: async (lab) => {
    const workspace = lab.server.takeAttacker()
    const client = lab.client(workspace.key)
    const [id] = await store(client, workspace, [{ title: "history", body: "b" }])
    let revision = 1
    for (let push = 0; push < 30; push++) {
      const changes = times(PER_PUSH, () => ({
        type: "note",
        op: "upsert",
        id,
        revision,
        data: { pinned: revision++ % 2 === 1 }
      }))
      await client.need(201, "POST", "/v2/sync/push", { body: { changes } })
    }
    return { workspace, id }
  },
  run: async (lab, { id, workspace: { key } }) => {
    const client = lab.client(key)
    const stale = times(100, (index) => ({
      type: "note",
      op: "upsert",
      id,
      revision: 1,
      data: { title: `old ${index}` }
    }))
    return Promise.all([
      ...times(8, () => client.get(`/v2/notes/${id}/versions?limit=1`)),
      client.post("/v2/sync/push", { changes: stale })
    ])
  },
  judge: (replies) => ({
    figures: `${statuses(replies)}, ${slowest(replies)}`,
    failures: replies.some(({ ms, status }) => status === 500 || ms > 3000)
      ? ["a page of the history, or a stale push, took more than 3 s"]
      : []
  })
})
