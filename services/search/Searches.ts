import { Context, Effect, Layer } from "effect"
import { Budget, type Sliced, stepsPerMillisecond } from "../concurrency/Budget.ts"
import { CooperativeScheduler } from "../concurrency/CooperativeScheduler.ts"
import type { Unavailable } from "../Errors.ts"
import type { Find } from "./Finds.ts"
import type { Head } from "./Heads.ts"
import * as Heads from "./Heads.ts"
import { HitsWriter } from "./HitsWriter.ts"
import { type Current, Indexes } from "./Indexes.ts"
import { SearchDatabase } from "./SearchDatabase.ts"
import type { Found } from "./SearchIndex.ts"
import type { AskedSearch, AskedSuggestions, FoundHits } from "./SearchMessages.ts"
import { matchKinds } from "./SearchResult.ts"
import type { ShownNote, ShownNotes } from "./ShownNotes.ts"
import { Highlighter } from "./Snippet.ts"
import type { Suggestion } from "./Suggestions.ts"

/** What a search may cost (contract 2: it ends within 3 s of work): to find notes, and to show where they match. */
const findingSteps = 2_000 * stepsPerMillisecond
const showingSteps = 500 * stepsPerMillisecond
/** Of each hit so much is shown at least. */
const hitSteps = stepsPerMillisecond
const explanationOf = (finds: ReadonlyArray<Find>) =>
  finds.flatMap(({ fields, kind, term, weight }) =>
    fields.map((field) => ({ term, kind: matchKinds[kind], field, weight: Math.round(weight * 1000) / 1000 }))
  )

/** The JSON of a hit: its note, and what the search adds. */
type Shown = readonly [note: string, more: string]

/** A note with the beginning of its body; or with all that is at hand of it, which may be no more. */
type NoteOf = (id: string, isWhole: boolean) => ShownNote | undefined

/**
 * The hits as JSON, as far as their notes are at hand; those stay undefined that are not, or that match behind what was read
 * of their bodies.
 */
function* showing(
  { matches, query }: Found,
  hits: Array<Shown | undefined>,
  noteOf: NoteOf,
  explain: boolean,
  budget: Budget
): Sliced<void> {
  budget.limit = budget.spent + showingSteps
  const highlighter = new Highlighter(query)
  for (const [place, { finds, id, score }] of matches.entries()) {
    if (hits[place] !== undefined) continue
    let note = noteOf(id, false)
    if (note === undefined) continue
    budget.grant(hitSteps)
    let highlighted = yield* highlighter.highlighting(note, finds, budget)
    const isBehind = () => highlighted.highlights.at(-1)?.field !== "body" && highlighter.isIn("body", finds)
    if (!note.isWhole && isBehind()) {
      note = noteOf(id, true)
      if (note?.isWhole !== true) continue
      highlighted = yield* highlighter.highlighting(note, finds, budget)
    }
    const { highlights, snippet } = highlighted
    const explained = explain ? `,"explanation":${JSON.stringify(explanationOf(finds))}` : ""
    const shown = `"snippet":${JSON.stringify(snippet)},"highlights":${JSON.stringify(highlights)}${explained}`
    hits[place] = [note.head, `,"score":${score},${shown}}`]
  }
}

/**
 * What is found, and the hits whose notes are at hand, which most of the time are all. Not a generator function within each
 * search: V8 gives each such function a hidden class of its own in old space, which holds all that it has seen.
 */
function* finding(
  { explain, filters, limit, offset, order, query, workspace_id }: AskedSearch,
  current: Current,
  shown: ShownNotes,
  hits: Array<Shown | undefined>,
  budget: Budget
): Sliced<{ readonly found: Found; readonly head: Head }> {
  const head = current.head()
  const found = yield* current.index.searching({ ...filters, query, order }, offset, limit, budget)
  hits.length = found.matches.length
  yield* showing(found, hits, (id, isWhole) => shown.get(workspace_id, id, isWhole), explain, budget)
  return { found, head }
}

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
      const indexes = yield* Indexes
      const headOf = Heads.make(yield* SearchDatabase)
      const scheduler = yield* CooperativeScheduler
      const { shown } = indexes
      const writer = new HitsWriter()

      const arrayOf = (hits: ReadonlyArray<Shown | undefined>) => {
        let before = "["
        for (const hit of hits) {
          if (hit === undefined) continue
          writer.write(before)
          writer.write(hit[0])
          writer.write(hit[1])
          before = ","
        }
        writer.write(before === "[" ? "[]" : "]")
        return writer.take()
      }

      /** Where the log ends, if that is not where it ended for the index. */
      const furtherThan = (indexed: Head, read: Head = Heads.nowhere): Head | undefined =>
        Heads.isSame(indexed, read) ? undefined : read

      /** The answer of an index; or, unless it is known to have all, where the log ends of which it may lack something. */
      const answerOf = Effect.fnUntraced(function* (asked: AskedSearch, current: Current, hasAll: boolean) {
        const { explain, limit, workspace_id } = asked
        const budget = new Budget(findingSteps)
        const hits: Array<Shown | undefined> = []
        const { found, head } = yield* scheduler.run(workspace_id, budget, () =>
          finding(asked, current, shown, hits, budget)
        )
        let isChecked = hasAll
        for (const isWhole of [false, true]) {
          const missing = found.matches.flatMap(({ id }, place) =>
            hits[place] === undefined && (isWhole || !shown.has(workspace_id, id)) ? [id] : []
          )
          if (missing.length === 0) continue
          const read = yield* shown.read(workspace_id, missing, limit, isWhole)
          const further = isChecked ? undefined : furtherThan(head, read.head)
          if (further !== undefined) return further
          isChecked = true
          const more = new Budget()
          yield* scheduler.run(workspace_id, more, () =>
            showing(found, hits, (id) => read.notes.get(id), explain, more)
          )
        }
        const further = isChecked ? undefined : furtherThan(head, yield* headOf(workspace_id))
        const { suggestion, total } = found
        return further ?? { hits: arrayOf(hits), total, suggestion, head }
      })

      const search = Effect.fnUntraced(function* (asked: AskedSearch) {
        const { workspace_id } = asked
        let { head } = asked
        while (true) {
          const latest = head === undefined ? yield* indexes.latest(workspace_id) : undefined
          if (latest === undefined) head ??= (yield* headOf(workspace_id)) ?? Heads.nowhere
          const current = latest ?? (yield* indexes.current(workspace_id, head ?? Heads.nowhere))
          const answer = yield* answerOf(asked, current, head !== undefined)
          if ("hits" in answer) return answer
          // Once more, with all that was written before this search looked.
          head = answer
        }
      })

      const suggest = Effect.fnUntraced(function* ({ head, limit, prefix, workspace_id }: AskedSuggestions) {
        const { index } = yield* indexes.current(workspace_id, head)
        const budget = new Budget(findingSteps)
        return yield* scheduler.run(workspace_id, budget, () => index.suggesting(prefix, limit, budget))
      })

      return Searches.of({ search, suggest })
    })
  )
}
