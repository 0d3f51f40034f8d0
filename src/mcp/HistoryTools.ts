import { Effect, Schema } from "effect"
import type { NoteVersion } from "../../services/notes/Note.ts"
import { Notes } from "../../services/notes/Notes.ts"
import { whole } from "../../services/Text.ts"
import { fittingPage } from "./FittingPages.ts"
import { diff, type DiffLine } from "./LineDiff.ts"
import * as McpTool from "./McpTool.ts"
import { costOf, countThatFits, room, shortened } from "./ResponseSize.ts"
import { count, cursor, next_cursor, note_id, pageSize, read, version } from "./ToolFields.ts"

const args = Schema.Struct({
  note_id,
  version: Schema.optionalKey(
    version.annotate({ description: "Shows what this version changed, instead of the list." })
  ),
  compare_with: Schema.optionalKey(
    version.annotate({ description: "The version to compare `version` with; the previous one if absent." })
  ),
  diff_from: Schema.optionalKey(
    whole(0, 10_000_000).annotate({ description: "`diff_next` of the previous part of a diff." })
  ),
  limit: pageSize(50),
  cursor
})
type Args = typeof args.Type

const shownVersion = ({ author_id, created_at, restored_from, title, version, word_count }: NoteVersion) => ({
  version,
  title: shortened(title, 200),
  word_count,
  author_id,
  created_at,
  restored_from
})
const Version = Schema.Struct({
  version: count,
  title: Schema.String,
  word_count: count,
  author_id: Schema.NullOr(Schema.String),
  created_at: Schema.String,
  restored_from: Schema.NullOr(count)
})

/** More lines than a response can contain: the shortest one costs 14 bytes. */
const mostInResponse = 2_000

/** Maximum characters of a line of a diff: `read_note` returns whole lines. */
const mostLine = 1_000

const lineOf = ({ line, mark, text }: DiffLine): string => `${mark} ${line}: ${shortened(text, mostLine)}`

export const HistoryTools = Effect.gen(function* () {
  const notes = yield* Notes

  const list = ({ cursor, limit: most = 10, note_id }: Args) =>
    fittingPage(most, (limit) =>
      Effect.map(
        notes.versions(note_id, { limit: String(limit), ...(cursor === undefined ? {} : { cursor }) }),
        ({ items, next_cursor }) => ({
          items: items.map((json) => shownVersion(JSON.parse(json) as NoteVersion)),
          next_cursor,
          others: {}
        })
      )
    ).pipe(Effect.map(({ items, next_cursor }) => ({ versions: items, diff: [], diff_next: null, next_cursor })))

  const compare = Effect.fnUntraced(function* (args: Args, version: number) {
    const before = args.compare_with ?? version - 1
    const after = yield* notes.version(args.note_id, String(version))
    const { body } = before === 0 ? { body: "" } : yield* notes.version(args.note_id, String(before))
    const from = args.diff_from ?? 0
    const all = diff(body, after.body, from + mostInResponse)
    const lines = all.slice(from, from + mostInResponse).map(lineOf)
    const head = { versions: [shownVersion(after)], next_cursor: null }
    const fits = countThatFits(lines, room - 400 - costOf(head))
    return { ...head, diff: lines.slice(0, fits), diff_next: from + fits < all.length ? from + fits : null }
  })

  return [
    McpTool.reading({
      name: "note_history",
      title: "History of a note",
      description:
        "Lists the versions of a note, newest first. With `version`, shows the lines that it removed (-) and added (+). restore_note brings a version back.",
      access: read,
      args,
      result: Schema.Struct({
        versions: Schema.Array(Version),
        diff: Schema.Array(Schema.String),
        diff_next: Schema.NullOr(count),
        next_cursor
      }),
      run: (args: Args) => (args.version === undefined ? list(args) : compare(args, args.version))
    })
  ]
})
