import { Context, Effect, Layer } from "effect"
import { Budget, type Sliced, stepsPerMillisecond } from "../concurrency/Budget.ts"
import { CooperativeScheduler } from "../concurrency/CooperativeScheduler.ts"
import type { Unavailable } from "../Errors.ts"
import type { Find } from "./MatchedTerms.ts"
import { Indexes } from "./Indexes.ts"
import { SearchDatabase } from "./SearchDatabase.ts"
import type { Found } from "./SearchIndex.ts"
import type { FoundHits, SearchTask, SuggestTask } from "./SearchMessages.ts"
import { matchKinds } from "./SearchResult.ts"
import { readNotes, type ShownNote } from "./ShownNotes.ts"
import { Highlighter } from "./Snippet.ts"
import type { Suggestion } from "./Suggestions.ts"

/** Maximum steps of a search, which ends within 3 s of work (contract 2): to find notes, and to show a page of hits. */
const findingSteps = 2_000 * stepsPerMillisecond
const showingSteps = 500 * stepsPerMillisecond

const explanationOf = (finds: ReadonlyArray<Find>) =>
  finds.flatMap(({ fields, kind, term, weight }) =>
    fields.map((field) => ({ term, kind: matchKinds[kind], field, weight: Math.round(weight * 1000) / 1000 }))
  )

/**
 * Adds to `hits` those whose notes are in `notes`, at their places. Returns the notes that match behind what was read of
 * their bodies.
 */
function* showing(
  { matches, query }: Found,
  notes: ReadonlyMap<string, ShownNote>,
  explain: boolean,
  hits: Array<object | undefined>,
  budget: Budget
): Sliced<ReadonlyArray<string>> {
  const highlighter = new Highlighter(query)
  const behind: Array<string> = []
  for (const [place, { finds, id, score }] of matches.entries()) {
    const shown = notes.get(id)
    if (shown === undefined) continue
    const text = { title: shown.note.title, tags: shown.note.tags, body: shown.body }
    const { highlights, snippet } = yield* highlighter.highlighting(text, finds, budget)
    if (shown.hasMore && highlights.at(-1)?.field !== "body" && highlighter.isInBody(finds)) behind.push(id)
    const explanation = explain ? { explanation: explanationOf(finds) } : undefined
    hits[place] = { ...shown.note, score, snippet, highlights, ...explanation }
  }
  return behind
}

/** Searches and suggestions in the search thread. */
export class Searches extends Context.Service<
  Searches,
  {
    readonly search: (task: SearchTask) => Effect.Effect<FoundHits, Unavailable>
    readonly suggest: (task: SuggestTask) => Effect.Effect<ReadonlyArray<Suggestion>, Unavailable>
  }
>()("sheaf/search/Searches") {
  static readonly layer = Layer.effect(
    Searches,
    Effect.gen(function* () {
      const indexes = yield* Indexes
      const sql = yield* SearchDatabase
      const scheduler = yield* CooperativeScheduler

      const search = Effect.fnUntraced(function* (task: SearchTask) {
        const { explain, filters, limit, offset, order, query, workspace_id } = task
        const finding = new Budget(findingSteps)
        const result = yield* indexes.search(workspace_id, finding, function* (index, partial) {
          return { found: yield* index.searching({ ...filters, query, order }, offset, limit, finding), partial }
        })
        if (result === undefined) return { hits: "[]", total: 0, suggestion: undefined, partial: undefined }
        const { found, partial } = result
        const hits: Array<object | undefined> = found.matches.map(() => undefined)
        const show = Effect.fnUntraced(function* (ids: ReadonlyArray<string>, part: "beginning" | "whole") {
          const notes = yield* readNotes(sql, workspace_id, ids, limit, part)
          const budget = new Budget(showingSteps)
          return yield* scheduler.run(workspace_id, budget, () => showing(found, notes, explain, hits, budget))
        })
        const behind = yield* show(
          found.matches.map(({ id }) => id),
          "beginning"
        )
        if (behind.length > 0) yield* show(behind, "whole")
        const { suggestion, total } = found
        return { hits: JSON.stringify(hits.filter((hit) => hit !== undefined)), total, suggestion, partial }
      })

      const suggest = ({ limit, prefix, workspace_id }: SuggestTask) => {
        const budget = new Budget(findingSteps)
        return Effect.map(
          indexes.search(workspace_id, budget, (index) => index.suggesting(prefix, limit, budget)),
          (found) => found ?? []
        )
      }

      return Searches.of({ search, suggest })
    })
  )
}
