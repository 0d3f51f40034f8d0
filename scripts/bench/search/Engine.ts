/** Measures the speed of one engine in a separate process: `node scripts/bench/search/Engine.ts NAME NOTES`. */
import type { IndexedNote } from "../../../services/search/engine/index/IndexedNote.ts"
import { notesOf } from "./Corpora.ts"
import { enginesOf, type sheaf } from "./Engines.ts"
import { megabytes, memory, milliseconds, timed } from "./Figures.ts"
import { numbers, typosOf, wordsIn } from "./Quality.ts"

const [, , name = "sheaf", size = "14000"] = process.argv
const [, make] = enginesOf([name])[0]!
const rows: Array<readonly [string, string]> = []

/** Multiplies the notes: copies have other ids, and one word that only they have. */
const many = (notes: ReadonlyArray<IndexedNote>, count: number): Array<IndexedNote> =>
  Array.from({ length: count }, (_, each) => {
    const note = notes[each % notes.length]!
    return each < notes.length ? note : { ...note, id: String(each), body: `${note.body}\ncopy${each}` }
  })

const source = notesOf("notes14k")
const notes = many(source, Number(size))
const isSmall = notes.length <= source.length
const before = memory()
const engine = make()
const building = timed(() => {
  for (const note of notes) engine.add(note)
})
rows.push(["build", `${(building / 1000).toFixed(1)} s, ${Math.round((notes.length / building) * 1000)} notes/s`])
// V8 does not report memory that SQLite allocates.
if (!name.startsWith("fts5")) rows.push(["memory", megabytes(memory() - before)])

const next = numbers(7)
const wordsOf = (count: number): string => {
  const note = source[Math.floor(next() * source.length)]!
  const words = `${note.title} ${note.body}`.match(/[A-Za-z]{3,}/g) ?? ["word"]
  const from = Math.floor(next() * Math.max(1, words.length - count))
  return words.slice(from, from + count).join(" ")
}
const warming = 2_000
const times = (queries: ReadonlyArray<string>) => {
  // As in a server that has run for a while: V8 has compiled the code.
  const until = performance.now() + warming
  for (let next = 0; performance.now() < until; next++) engine.ask(queries[next % queries.length]!)
  return milliseconds(queries.map((query) => timed(() => engine.ask(query))))
}
const queries = (count: number, make: () => string) => Array.from({ length: count }, make)
const asked = isSmall ? 300 : 60
rows.push(["one word, p50 / p95", times(queries(asked, () => wordsOf(1)))])
rows.push(["two words", times(queries(asked, () => wordsOf(2)))])
rows.push(["five words", times(queries(asked, () => wordsOf(5)))])
const typos = typosOf(wordsIn(source), isSmall ? 500 : 60)
rows.push(["a misspelt word", times(typos.one.slice(0, asked).map(([wrong]) => wrong))])

const changed = queries(200, () => String(Math.floor(next() * notes.length))).map((id) => notes[Number(id)]!)
rows.push([
  "update, p50 / p95",
  milliseconds(changed.map((note) => timed(() => engine.replace({ ...note, body: `${note.body} changed` }))))
])
if ("index" in engine) {
  const { index, save } = engine as ReturnType<typeof sheaf>
  let read: () => number = () => 0
  const writing = timed(() => (read = save()))
  const reading = timed(() => read())
  const { bytes } = index.store.files
  rows.push(["files", `${megabytes(bytes)}, written in ${writing.toFixed(0)} ms, read in ${reading.toFixed(0)} ms`])
}
console.log(JSON.stringify({ name: engine.name, notes: notes.length, rows }))
