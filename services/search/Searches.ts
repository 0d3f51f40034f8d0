import { Context, Effect, Layer } from "effect"
import { Budget, type Sliced, stepsPerMillisecond } from "../budgets/Budget.ts"
import { Turns } from "../budgets/Turns.ts"
import type { Unavailable } from "../Errors.ts"
import type { Note } from "../notes/Note.ts"
import { orUnavailable } from "../storage/Database.ts"
import type { Find } from "./Finds.ts"
import { Indexes } from "./Indexes.ts"
import { SearchDatabase } from "./SearchDatabase.ts"
import type { Match } from "./SearchIndex.ts"
import type { AskedSearch, AskedSuggestions, FoundHits } from "./SearchMessages.ts"
import { type Hit, matchKinds } from "./SearchResult.ts"
import { highlighting } from "./Snippet.ts"
import type { Suggestion } from "./Suggestions.ts"

/** What a search may cost (contract 2: it ends within 3 s of work): to find notes, and to show where they match. */
const findingSteps = 2_000 * stepsPerMillisecond
const showingSteps = 500 * stepsPerMillisecond
/** Of each hit so much is shown at least. */
const hitSteps = stepsPerMillisecond
/** So many characters of bodies are read for one page of hits: of few hits more of each. */
const maxRead = 4_000_000
const maxReadOfOne = 1_048_576

/** Whether it is in the trash is not asked of the database: it would take an index for it that has all notes. */
interface Row extends Omit<Note, "deleted_at"> {
  readonly deleted_at: string | null
}

const explanationOf = (finds: ReadonlyArray<Find>) =>
  finds.flatMap(({ fields, kind, term, weight }) =>
    fields.map((field) => ({ term, kind: matchKinds[kind], field, weight: Math.round(weight * 1000) / 1000 }))
  )

/** Searches and suggestions, as the thread answers them. */
export class Searches extends Context.Service<
  Searches,
  {
    readonly search: (asked: AskedSearch) => Effect.Effect<FoundHits, Unavailable>
    readonly suggest: (asked: AskedSuggestions) => Effect.Effect<ReadonlyArray<Suggestion>, Unavailable>
  }
>()("sheaf/search/Searches") {
  static readonly layer = Layer.effect(
    Searches,
    Effect.gen(function* () {
      const sql = yield* SearchDatabase
      const indexes = yield* Indexes
      const turns = yield* Turns

      /** The rows of what was found, in their order; of each body as much as there is time to show. */
      const rowsOf = Effect.fnUntraced(function* (workspace_id: string, matches: ReadonlyArray<Match>, limit: number) {
        if (matches.length === 0) return []
        const rows = yield* orUnavailable(
          sql.unsafe<Row>(
            `SELECT id, notebook_id, title, left(body, ${Math.min(maxReadOfOne, Math.floor(maxRead / limit))}) AS body,
              tags, pinned, archived, version, word_count, created_at, updated_at, deleted_at
            FROM notes WHERE workspace_id = $1 AND id = ANY($2::text[])`,
            [workspace_id, matches.map(({ id }) => id)]
          )
        )
        const byId = new Map(rows.map((row) => [row.id, row]))
        return matches.flatMap((match) => {
          const row = byId.get(match.id)
          return row === undefined || row.deleted_at !== null ? [] : [{ match, row }]
        })
      })

      const search = Effect.fnUntraced(function* (asked: AskedSearch) {
        const { explain, filters, limit, offset, order, query: text, workspace_id } = asked
        const index = yield* indexes.current(workspace_id)
        const finding = new Budget(findingSteps)
        const { matches, query, suggestion, total } = yield* turns.run(workspace_id, finding, () =>
          index.searching({ ...filters, query: text, order }, offset, limit, finding)
        )
        const rows = yield* rowsOf(workspace_id, matches, limit)
        const showing = new Budget(showingSteps)
        const hits = yield* turns.run(workspace_id, showing, function* (): Sliced<ReadonlyArray<Hit>> {
          const shown: Array<Hit> = []
          for (const { match, row } of rows) {
            const { body: _, deleted_at: __, ...note } = row
            showing.grant(hitSteps)
            const highlighted = yield* highlighting(row, query, match.finds, showing)
            const explanation = explain ? { explanation: explanationOf(match.finds) } : {}
            shown.push({ ...note, score: match.score, ...highlighted, ...explanation })
          }
          return shown
        })
        return { hits, total, suggestion }
      })

      const suggest = Effect.fnUntraced(function* ({ limit, prefix, workspace_id }: AskedSuggestions) {
        const index = yield* indexes.current(workspace_id)
        const budget = new Budget(findingSteps)
        return yield* turns.run(workspace_id, budget, () => index.suggesting(prefix, limit, budget))
      })

      return Searches.of({ search, suggest })
    })
  )
}
