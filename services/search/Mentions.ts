import { hash } from "node:crypto"
import { Context, Effect, Layer } from "effect"
import { RoundRobinSemaphore } from "../concurrency/RoundRobinSemaphore.ts"
import { Contents } from "../contents/Contents.ts"
import type { NoteLink } from "../contents/Link.ts"
import { Database, runSql } from "../database/Database.ts"
import { type BadRequest, type Invalid, NotFound, type Unavailable } from "../Errors.ts"
import type { Page } from "../lists/Page.ts"
import { mentionThread } from "../markdown/contents/ContentThread.ts"
import { folded } from "../markdown/LinkText.ts"
import { runEach } from "../markdown/MarkdownThread.ts"
import { Principal } from "../Principal.ts"
import { traced } from "../Traced.ts"
import { Search } from "./Search.ts"

/** Maximum number of names of a note that are looked for, of characters of each, and of notes that mention them. */
const maxNames = 5
const longestName = 100
const maxNotes = 100
/** Maximum bytes of all texts in which names are looked for. */
const maxBytes = 4_000_000

const namesText = `SELECT title, ARRAY(SELECT name_key FROM note_aliases a
    WHERE a.workspace_id = n.workspace_id AND a.note_id = n.id ORDER BY name_key LIMIT ${maxNames}) AS aliases
  FROM notes n WHERE workspace_id = $1 AND id = $2 AND deleted_at IS NULL`

interface Mentioning {
  readonly id: string
  readonly title: string
  readonly notebook_id: string
  readonly version: number
  readonly body: string
}

/** Notes without a link to the note, in the order in which the search found them, up to a sum of bytes. */
const textsText = `SELECT id, title, notebook_id, version, body FROM (
    SELECT n.*, w.place, sum(octet_length(n.body)) OVER (ORDER BY w.place ROWS UNBOUNDED PRECEDING) AS bytes
    FROM unnest($2::text[]) WITH ORDINALITY AS w (id, place)
    JOIN notes n ON n.workspace_id = $1 AND n.id = w.id AND n.deleted_at IS NULL
    WHERE n.id <> $3 AND NOT EXISTS (
      SELECT FROM note_links l WHERE l.workspace_id = $1 AND l.note_id = n.id AND l.target_id = $3)
  ) found WHERE bytes <= ${maxBytes} ORDER BY place`

/** Notes that mention another note by its title or an alias without a link to it (contract 5, Contents of notes). */
export class Mentions extends Context.Service<
  Mentions,
  {
    /** The first mention in each of at most 100 notes. */
    readonly of: (id: string) => Effect.Effect<Page, BadRequest | Invalid | NotFound | Unavailable, Principal>
  }
>()("sheaf/search/Mentions") {
  static readonly layer = Layer.effect(
    Mentions,
    Effect.gen(function* () {
      const { read } = yield* Database
      const contents = yield* Contents
      const search = yield* Search
      const thread = mentionThread()
      yield* Effect.addFinalizer(() => Effect.promise(() => thread.end()))
      const semaphore = new RoundRobinSemaphore({
        permits: 1,
        permitsPerGroup: 1,
        maxWaiting: 100,
        maxWaitingPerKey: 10,
        detail: "Too many mentions are being looked for"
      })

      const found = Effect.fnUntraced(function* (name: string) {
        const json = yield* search.search({ query: `"${name.replaceAll('"', " ")}"`, archived: null, limit: maxNotes })
        return (JSON.parse(json) as { readonly hits: ReadonlyArray<{ readonly id: string }> }).hits.map(({ id }) => id)
      })

      return Mentions.of({
        of: traced("Mentions.of")(function* (id: string) {
          const { user_id, workspace_id } = yield* Principal
          const [note] = yield* runSql<{ readonly title: string; readonly aliases: ReadonlyArray<string> }>(
            read,
            namesText,
            [workspace_id, id]
          )
          if (note === undefined) return yield* NotFound.of("note")
          yield* contents.catchUp(workspace_id)
          const names = [...new Set([folded(note.title), ...note.aliases])]
            .filter((name) => name.trim().length > 1 && name.length <= longestName)
            .slice(0, maxNames)
          const ids = new Set((yield* Effect.forEach(names, found)).flat())
          const texts = yield* runSql<Mentioning>(read, textsText, [workspace_id, [...ids].slice(0, maxNotes), id])
          const looking = Effect.promise(() =>
            runEach(
              thread,
              texts.map(({ body }) => ({ body, names }))
            )
          )
          // The thread is busy until it responds, even after the call has ended.
          const mentions = yield* semaphore.withPermit([user_id, workspace_id], Effect.uninterruptible(looking))
          const items = texts.flatMap(({ id: note_id, notebook_id, title, version }, index) => {
            const mention = mentions[index]
            if (mention === undefined) return []
            const link: NoteLink = {
              id: `lk_${hash("sha256", `${note_id} ${mention.start}`, "base64url").slice(0, 22)}`,
              note_id,
              note_title: title,
              notebook_id,
              kind: "mention",
              target: mention.text,
              text: mention.text,
              context: mention.context,
              version,
              line: mention.line,
              starts: mention.start,
              ends: mention.end,
              status: "unlinked",
              resolved_by: null,
              target_id: id,
              target_title: note.title,
              anchor: "",
              place_found: true,
              candidates: []
            }
            return [JSON.stringify(link)]
          })
          return { items, has_more: false, next_cursor: null }
        })
      })
    })
  )
}
