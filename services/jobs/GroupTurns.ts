/**
 * How groups of keys, such as the owners of workspaces, share the places of a node for work that takes long:
 *
 * - Groups take turns, and a group has a second place only while no other group waits.
 * - A first try has `firstTime`, each further one four times as long. It may go on while no other group waits; else it gives
 *   its place back and begins again behind the others. Longer and longer times let work of any length end.
 * - While first tries wait, further tries have one place: long work waits for other long work, and not short work for it.
 *
 * A try that is cut short loses its work since its last commit, so it is cut only where other work waits.
 */
export interface GroupTurns {
  /** SQL for the group of a key. */
  readonly groupOf: (key: string) => string
  /** Milliseconds of a first try. */
  readonly firstTime: number
}

/** The row that gets the next place here. */
export interface Waiting {
  readonly group: string
  readonly attempts: number
  readonly next_at: string
}

/** A place that is taken. `begun`: when the try began, in milliseconds; `isCut`: it gives its place to another one. */
interface Taken {
  readonly group: string
  readonly begun: number
  readonly isCut: false | string
  readonly job: { readonly attempts: number }
}

/** Milliseconds that a row waits before it takes a place of another group: a free place or another node may come first. */
export const patience = 1_000

export const isFurther = (attempts: number): boolean => attempts > 1

const last = <C>(claims: ReadonlyArray<C>, at: (claim: C) => number): C | undefined =>
  claims.toSorted((a, b) => at(a) - at(b)).at(-1)

/** The claim that gives its place to a waiting row, and whether its time is over; undefined when the row has to wait. */
export const cutFor = <Claim extends Taken>(
  waiting: Waiting,
  claims: ReadonlyArray<Claim>,
  now: number,
  { firstTime }: GroupTurns
): { readonly claim: Claim; readonly isOver: boolean } | undefined => {
  // The group has a place, or one is about to be free.
  if (claims.some(({ group, isCut }) => group === waiting.group || isCut !== false)) return undefined

  const ofGroupsWithTwo = claims.filter((claim) =>
    claims.some((other) => other !== claim && other.group === claim.group)
  )
  const further = claims.filter(({ job }) => isFurther(job.attempts))
  const isLaneFull = waiting.attempts === 0 && further.length > 1
  const newest = last(ofGroupsWithTwo.length > 0 ? ofGroupsWithTwo : isLaneFull ? further : [], ({ begun }) => begun)
  if (newest !== undefined) return { claim: newest, isOver: false }

  const overBy = ({ begun, job }: Claim) => now - begun - firstTime * 4 ** (job.attempts - 1)
  const over = claims.filter((claim) => overBy(claim) >= 0)
  const longest = last(over, overBy)
  return longest === undefined ? undefined : { claim: longest, isOver: true }
}
