/** The notebooks whose notes are kept on this device: all, or those with these ids and those inside of them. */
export type Kept = "all" | ReadonlyArray<string>

/** The notebooks around notebooks, by id. */
export type Parents = ReadonlyMap<string, string | null>

/** Steps from a notebook to the top. While changes come, two notebooks can be inside of each other for a moment. */
const mostSteps = 100

/** What is kept of the notebooks that are known. */
export interface Choice {
  readonly kept: Kept
  readonly parents: Parents
}

/** Whether a notebook is not kept. It may be kept as long as a notebook around it is not known. */
const isOutside = (kept: ReadonlyArray<string>, parents: Parents, id: string): boolean => {
  let at: string | null | undefined = id
  for (let step = 0; typeof at === "string" && step < mostSteps; step++) {
    if (kept.includes(at)) return false
    at = parents.get(at)
  }
  return at === null
}

/** The known notebooks that are not kept. */
export const outsideOf = ({ kept, parents }: Choice): ReadonlySet<string> =>
  new Set(kept === "all" ? [] : parents.keys().filter((id) => isOutside(kept, parents, id)))
