import type { Schemas } from "../../client/SheafClient.ts"
import { orCopy } from "../offline/orCopy.ts"
import type { WorkspaceStore } from "../workspace/WorkspaceStore.ts"

export type LinkedSummary = Pick<Schemas["NoteSummary"], "id" | "title" | "notebook_id" | "excerpt">

/** Characters of a text of the copy that are shown. */
const excerptLength = 200

/** The notes outside the trash with some ids, at most 50. */
export const summariesOf = (
  store: WorkspaceStore,
  ids: ReadonlyArray<string>
): Promise<ReadonlyArray<LinkedSummary>> => {
  const filter = `id IN (${ids.join(", ")}) AND archived IN (true, false)`
  return orCopy<ReadonlyArray<LinkedSummary>>(
    store,
    async () => (await store.client.listNoteSummaries({ filter, limit: 50 })).data,
    (copy) =>
      ids.flatMap((each) => {
        const note = copy.note(each)
        return note === undefined ? [] : [{ ...note, excerpt: note.body.slice(0, excerptLength) }]
      }),
    () => undefined
  )
}
