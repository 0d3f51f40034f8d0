import type { Measure, Measurement } from "./load.ts"
import { median } from "./median.ts"
import type { FilledWorkspace } from "./operations.ts"
import type { Target } from "./Target.ts"

const clients = 8
/** How often the quiet p99 of gets it may be while people sign in. */
const most = 3

/**
 * Whether people who sign in hold up those who read: a password is made to cost memory, and a core for a tenth of a
 * second. They have the right one, each their own, so that none is throttled; and they own workspaces that are read
 * meanwhile, so that what each log-in makes the server forget of their credentials is in it too.
 */
export const measureLogIns = async ({
  filled,
  measure,
  rounds,
  target
}: {
  readonly target: Omit<Target, "workspaces">
  readonly filled: ReadonlyArray<FilledWorkspace>
  readonly rounds: number
  readonly measure: Measure
}): Promise<{ readonly line: string; readonly over: string | undefined }> => {
  const quiet: Array<Measurement> = []
  const busy: Array<Measurement> = []
  const measureOne = async (isBusy: boolean) => {
    const measured = await measure(target, "get", filled, isBusy ? { logIns: filled.slice(0, clients) } : {})
    ;(isBusy ? busy : quiet).push(measured)
    return measured.p99
  }
  for (let round = 0; round < rounds; round++) {
    // In turns: what one leaves behind does not always fall on the other.
    const busyFirst = round % 2 === 1
    const p99s = [await measureOne(busyFirst), await measureOne(!busyFirst)].map((it) => it.toFixed(1))
    const [alone, beside] = busyFirst ? p99s.toReversed() : p99s
    console.error(`round ${round + 1}/${rounds} logins p99 ${alone} ms alone, ${beside} ms beside log-ins`)
  }
  const of = (all: ReadonlyArray<Measurement>, key: keyof Measurement) => median(all.map((it) => it[key]))
  const ratios = busy.map((it, round) => it.p99 / quiet[round]!.p99)
  const ratio = median(ratios)
  const isGood = ratio <= most
  return {
    line: `gets beside ${clients} clients that sign in all the time: p99 ${of(busy, "p99").toFixed(1)} ms to ${of(
      quiet,
      "p99"
    ).toFixed(1)} ms alone, ratio ${ratio.toFixed(2)} (${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(
      2
    )}), at most ${most}: ${isGood ? "ok" : "OVER"}; ${of(busy, "requestsPerSecond").toFixed(0)} to ${of(
      quiet,
      "requestsPerSecond"
    ).toFixed(0)} gets/s, ${of(busy, "logInsPerSecond").toFixed(1)} log-ins/s`,
    over: isGood ? undefined : `logins ${ratio.toFixed(2)} > ${most}`
  }
}
