import { Clock, Context, Effect, Layer } from "effect"
import { Expired, NotFound, type RateLimited, Unauthorized, type Unavailable } from "../../Errors.ts"
import { Passwords } from "../../identity/Passwords.ts"
import { networkOf } from "../../limits/Network.ts"
import { Throttles } from "../../limits/Throttles.ts"
import { Markdown } from "../../markdown/Markdown.ts"
import { publicTitle } from "../../markdown/PrivateParts.ts"
import { Database, runSql } from "../../database/Database.ts"
import { Secrets } from "../../secrets/Secrets.ts"
import { traced } from "../../Traced.ts"
import { ownerOf } from "../../workspaces/WorkspaceTables.ts"
import type { AttachmentFile } from "../attachments/AddressedAttachments.ts"
import { Attachments } from "../attachments/Attachments.ts"
import * as NoteRendering from "../NoteRendering.ts"
import { isPassword } from "./Share.ts"
import { missing } from "./ShareEdits.ts"
import { hashOf, isToken } from "./ShareLinks.ts"
import * as SharePass from "./SharePass.ts"

/** A valid share, with data of its note. */
export interface FoundShare {
  readonly workspace_id: string
  /** The owner of the workspace: owners take turns to have notes rendered. */
  readonly owner: string
  readonly id: string
  readonly note_id: string
  readonly password: string | null
  readonly breaks: boolean
  readonly expires_at: string | null
  readonly version: number
  /** The title as readers see it. */
  readonly title: string
  readonly updated_at: string
  /** The language of the user who shares it. */
  readonly locale: string | null
  /** Changes when a file of the note changes. */
  readonly files_state: string | null
}

/** The password, passes and address of a reader. */
export interface Shown {
  readonly password: string | undefined
  readonly passes: ReadonlyArray<string>
  readonly ip: string | null
}

const expired = new Expired({ code: "share_expired", detail: "The link has expired" })
const passwordRequired = new Unauthorized({ code: "authentication_required", detail: "The share requires a password" })
const wrongPassword = new Unauthorized({ code: "invalid_credentials", detail: "The password of the share is wrong" })

const noFile = NotFound.of("file")

const findText = `SELECT s.workspace_id, ${ownerOf("s.workspace_id")} AS owner, s.id, s.note_id, s.password, s.breaks, s.expires_at, n.version, n.title,
    n.updated_at, (SELECT locale FROM users u WHERE u.id = s.created_by) AS locale,
    ${NoteRendering.filesState("s.workspace_id", "s.note_id")} AS files_state
  FROM shares s
  JOIN notes n ON n.workspace_id = s.workspace_id AND n.id = s.note_id AND n.deleted_at IS NULL
  JOIN workspaces w ON w.workspace_id = s.workspace_id AND w.deleted_at IS NULL
  WHERE s.token_hash = $1`

/** The notes behind the links of shares (contract 5). */
export class SharedNotes extends Context.Service<
  SharedNotes,
  {
    /** Returns the share of a token; fails with 410 if it has expired. Throttles unknown tokens, but no valid one. */
    readonly find: (
      token: string,
      ip: string | null
    ) => Effect.Effect<FoundShare, Expired | NotFound | RateLimited | Unavailable>
    /** Fails unless the share has no password, or the reader has it or a pass. */
    readonly enter: (share: FoundShare, shown: Shown) => Effect.Effect<void, RateLimited | Unauthorized | Unavailable>
    /** Returns a pass for a reader who has entered the password. */
    readonly pass: (share: FoundShare) => Effect.Effect<string | undefined>
    /** Returns the public part of the note, rendered for a reader at this address. */
    readonly note: (
      share: FoundShare,
      ip: string | null
    ) => Effect.Effect<NoteRendering.RenderedVersion, NotFound | Unavailable>
    /** The same without a long wait: plain if many other notes are being rendered. */
    readonly noteSoon: (
      share: FoundShare,
      ip: string | null
    ) => Effect.Effect<NoteRendering.RenderedVersion, NotFound | Unavailable>
    /** Returns a file that the public part of the note shows or links; fails with 404 for other files. */
    readonly file: (
      share: FoundShare,
      id: string,
      ip: string | null
    ) => Effect.Effect<AttachmentFile, NotFound | Unavailable>
  }
>()("sheaf/notes/shares/SharedNotes") {
  static readonly layer = Layer.effect(
    SharedNotes,
    Effect.gen(function* () {
      const { read } = yield* Database
      const throttles = yield* Throttles
      const passwords = yield* Passwords
      const render = NoteRendering.make(read, yield* Markdown, missing)
      const attachments = yield* Attachments
      const passes = SharePass.make(yield* Secrets)

      const find = traced("SharedNotes.find")(function* (token: string, ip: string | null) {
        const [row] = isToken(token) ? yield* runSql<FoundShare>(read, findText, [hashOf(token)]) : []
        if (row === undefined) {
          yield* throttles.unknownShare(ip)
          return yield* missing
        }
        const found = { ...row, title: publicTitle(row.title) }
        if (found.expires_at === null) return found
        return Date.parse(found.expires_at) > (yield* Clock.currentTimeMillis) ? found : yield* expired
      })

      const enter = traced("SharedNotes.enter")(function* (
        { id, password }: FoundShare,
        { ip, passes: held, password: entered }: Shown
      ) {
        if (password === null) return
        const now = yield* Clock.currentTimeMillis
        if (held.some((pass) => passes.isGood({ id, password }, pass, now))) return
        if (entered === undefined || entered === "") return yield* passwordRequired
        const isRight = isPassword(entered)
          ? Effect.flatMap(throttles.passwordClient(ip), (client) => passwords.verify(entered, password, client))
          : Effect.succeed(false)
        yield* throttles.sharePassword(
          id,
          ip,
          Effect.flatMap(isRight, (right) => (right ? Effect.void : Effect.fail(wrongPassword)))
        )
      })

      const pass = ({ id, password }: FoundShare) =>
        Effect.map(Clock.currentTimeMillis, (now) =>
          password === null ? undefined : passes.issue({ id, password }, now)
        )

      const shown = (share: FoundShare, ip: string | null, isSoon: boolean) =>
        render({ ...share, isForMembers: false }, { owner: share.owner, client: networkOf(ip) }, { isSoon })

      const note = traced("SharedNotes.note")((share: FoundShare, ip: string | null) => shown(share, ip, false))
      const noteSoon = traced("SharedNotes.noteSoon")((share: FoundShare, ip: string | null) => shown(share, ip, true))

      const file = traced("SharedNotes.file")(function* (share: FoundShare, id: string, ip: string | null) {
        const { html, markdown } = (yield* note(share, ip)).rendered
        if (!html.targets.includes(id) && !markdown.targets.includes(id)) return yield* noFile
        const found = yield* attachments.file(share.workspace_id, id)
        // The file may have moved to another note since the rendering.
        return found.row.note_id === share.note_id ? found : yield* noFile
      })

      return SharedNotes.of({ find, enter, pass, note, noteSoon, file })
    })
  )
}
