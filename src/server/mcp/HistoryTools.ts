import { Effect, Schema } from "effect"
import { Invalid } from "../../../services/Errors.ts"
import type { NoteVersion } from "../../../services/notes/Note.ts"
import { Notes } from "../../../services/notes/Notes.ts"
import { whole } from "../../../services/Text.ts"
import type { KeptState } from "../../../services/notes/NoteVersions.ts"
import { fittingPage } from "./responses/FittingPages.ts"
import { commonStart, type DiffLine } from "../../../services/notes/texts/LineDiff.ts"
import { NoteTexts } from "../../../services/notes/texts/NoteTexts.ts"
import * as McpTool from "./McpTool.ts"
import { shortened, shortenedFrom } from "../../../services/notes/texts/ShownText.ts"
import { costOf, countThatFits, room } from "./responses/ResponseSize.ts"
import { count, cursor, next_cursor, note_id, pageSize, read, version } from "./ToolFields.ts"
import * as TrashedNotes from "./TrashedNotes.ts"
import { unused } from "./UnusedArguments.ts"

/** Number of versions on a page by default. */
const usual = 10

const args = Schema.Struct({
  note_id,
  version: Schema.optionalKey(version.annotate({ description: "Shows its changes, instead of the list." })),
  compare_with: Schema.optionalKey(version.annotate({ description: "Instead of the version before." })),
  diff_from: Schema.optionalKey(whole(0, 10_000_000).annotate({ description: "From `diff_next`." })),
  limit: pageSize(50, usual),
  cursor
})
type Args = typeof args.Type

const shownVersion = ({
  author_id,
  created_at,
  restored_from,
  title,
  version,
  word_count
}: Omit<NoteVersion, "body">) => ({
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

const sameVersion = Invalid.field("compare_with", "invalid", "must differ from version")

/** More lines than a response can contain: the shortest one costs 14 bytes. */
const maxInResponse = 2_000

/** Maximum characters of a line of a diff: `read_note` returns whole lines. */
const maxLine = 1_000
/** Characters of a long line before the first difference. */
const leading = 100

const lineOf = ({ counterpart = "", line, mark, text }: DiffLine): string =>
  `${mark} ${line}: ${text.length <= maxLine ? text : shortenedFrom(text, commonStart(text, counterpart) - leading, maxLine)}`

const lastLineBreak = ({ body }: KeptState): string | undefined =>
  body === "" ? undefined : body.endsWith("\n") ? "yes" : "no"

/** The changed properties, in the form of changed lines. */
const propertiesOf = (before: KeptState, after: KeptState): ReadonlyArray<string> => {
  const changed = (name: string, old: unknown, by: unknown): ReadonlyArray<string> =>
    old === by || old === undefined || by === undefined ? [] : [`- ${name}: ${old}`, `+ ${name}: ${by}`]
  const tags = (mark: string, of: KeptState, other: KeptState): ReadonlyArray<string> =>
    of.tags.filter((tag) => !other.tags.includes(tag)).map((tag) => `${mark} tag: ${tag}`)
  return [
    ...changed("title", before.title, after.title),
    ...changed("notebook_id", before.notebook_id, after.notebook_id),
    ...tags("-", before, after),
    ...tags("+", after, before),
    ...changed("pinned", before.pinned, after.pinned),
    ...changed("archived", before.archived, after.archived),
    ...changed("last line break", lastLineBreak(before), lastLineBreak(after))
  ]
}

export const HistoryTools = Effect.gen(function* () {
  const notes = yield* Notes
  const texts = yield* NoteTexts
  const inTrash = yield* TrashedNotes.make

  const list = ({ cursor, limit: most = usual, note_id }: Args) =>
    fittingPage(most, (limit) =>
      Effect.map(
        notes.versions(
          note_id,
          { limit: String(limit), ...(cursor === undefined ? {} : { cursor }) },
          "without bodies"
        ),
        ({ items, next_cursor }) => ({
          items: items.map((json) => shownVersion(JSON.parse(json) as Omit<NoteVersion, "body">)),
          next_cursor,
          others: {}
        })
      )
    ).pipe(Effect.map(({ items, next_cursor }) => ({ versions: items, diff: [], diff_next: null, next_cursor })))

  /** The version that another one is compared with; undefined before the first. */
  const compared = (note_id: string, version: number) =>
    version === 0
      ? Effect.undefined
      : notes
          .versionState(note_id, version)
          .pipe(
            Effect.catchTag("NotFound", () =>
              Effect.fail(Invalid.field("compare_with", "unknown", `must name another version: there is no ${version}`))
            )
          )

  const compare = Effect.fnUntraced(function* (args: Args, version: number) {
    const after = yield* notes.versionState(args.note_id, version)
    const before = yield* compared(args.note_id, args.compare_with ?? version - 1)
    const from = args.diff_from ?? 0
    const properties = before === undefined ? [] : propertiesOf(before, after)
    const to = from + maxInResponse
    const changes = yield* texts.diff(before?.body ?? "", after.body, to)
    const all = [...properties, ...changes.map(lineOf)]
    const head = { versions: [shownVersion(after)], next_cursor: null }
    const fits = countThatFits(all.slice(from, to), room - 400 - costOf({ ...head, diff: [] }))
    return { ...head, diff: all.slice(from, from + fits), diff_next: from + fits < all.length ? from + fits : null }
  })

  const history = Effect.fnUntraced(function* (args: Args) {
    const { compare_with, version } = args
    const wrong =
      version === undefined
        ? unused(args, ["compare_with", "diff_from"], "needs version")
        : unused(args, ["limit", "cursor"], "is for the list, without version")
    if (wrong !== undefined) return yield* wrong
    if (version === undefined) return yield* list(args)
    if (compare_with === version) return yield* sameVersion
    return yield* compare(args, version)
  })

  return [
    McpTool.reading({
      name: "note_history",
      title: "History of a note",
      description:
        "Lists the versions of a note, newest first. With `version`, shows what it removed (-) and added (+). restore_note brings one back.",
      access: read,
      args,
      result: Schema.Struct({
        versions: Schema.Array(Version),
        diff: Schema.Array(Schema.String),
        diff_next: Schema.NullOr(count),
        next_cursor
      }),
      run: (args: Args) => inTrash(args.note_id, history(args))
    })
  ]
})
