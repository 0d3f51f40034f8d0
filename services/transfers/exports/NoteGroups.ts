/** Groups of rows that are read at once, and prepared before they are written. */

/** Maximum number of notes and of bytes in a group. */
const groupNotes = 100
const groupBytes = 2 * 1024 * 1024

/** Splits items into groups. An item that is too large is a group by itself. */
export const groups = <A>(items: ReadonlyArray<A>, bytesOf: (item: A) => number): ReadonlyArray<ReadonlyArray<A>> => {
  const cut: Array<Array<A>> = []
  let bytes = 0
  for (const item of items) {
    const own = bytesOf(item)
    const last = cut.at(-1)
    if (last === undefined || last.length === groupNotes || bytes + own > groupBytes) {
      cut.push([item])
      bytes = own
    } else {
      last.push(item)
      bytes += own
    }
  }
  return cut
}

/** Number of groups that are prepared at a time, to overlap their waits for the database and for other threads. */
const groupsAhead = 3

/** Prepares items concurrently, and yields the results in order. */
export async function* ahead<A, B>(
  items: Iterable<A> | AsyncIterable<A>,
  ready: (item: A) => Promise<B>
): AsyncGenerator<B> {
  const waiting: Array<Promise<B>> = []
  for await (const item of items) {
    if (waiting.length === groupsAhead) yield await waiting.shift()!
    const next = ready(item)
    // The promise is awaited later: until then, a rejection must not count as unhandled.
    next.catch(() => {})
    waiting.push(next)
  }
  for (const next of waiting) yield await next
}
