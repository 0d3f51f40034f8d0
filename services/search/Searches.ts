import { Context, Effect, Layer } from "effect"
import { Budget, type Sliced, stepsPerMillisecond } from "../concurrency/Budget.ts"
import { CooperativeScheduler } from "../concurrency/CooperativeScheduler.ts"
import type { Unavailable } from "../Errors.ts"
import type { Find } from "./MatchedTerms.ts"
import { type Current, Indexes } from "./Indexes.ts"
import { SearchDatabase } from "./SearchDatabase.ts"
import type { Found } from "./SearchIndex.ts"
import type { FoundHits, SearchTask, SuggestTask } from "./SearchMessages.ts"
import { matchKinds } from "./SearchResult.ts"
import { type Head, isSame, readNotes, type ShownNote, type ShownNotes } from "./ShownNotes.ts"
import { Highlighter } from "./Snippet.ts"
import type { Suggestion } from "./Suggestions.ts"
import type { Partial } from "./WorkspaceIndex.ts"

/**
 * Maximum steps of a search, which ends within 3 s of work (contract 2): to find notes, and to show a page of hits. Each hit
 * has `hitSteps`, also when the others have used up the rest.
 */
const findingSteps = 2_000 * stepsPerMillisecond
const showingSteps = 500 * stepsPerMillisecond
const hitSteps = stepsPerMillisecond

/** What an index has found, and the notes of the page. */
interface Page {
  readonly found: Found
  /** Where the log ended for the index. */
  readonly head: Head
  readonly partial: Partial
  /** As they were when the log ended at `shown.head`. */
  readonly shown: ShownNotes
}

const stateOf = (current: Current) => ({ head: current.head(), partial: current.partial() })

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
    budget.grant(hitSteps)
    const text = { title: shown.note.title, tags: shown.note.tags, body: shown.body }
    const { highlights, snippet } = yield* highlighter.highlighting(text, finds, budget)
    if (shown.hasMore && highlights.at(-1)?.field !== "body" && highlighter.isIn("body", finds)) behind.push(id)
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

      const headOf = (workspace_id: string) =>
        Effect.map(readNotes(sql, workspace_id, [], 1, "beginning"), ({ head }) => head)

      /** Finds a page, and reads its notes. */
      const find = Effect.fnUntraced(function* (task: SearchTask, current: Current) {
        const { filters, limit, offset, order, query, workspace_id } = task
        const budget = new Budget(findingSteps)
        let state = stateOf(current)
        const found = yield* current.run(budget, (index) => {
          // The index may have changed until its turn came.
          state = stateOf(current)
          return index.searching({ ...filters, query, order }, offset, limit, budget)
        })
        const ids = found.matches.map(({ id }) => id)
        const shown = yield* readNotes(sql, workspace_id, ids, limit, "beginning")
        return { found, shown, ...state } satisfies Page
      })

      const show = Effect.fnUntraced(function* (
        { explain, limit, workspace_id }: SearchTask,
        { found, partial, shown }: Page
      ) {
        const hits: Array<object | undefined> = found.matches.map(() => undefined)
        const add = (notes: ReadonlyMap<string, ShownNote>) => {
          const budget = new Budget(showingSteps)
          return scheduler.run(workspace_id, budget, () => showing(found, notes, explain, hits, budget))
        }
        const behind = yield* add(shown.notes)
        if (behind.length > 0) yield* add((yield* readNotes(sql, workspace_id, behind, limit, "whole")).notes)
        const { suggestion, total } = found
        return { hits: JSON.stringify(hits.filter((hit) => hit !== undefined)), total, suggestion, partial }
      })

      /**
       * Searches the index as it is. When the log turns out to have grown meanwhile, brings the index up to there and
       * searches it again: then it has all that was written before the search began, whatever is written since.
       */
      const search = Effect.fnUntraced(function* (task: SearchTask) {
        const { workspace_id } = task
        const latest = yield* indexes.latest(workspace_id)
        const page = latest && (yield* find(task, latest))
        const head = page === undefined ? yield* headOf(workspace_id) : page.shown.head
        // The workspace has been erased.
        if (head === undefined) return { hits: "[]", total: 0, suggestion: undefined, partial: undefined }
        if (page !== undefined && isSame(page.head, head)) return yield* show(task, page)
        return yield* show(task, yield* find(task, yield* indexes.current(workspace_id, head)))
      })

      const suggest = Effect.fnUntraced(function* ({ limit, prefix, workspace_id }: SuggestTask) {
        const head = yield* headOf(workspace_id)
        if (head === undefined) return []
        const current = yield* indexes.current(workspace_id, head)
        const budget = new Budget(findingSteps)
        return yield* current.run(budget, (index) => index.suggesting(prefix, limit, budget))
      })

      return Searches.of({ search, suggest })
    })
  )
}
