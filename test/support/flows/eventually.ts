/**
 * Looks again and again until there is something to see; fails by its name when time is up. That only ends what would
 * hang: how soon something happens on a busy machine is not for a test to say.
 */
export const eventually = async <A>(
  what: string,
  look: () => A | undefined | false | Promise<A | undefined | false>,
  seconds = 120
): Promise<A> => {
  const until = performance.now() + seconds * 1000
  while (true) {
    const seen = await look()
    if (seen !== undefined && seen !== false) return seen
    if (performance.now() > until) throw new Error(`not within ${seconds} s: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
