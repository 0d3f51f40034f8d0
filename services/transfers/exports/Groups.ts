/** Rows that are read at once, and made ready ahead of being written. */

/** A group of notes is read at once, up to so many of them, and so many bytes. */
const groupNotes = 100
const groupBytes = 2 * 1024 * 1024

/** Cuts into groups that are read at once; one that is larger is a group by itself. */
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

/** How many are made ready at a time, so that what waits for the database, and for other threads, waits together. */
const groupsAhead = 3

/** Makes each ready while those before it are. */
export async function* ahead<A, B>(
  items: Iterable<A> | AsyncIterable<A>,
  ready: (item: A) => Promise<B>
): AsyncGenerator<B> {
  const waiting: Array<Promise<B>> = []
  for await (const item of items) {
    if (waiting.length === groupsAhead) yield await waiting.shift()!
    const next = ready(item)
    // It is awaited later, whatever happens before.
    next.catch(() => {})
    waiting.push(next)
  }
  for (const next of waiting) yield await next
}
