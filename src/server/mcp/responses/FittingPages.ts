import { Effect } from "effect"
import { costOf, countThatFits, room } from "./ResponseSize.ts"

/** A page of a list, as the service returns it. */
interface FittingPage<Item extends object, Others extends object = object> {
  readonly items: ReadonlyArray<Item>
  readonly next_cursor: string | null
  /** Further members of the result. */
  readonly others: Others
}

/** Bytes of the names of members around the items. */
const names = 400

/**
 * Reads a page whose items fit into a response. If they do not, reads a shorter page, so that its cursor continues after
 * the last item that is returned. One item always fits.
 */
export const fittingPage = Effect.fnUntraced(function* <Item extends object, Others extends object, E, R>(
  limit: number,
  read: (limit: number) => Effect.Effect<FittingPage<Item, Others>, E, R>
) {
  let page = yield* read(limit)
  for (;;) {
    const { items, next_cursor, others } = page
    const count = countThatFits(items, room - names - costOf({ ...others, next_cursor }))
    if (count >= items.length) return page
    page = yield* read(Math.max(1, count))
    if (count <= 1) return page
  }
})
