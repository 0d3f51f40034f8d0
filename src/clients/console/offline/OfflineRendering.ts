import { pageLink } from "../../../../services/markdown/LinkedPlace.ts"
import { type NoteText, plainly, type Rendered, whole } from "../../../../services/markdown/Rendered.ts"
import type { Schemas } from "../../client/SheafClient.ts"
import type { WorkspaceStore } from "../workspace/WorkspaceStore.ts"
import { copyOf } from "./OfflineCopy.ts"
import { notKept } from "./OfflineMessages.ts"
import { rendererAddress } from "./StoredRenderer.ts"

/** Milliseconds after which a note is shown as text, as on the server. */
const longest = 6_000

/** Renders a text in a worker. Rejects if its file cannot be loaded. */
const rendered = (text: NoteText): Promise<Rendered> =>
  new Promise((resolve, reject) => {
    const worker = new Worker(rendererAddress)
    const end = (settle: () => void) => {
      clearTimeout(timer)
      worker.terminate()
      settle()
    }
    const timer = setTimeout(() => end(() => resolve(plainly(text))), longest)
    worker.onmessage = ({ data }: MessageEvent<Rendered | null>) => end(() => resolve(data ?? plainly(text)))
    worker.onerror = (event) => end(() => reject(notKept(event)))
    worker.postMessage(text)
  })

/** A text of a note as HTML, made on this device. Its links lead to notes of the copy; the copy has no files. */
export const renderHere = async (store: WorkspaceStore, note: Schemas["Note"]): Promise<Schemas["RenderedNote"]> => {
  const { body, id, notebook_id, title, version } = note
  const [copy, { html, isPlain, lang }] = await Promise.all([
    copyOf(store),
    rendered({ title, body, files: undefined, breaks: true, isForMembers: true })
  ])
  const urlOf = (target: string): string => {
    const link = target.slice("note:".length)
    return pageLink(link, copy?.linked(link, notebook_id))
  }
  return { id, version, html: whole(html, urlOf), lang, is_plain: isPlain }
}
