import { lookup, Resolver } from "node:dns/promises"

/** Returns all addresses of a name; rejects when it has none. */
export interface Resolve {
  (name: string): Promise<ReadonlyArray<string>>
}

/** Milliseconds and tries before a name server that does not respond is given up. */
const timeouts = { timeout: 3_000, tries: 2 }

/**
 * Uses name servers, and no configuration of this machine. It does not use `lookup`, whose queries each hold one of the
 * few threads of this process for as long as the name server takes.
 */
export const resolvePublic: Resolve = async (name) => {
  const resolver = new Resolver(timeouts)
  const results = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
  const found = results.flatMap((result) => (result.status === "fulfilled" ? result.value : []))
  if (found.length > 0) return found
  throw results.find((result) => result.status === "rejected")?.reason ?? new Error("the name has no address")
}

/** Resolves as this machine does, including its own files: for names that the operator allows. */
export const resolveAllowed: Resolve = async (name) => (await lookup(name, { all: true })).map(({ address }) => address)
