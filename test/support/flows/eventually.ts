/**
 * Polls until `look` returns a value other than undefined and false, and returns it. Throws after the given seconds,
 * only to end tests that would hang: a test must not depend on the speed of the machine.
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
