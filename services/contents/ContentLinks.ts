import { Context, Effect, Layer } from "effect"
import { Database, orUnavailable, runSql } from "../database/Database.ts"
import { BadRequest, NotFound, type Unavailable } from "../Errors.ts"
import { Lists } from "../lists/Lists.ts"
import { limitOf, type Page, type PageQuery } from "../lists/Page.ts"
import { PageCursors } from "../lists/PageCursors.ts"
import { Principal } from "../Principal.ts"
import { Secrets } from "../secrets/Secrets.ts"
import { traced } from "../Traced.ts"
import { Contents } from "./Contents.ts"
import { linkList, type Neighbour } from "./Link.ts"

/** The links of a note that can be asked for; mentions without a link are found by the search. */
export const directions = ["in", "out", "broken"] as const
export type Direction = (typeof directions)[number]

const conditions: Readonly<Record<Direction, string>> = {
  in: "target_id = $2",
  out: "note_id = $2",
  broken: "note_id = $2 AND broken"
}

/**
 * Whether a note may have links to the note `id`. For a limited caller, who has no index of targets: its links are resolved
 * as they are read.
 */
const mayLinkTo = (id: string): string => `note_id = ANY (ARRAY(SELECT k.note_id FROM note_link_keys k
    WHERE k.workspace_id = $1 AND k.key IN (
      SELECT ${id} UNION ALL SELECT title_key FROM note_contents WHERE workspace_id = $1 AND note_id = ${id}
      UNION ALL SELECT name_key FROM note_aliases WHERE workspace_id = $1 AND note_id = ${id}
      UNION ALL SELECT name_key FROM former_names WHERE workspace_id = $1 AND note_id = ${id})))`

/** Maximum distance of a neighbour, and maximum number of neighbours. */
const maxDepth = 3
const maxNeighbours = 1_000

/** Looks up each note and each link by an id: in an order, PostgreSQL would go through all of the workspace. */
const besideText = (linking: string): string => `SELECT n.id, n.title, n.notebook_id FROM (
    SELECT DISTINCT l.id FROM unnest($2::text[]) AS f (id) CROSS JOIN LATERAL (
      SELECT target_id AS id FROM note_links WHERE workspace_id = $1 AND note_id = f.id AND target_id IS NOT NULL
      UNION ALL SELECT note_id FROM note_links WHERE workspace_id = $1 AND target_id = f.id AND ${linking}
    ) l WHERE l.id <> ALL($3::text[])
  ) b CROSS JOIN LATERAL (
    SELECT id, title, notebook_id, deleted_at FROM notes WHERE workspace_id = $1 AND id = b.id OFFSET 0
  ) n
  WHERE n.deleted_at IS NULL ORDER BY n.id LIMIT $4`

/** The list to which cursors of neighbours are bound. */
const neighbourList = { path: "/neighbours", defaultSort: "distance" }

/** The links between the notes of a workspace (contract 5, Contents of notes). */
export class ContentLinks extends Context.Service<
  ContentLinks,
  {
    readonly list: (query: PageQuery) => Effect.Effect<Page, BadRequest | Unavailable, Principal>
    readonly ofNote: (
      id: string,
      direction: Direction,
      query: PageQuery
    ) => Effect.Effect<Page, BadRequest | NotFound | Unavailable, Principal>
    /** The notes that links connect with a note in at most `depth` steps, the nearest first. */
    readonly neighbours: (
      id: string,
      query: { readonly depth?: string; readonly limit?: string; readonly cursor?: string }
    ) => Effect.Effect<Page, BadRequest | NotFound | Unavailable, Principal>
  }
>()("sheaf/contents/ContentLinks") {
  static readonly layer = Layer.effect(
    ContentLinks,
    Effect.gen(function* () {
      const { read } = yield* Database
      const lists = yield* Lists
      const contents = yield* Contents
      const cursors = new PageCursors(yield* Secrets)

      /** Fails with 404 unless there is the note; then waits for the rows. */
      const noteWithLinks = Effect.fnUntraced(function* (workspace_id: string, id: string) {
        const [note] = yield* orUnavailable(
          read.unsafe("SELECT 1 FROM notes WHERE workspace_id = $1 AND id = $2 AND deleted_at IS NULL", [
            workspace_id,
            id
          ])
        )
        if (note === undefined) return yield* NotFound.of("note")
        yield* contents.catchUp(workspace_id)
      })

      const all = Effect.fnUntraced(function* (id: string, depth: number) {
        const { reach, workspace_id } = yield* Principal
        const text = besideText(reach === undefined ? "true" : mayLinkTo("f.id"))
        const found: Array<Neighbour> = []
        let frontier = [id]
        for (let distance = 1; distance <= depth && frontier.length > 0 && found.length < maxNeighbours; distance++) {
          const known = [id, ...found.map((note) => note.id)]
          const rows = yield* runSql<Omit<Neighbour, "distance">>(read, text, [
            workspace_id,
            frontier,
            known,
            maxNeighbours - found.length
          ])
          found.push(...rows.map((row) => ({ ...row, distance })))
          frontier = rows.map((row) => row.id)
        }
        return found
      })

      return ContentLinks.of({
        list: traced("ContentLinks.list")(function* (query: PageQuery) {
          const { workspace_id } = yield* Principal
          yield* contents.catchUp(workspace_id)
          return yield* lists.page({ spec: linkList, query, workspace_id })
        }),
        ofNote: traced("ContentLinks.ofNote")(function* (id: string, direction: Direction, query: PageQuery) {
          const { reach, workspace_id } = yield* Principal
          yield* noteWithLinks(workspace_id, id)
          const where = conditions[direction]
          return yield* lists.page({
            spec: linkList,
            query,
            workspace_id,
            where: direction === "in" && reach !== undefined ? `${where} AND ${mayLinkTo("$2")}` : where,
            params: [id],
            within: `${id} ${direction}`
          })
        }),
        neighbours: traced("ContentLinks.neighbours")(function* (id, query) {
          const { workspace_id } = yield* Principal
          const depth = query.depth === undefined ? 1 : Number(query.depth)
          if (!(Number.isInteger(depth) && depth >= 1 && depth <= maxDepth)) {
            return yield* new BadRequest({
              code: "invalid_parameter",
              detail: `depth must be a whole number from 1 to ${maxDepth}`
            })
          }
          const limit = yield* limitOf(query.limit)
          const bound = { sort: "", filter: `${id} ${depth}` }
          const offset =
            query.cursor === undefined
              ? 0
              : Number((yield* cursors.read(neighbourList, bound, workspace_id, query.cursor))[0])
          yield* noteWithLinks(workspace_id, id)
          const found = yield* all(id, depth)
          const has_more = offset + limit < found.length
          return {
            items: found.slice(offset, offset + limit).map((note) => JSON.stringify(note)),
            has_more,
            next_cursor: has_more ? cursors.make(neighbourList, bound, workspace_id, [offset + limit]) : null
          }
        })
      })
    })
  )
}
