import type { Claim, QueueRow } from "./QueueStore.ts"

/**
 * How groups of keys, such as the owners of workspaces, share the places of a node for work that takes long:
 *
 * - Groups take turns, and a group has a second place only while no other group waits.
 * - A first try has `firstTime`, each further one four times as long. It may go on while no other group waits; else it gives
 *   its place back and begins again behind the others. Longer and longer times let work of any length end.
 * - While first tries wait, further ones have one place: what is long waits for what is long.
 *
 * Work that is cut short loses what its try has done since its last commit, so only work that waits is a reason for it.
 */
export interface GroupTurns {
  /** SQL for the group of a key. */
  readonly groupOf: (key: string) => string
  /** Milliseconds of a first try. */
  readonly firstTime: number
}

/** What waits longest for a place here, of all groups. */
export interface Waiting {
  readonly group: string
  readonly attempts: number
  readonly next_at: string
}

/** So long it waits before it takes a place of another group, in milliseconds: a free place or another node may come first. */
export const patience = 1_000

export const isFurther = (attempts: number): boolean => attempts > 1

const last = <C>(claims: ReadonlyArray<C>, at: (claim: C) => number): C | undefined =>
  claims.toSorted((a, b) => at(a) - at(b)).at(-1)

/** The claim that gives its place to what waits, and whether its time is over; undefined when it has to wait on. */
export const cutFor = <Row extends QueueRow>(
  waiting: Waiting,
  all: ReadonlyArray<Claim<Row>>,
  now: number,
  { firstTime }: GroupTurns
): { readonly claim: Claim<Row>; readonly isOver: boolean } | undefined => {
  const claims = all.filter(({ group, isCut }) => group !== waiting.group && !isCut)
  if (claims.length < all.length) return undefined
  const second = claims.filter((claim) => claims.some((other) => other !== claim && other.group === claim.group))
  const further = claims.filter(({ job }) => isFurther(job.attempts))
  const surplus = second.length > 0 ? second : waiting.attempts === 0 && further.length > 1 ? further : []
  const newest = last(surplus, ({ begun }) => begun)
  if (newest !== undefined) return { claim: newest, isOver: false }
  const overBy = ({ begun, job }: Claim<Row>) => now - begun - firstTime * 4 ** (job.attempts - 1)
  const over = claims.filter((claim) => overBy(claim) >= 0)
  const longest = last(over, overBy)
  return longest === undefined ? undefined : { claim: longest, isOver: true }
}
