import { Clock, Context, Effect, Layer } from "effect"
import { Database, runSql } from "../database/Database.ts"
import { BadRequest, NotFound, type Unavailable } from "../Errors.ts"
import { Blobs } from "../files/Blobs.ts"
import { SignedUrls } from "../files/SignedUrls.ts"
import { Markdown } from "../markdown/Markdown.ts"
import { type LinkedNote, pageLink } from "../markdown/LinkedPlace.ts"
import { addressesOf, renderingVersion, whole } from "../markdown/Rendered.ts"
import { Principal } from "../Principal.ts"
import { traced } from "../Traced.ts"
import { ownerOf } from "../workspaces/WorkspaceTables.ts"
import * as AttachmentUrls from "./attachments/AttachmentUrls.ts"
import type { RenderedNote } from "./Note.ts"
import * as LinkedNotes from "./LinkedNotes.ts"
import * as NoteRendering from "./NoteRendering.ts"

interface Found {
  readonly owner: string
  readonly version: number
  readonly title: string
  readonly notebook_id: string
  readonly files_state: string | null
}

const findText = `SELECT ${ownerOf("n.workspace_id")} AS owner, n.version, n.title, n.notebook_id,
    ${NoteRendering.filesState("n.workspace_id", "n.id")} AS files_state
  FROM notes n WHERE n.workspace_id = $1 AND n.id = $2 AND n.deleted_at IS NULL`

const missing = NotFound.of("note")
const ambiguous = new NotFound({ code: "not_found", detail: "The link may mean each of several notes" })

/** Maximum number of characters of the target of a link. */
const longestTarget = 2_000
const badTarget = new BadRequest({
  code: "invalid_parameter",
  detail: `target is required, and has at most ${longestTarget} characters`
})

const isNote = (target: string): boolean => target.startsWith("note:")
const linkOf = (target: string): string => target.slice("note:".length)

/** A rendered note, which can have megabytes and is made when it is needed. */
interface LazyNote {
  /** All that the note follows from. */
  readonly state: ReadonlyArray<unknown>
  readonly note: () => RenderedNote
}

/** Notes as HTML for members of their workspace (contract 5). */
export class RenderedNotes extends Context.Service<
  RenderedNotes,
  {
    /** Returns the note as safe HTML, with addresses of its files that are signed for the caller. */
    readonly get: (id: string) => Effect.Effect<LazyNote, NotFound | Unavailable, Principal>
    /** Returns the place to which a link of a note in a notebook leads, by its target as written. */
    readonly linked: (
      target: string | undefined,
      notebook_id: string | undefined
    ) => Effect.Effect<LinkedNote, BadRequest | NotFound | Unavailable, Principal>
  }
>()("sheaf/notes/RenderedNotes") {
  static readonly layer = ({ publicUrl }: { readonly publicUrl: string }) =>
    Layer.effect(
      RenderedNotes,
      Effect.gen(function* () {
        const { read } = yield* Database
        const render = NoteRendering.make(read, yield* Markdown, missing)
        const linkedNotes = LinkedNotes.make(read)
        const { ownUrl } = AttachmentUrls.make(publicUrl, yield* SignedUrls, yield* Blobs)

        return RenderedNotes.of({
          linked: traced("RenderedNotes.linked")(function* (target = "", notebook_id = "") {
            if (target === "" || target.length > longestTarget) return yield* badTarget
            const { workspace_id } = yield* Principal
            const found = (yield* linkedNotes({ workspace_id, notebook_id }, [target])).get(target)
            if (found === undefined) return yield* missing
            if (!("id" in found)) return yield* ambiguous
            return { id: found.id, anchor: found.anchor }
          }),
          get: traced("RenderedNotes.get")(function* (id: string) {
            const { user_id, workspace_id } = yield* Principal
            const [found] = yield* runSql<Found>(read, findText, [workspace_id, id])
            if (found === undefined) return yield* missing
            const { notebook_id, owner, ...note } = found
            const { rendered, version } = yield* render(
              { ...note, workspace_id, note_id: id, breaks: true, isForMembers: true },
              { owner, client: user_id },
              { isSoon: false }
            )
            const now = yield* Clock.currentTimeMillis
            const to = { user_id, workspace_id }
            const { html, isPlain, lang } = rendered
            const links = new Set(html.targets.filter(isNote).map(linkOf))
            const notes = links.size === 0 ? undefined : yield* linkedNotes({ workspace_id, notebook_id }, [...links])
            const noteUrl = (link: string): string => pageLink(link, notes?.get(link))
            // In an attribute, `&` is written as a character reference.
            const urlOf = (target: string): string =>
              isNote(target) ? noteUrl(linkOf(target)) : ownUrl(to, target, now).replaceAll("&", "&amp;")
            const urls = addressesOf(html, urlOf)
            return {
              state: [renderingVersion, id, version, note.title, note.files_state, isPlain, [...urls.values()]],
              note: () => ({ id, version, html: whole(html, (target) => urls.get(target)!), lang, is_plain: isPlain })
            }
          })
        })
      })
    )
}
