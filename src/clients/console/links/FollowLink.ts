import { isProblem } from "../../client/SheafClient.ts"
import type { NoteDraft } from "../drafts/NoteDraft.ts"
import { addressOfFile } from "../editor/FileAddresses.ts"
import type { FoundLink } from "../editor/FoundLink.ts"
import { texts } from "../Messages.ts"
import { open, route, writing } from "../Navigation.ts"
import { quoted } from "../notes/NoteFilter.ts"
import { orCopy } from "../offline/orCopy.ts"
import { attempt, notify } from "../ui/Notices.tsx"
import type { WorkspaceStore } from "../workspace/WorkspaceStore.ts"
import { chooseNote } from "./CandidatesDialog.tsx"
import { makeMissingNote } from "./MissingNote.ts"

/** The place to which a link leads, the ids of the notes that it may mean, or neither. */
export interface Linked {
  readonly place?: { readonly id: string; readonly anchor: string } | undefined
  readonly candidates?: ReadonlyArray<string> | undefined
}

/** The id of the note to which a link leads by it; undefined if the link has a name. */
export const idIn = (target: string): string | undefined => /^nt_\w+/.exec(target)?.[0]

/** Finds the notes to which a link in a text leads, as in the rendered text. */
export const linkedBy = (store: WorkspaceStore, { note, notebook_id }: NoteDraft, target: string): Promise<Linked> => {
  const { client } = store
  const ask = async (): Promise<Linked> => {
    const place = await client.findLinkedNote({ target, notebook_id }).catch((error: unknown) => {
      if (!isProblem(error, "not_found", "invalid_parameter")) throw error
      return undefined
    })
    const id = note.value?.id
    if (place !== undefined || id === undefined) return { place }
    const filter = `status = ambiguous AND target = ${quoted(target)}`
    const { data } = await client.listNoteLinks({ id, direction: "out", filter, limit: 1 })
    return { candidates: data[0]?.candidates }
  }
  return orCopy<Linked>(
    store,
    ask,
    (copy) => {
      const found = copy.linked(target, notebook_id)
      return found !== undefined && "id" in found ? { place: found } : (found ?? {})
    },
    () => undefined
  )
}

let isFollowing = false

/** Opens the note of a link in the text of a draft, offers those that it may mean, or makes the note that is missing. */
export const followTarget = async (store: WorkspaceStore, draft: NoteDraft, target: string): Promise<void> => {
  if (isFollowing) return
  isFollowing = true
  await attempt(async () => {
    // Links are found in the text that the server has.
    if (!draft.isSaved.value) await draft.save()
    const { candidates, place } = await linkedBy(store, draft, target)
    const { filter } = route.value
    if (place !== undefined) return open(filter, place.id, { anchor: place.anchor || undefined })
    if (candidates !== undefined) return chooseNote(store, target, candidates)
    if (!store.canWrite.value || idIn(target) !== undefined) return notify(texts.notFound)
    open(filter, await makeMissingNote(store, target, draft.notebook_id), { state: writing })
  })
  isFollowing = false
}

/** Opens an address in another tab, which gets no access to this one. */
const openTab = (url: string): void => void window.open(url, "_blank", "noopener,noreferrer")

/** Opens the target of a link in a text that is being written. */
export const followLink = async (store: WorkspaceStore, draft: NoteDraft, link: FoundLink): Promise<void> => {
  if (link.kind === "note") return followTarget(store, draft, link.target)
  if (link.kind === "address") return openTab(link.url)
  await attempt(async () => {
    const url = await addressOfFile(store.client, link.id)
    if (url === undefined) notify(texts.notFound)
    else openTab(url)
  })
}
