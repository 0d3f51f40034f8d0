/**
 * How groups of keys, such as the owners of workspaces, share the slots of a node for long work:
 *
 * - Groups take turns. A group has a second slot only while no other group waits.
 * - A first try has `firstTime`, each further try four times as long. It may continue while no other group waits;
 *   otherwise it gives up its slot and begins again behind the others. As the time grows, work of any length finishes.
 * - While first tries wait, further tries have one slot, so that long work delays only long work.
 *
 * A try that is cancelled loses its work since its last commit, so it is cancelled only if other work waits.
 */
export interface GroupTurns {
  /** SQL for the group of a key. */
  readonly groupOf: (key: string) => string
  /** Milliseconds of a first try. */
  readonly firstTime: number
}

/** The row that gets the next slot of this node. */
export interface Waiting {
  readonly group: string
  readonly attempts: number
  readonly next_at: string
}

/** A used slot. `begun`: when the try began, in milliseconds; `isCut`: it is being cancelled to free the slot. */
interface Taken {
  readonly group: string
  readonly begun: number
  readonly isCut: false | string
  readonly job: { readonly attempts: number }
}

/**
 * Milliseconds that a row waits before it takes a slot of another group: meanwhile a slot or another node may be free.
 */
export const waitBeforeCut = 1_000

export const isFurther = (attempts: number): boolean => attempts > 1

const last = <C>(claims: ReadonlyArray<C>, at: (claim: C) => number): C | undefined =>
  claims.toSorted((a, b) => at(a) - at(b)).at(-1)

/** The claim that gives its slot to a waiting row, and whether its time is over; undefined if the row must wait. */
export const cutFor = <Claim extends Taken>(
  waiting: Waiting,
  claims: ReadonlyArray<Claim>,
  now: number,
  { firstTime }: GroupTurns
): { readonly claim: Claim; readonly isOver: boolean } | undefined => {
  // The group has a slot, or a slot is about to be free.
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
