/**
 * The seconds of the processor that this process takes for some work. Unlike the time that passes meanwhile, they do not
 * grow with what else the machine does. What PostgreSQL does is not among them.
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
