/**
 * Looks again and again until there is something to see; fails by its name when time is up. That only ends what would
 * hang: how soon something happens on a busy machine is not for a test to say.
 */
export const eventually = async <A>(
  what: string,
  look: () => A | undefined | false | Promise<A | undefined | false>,
  seconds = 120
): Promise<A> => {
  const start = performance.now()
  while (true) {
    const seen = await look()
    if (seen !== undefined && seen !== false) return seen
    const waited = performance.now() - start
    if (waited > seconds * 1000) throw new Error(`not within ${seconds} s: ${what}`)
    // Most looks are requests, which take processor time from the work that is awaited.
    await new Promise((resolve) => setTimeout(resolve, Math.min(100, Math.max(10, waited / 4))))
  }
}
