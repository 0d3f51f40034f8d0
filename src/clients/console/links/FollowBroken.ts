import { effect } from "@preact/signals"
import { SheafError } from "../../client/SheafClient.ts"
import type { NoteDraft } from "../drafts/NoteDraft.ts"
import type { Broken } from "../editor/LinkMarks.ts"
import type { WorkspaceStore } from "../workspace/WorkspaceStore.ts"

/** Maximum number of broken links of a note that are shown. */
export const mostBroken = 100

/** Calls `show` with the broken links of a note now and after each change of the workspace, until the returned function is called. */
export const followBroken = (store: WorkspaceStore, draft: NoteDraft, show: (broken: Broken) => void): (() => void) => {
  let ended = new AbortController()
  const read = async (id: string, { signal }: AbortController) => {
    const input = { id, direction: "broken", limit: mostBroken } as const
    try {
      const { data } = await store.client.listNoteLinks(input, { signal })
      show(new Map(data.map(({ status, target }) => [target, status === "ambiguous" ? status : "missing"])))
    } catch (error) {
      // Without the network they look as they did.
      if (!(signal.aborted || error instanceof SheafError)) throw error
    }
  }
  const stop = effect(() => {
    // The notebooks are read again after each change of the workspace.
    void store.notebooks.value
    const note = draft.note.peek()
    ended.abort()
    ended = new AbortController()
    if (note?.body.includes("[[")) void read(note.id, ended)
  })
  return () => {
    stop()
    ended.abort()
  }
}
