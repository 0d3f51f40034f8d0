import { prefixes } from "../../../services/Ids.ts"
import { EventStream } from "../EventStream.ts"
import type { TestApp } from "../TestApp.ts"

/** Requests to sync with random numbers. */

interface Ids {
  readonly note: (index: number) => string
  readonly notebook: (index: number) => string
  readonly comment: (index: number) => string
  readonly reminder: (index: number) => string
}

/** The body of a pull. */
export const pullOf = (numbers: ReadonlyArray<number>, cursor: string | undefined): object => {
  const types = numbers[4]! % 2 === 0 ? ["note", "tag"] : ["comment", "notebook"]
  const chosen = numbers[3]! % 4 === 0 ? { types } : {}
  if (cursor !== undefined && numbers[1]! % 5 > 0) return { cursor, limit: 1 + (numbers[2]! % 5), ...chosen }
  return isWhole(chosen) ? { limit: 500 } : { limit: 1 + (numbers[2]! % 5), ...chosen }
}

/** Whether a pull returns everything at once: in the order of ids, which are random for the files of a copied note. */
export const isWhole = (body: { readonly cursor?: string; readonly types?: ReadonlyArray<string> }): boolean =>
  body.cursor === undefined && body.types === undefined

/** The body of a push of some changes. */
export const pushOf = (numbers: ReadonlyArray<number>, ids: Ids): object => {
  const entry = (index: number) => {
    const [type, revision, own] = [numbers[index]! % 5, 1 + (numbers[index + 1]! % 3), numbers[index + 2]!]
    const mutation = own % 3 === 0 ? { mutation_id: `m${own % 4}` } : {}
    if (type === 4) {
      const kind = own % 4 === 0 ? "notebook" : "note"
      return { ...mutation, type: kind, op: "delete", id: ids[kind](index), revision }
    }
    const note_id = ids.note(index + 1)
    const data = [
      { title: "Pushed", body: "[[Plan]] words", notebook_id: ids.notebook(index), tags: ["red"] },
      { note_id, body: "pushed" },
      { note_id, remind_at: "2030-01-01T00:00:00.000Z", channel: "webhook" },
      { name: "Pushed", ...(own % 3 === 0 ? {} : { parent_id: ids.notebook(index + 1) }) }
    ][type]
    const kind = (["note", "comment", "reminder", "notebook"] as const)[type]!
    // Ids of the server have any order if they are of one millisecond.
    const made = `${prefixes[kind]}_${[index, ...numbers]
      .map((number) => String(number).padStart(4, "0"))
      .join("")
      .slice(0, 40)}`
    const which = own % 2 === 0 ? { id: ids[kind](index), revision } : { id: made }
    return { ...mutation, type: kind, op: "upsert", data, ...which }
  }
  return { changes: Array.from({ length: 1 + (numbers[0]! % 3) }, (_, index) => entry(2 * index + 1)) }
}

/** The changes of a stream from the cursor. A pull from there, which has as many, says when it has sent all. */
export const streamed = async (app: TestApp, headers: Record<string, string>, cursor: string | undefined) => {
  const pulled = await app.call(
    "POST",
    "/sync/pull",
    { ...(cursor === undefined ? {} : { cursor }), limit: 500 },
    headers
  )
  const stream = await EventStream.open(app, { headers, ...(cursor === undefined ? {} : { cursor }) })
  if (stream.status !== 200) {
    await stream.ended()
    return `${stream.status} ${JSON.parse(stream.text).code}`
  }
  const count = cursor === undefined ? 0 : pulled.body.changes.length
  await stream.until(() => stream.changes.length === count && stream.events.length > 0)
  stream.close()
  return JSON.stringify(stream.changes.map(({ data }) => data))
}
