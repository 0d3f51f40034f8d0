import { type Reply, slowest, statuses } from "./Client.ts"
import type { Lab } from "./Lab.ts"

/** The result of the attack itself; the probe measures its effect on other users. */
export interface Judgement {
  /** Statuses of the attacker's responses and other figures, in one line. */
  readonly figures: string
  /** Reasons why the attack succeeded; empty if the server withstood it. */
  readonly failures: ReadonlyArray<string>
}

/** For attacks that only the probe judges. */
export const report = (replies: ReadonlyArray<Reply>): Judgement => ({
  figures: `${statuses(replies)}, ${slowest(replies)}`,
  failures: []
})

export interface Attack<Prepared = void, Result = Array<Reply>> {
  readonly name: string
  /** The effect of the attack when it was found, in one sentence. */
  readonly finding: string
  /** Seconds after which its requests are aborted. */
  readonly seconds?: number
  /** Whether the probe measures during the attack; without it only statuses count. */
  readonly measured?: boolean
  /** Whether it is part of `all-at-once`. */
  readonly together?: boolean
  /** Whether it has a separate server and runs in parallel with all others; it is judged at the end. */
  readonly apart?: boolean
  /** Whether it runs only when it is named, because it never succeeded. */
  readonly onDemand?: boolean
  /** Stores the data that the attack needs; not measured. */
  readonly prepare?: (lab: Lab) => Promise<Prepared>
  readonly run: (lab: Lab, prepared: Prepared) => Promise<Result>
  readonly judge: (result: Result) => Judgement
}

/** An attack without its own types. */
export interface Runnable extends Pick<Attack, "name" | "finding" | "measured" | "together" | "apart" | "onDemand"> {
  readonly seconds: number
  readonly prepare: (lab: Lab) => Promise<(lab: Lab) => Promise<Judgement>>
}

export const attack = <Prepared = void, Result = Array<Reply>>(given: Attack<Prepared, Result>): Runnable => ({
  ...given,
  seconds: given.seconds ?? 4,
  prepare: async (lab) => {
    const prepared = (await given.prepare?.(lab)) as Prepared
    return async (lab) => given.judge(await given.run(lab, prepared))
  }
})
