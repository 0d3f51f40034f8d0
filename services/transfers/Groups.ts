/** Rows that are read at once, and ahead of what is done with them. */

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

/** Reads each group while the one before is written. */
export async function* ahead<A, B>(
  items: Iterable<A> | AsyncIterable<A>,
  read: (item: A) => Promise<B>
): AsyncGenerator<B> {
  let next: Promise<B> | undefined
  for await (const item of items) {
    const current = next
    next = read(item)
    // It is awaited later, whatever happens before.
    next.catch(() => {})
    if (current !== undefined) yield await current
  }
  if (next !== undefined) yield await next
}
