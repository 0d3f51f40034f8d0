/**
 * Returns the result of `work` and the seconds of processor time that this process used for it. Unlike elapsed time,
 * they do not depend on other processes. The work of PostgreSQL is not included.
 */
export const processorSeconds = async <A>(
  work: () => A | Promise<A>
): Promise<{ readonly answer: A; readonly seconds: number }> => {
  const before = process.cpuUsage()
  const answer = await work()
  const { system, user } = process.cpuUsage(before)
  if (process.env["VERBOSE"]) console.log(`processor: ${((system + user) / 1e6).toFixed(2)} s`)
  return { answer, seconds: (system + user) / 1e6 }
}
