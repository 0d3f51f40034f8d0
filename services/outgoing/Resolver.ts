import { lookup, Resolver } from "node:dns/promises"

/** All addresses of a name; rejects when it has none. */
export interface Resolve {
  (name: string): Promise<ReadonlyArray<string>>
}

/** A server of names that says nothing is given up. */
const patience = { timeout: 3_000, tries: 2 }

/**
 * By the servers of names, and by nothing of this machine's own. Not by `lookup`: each of its questions holds one of the
 * few threads of this process for as long as the server of the name likes.
 */
export const resolvePublic: Resolve = async (name) => {
  const resolver = new Resolver(patience)
  const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
  const found = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []))
  if (found.length > 0) return found
  throw answers.find((answer) => answer.status === "rejected")?.reason ?? new Error("the name has no address")
}

/** As this machine does it, its own files included: for names that the operator allows. */
export const resolveAllowed: Resolve = async (name) => (await lookup(name, { all: true })).map(({ address }) => address)
