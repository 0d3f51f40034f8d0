import { type Answer, slowest, statuses } from "./Client.ts"
import type { Lab } from "./Lab.ts"

/** What the attack itself saw; its effect on others is measured by the probe. */
export interface Judgement {
  /** The attacker's statuses and other figures, in one line. */
  readonly figures: string
  /** Why the attack succeeded; empty when the server holds. */
  readonly fell: ReadonlyArray<string>
}

/** For attacks that only the probe judges. */
export const report = (answers: ReadonlyArray<Answer>): Judgement => ({
  figures: `${statuses(answers)}, ${slowest(answers)}`,
  fell: []
})

export interface Attack<Prepared = void, Result = Array<Answer>> {
  readonly name: string
  /** What the attack did when it was found, in one sentence. */
  readonly finding: string
  /** Its requests are cut off after this time. */
  readonly seconds?: number
  /** Whether the probe measures meanwhile; without it statuses alone decide. */
  readonly measured?: boolean
  /** Whether it is one of the attacks of `all-at-once`. */
  readonly together?: boolean
  /** Whether it has a server of its own and runs at the same time as all others; judged at the end. */
  readonly apart?: boolean
  /** Whether it runs only when it is named: it never succeeded. */
  readonly onDemand?: boolean
  /** Stores what the attack needs. It is not measured. */
  readonly prepare?: (lab: Lab) => Promise<Prepared>
  readonly run: (lab: Lab, prepared: Prepared) => Promise<Result>
  readonly judge: (result: Result) => Judgement
}

/** An attack without its own types. */
export interface Runnable extends Pick<Attack, "name" | "finding" | "measured" | "together" | "apart" | "onDemand"> {
  readonly seconds: number
  readonly prepare: (lab: Lab) => Promise<(lab: Lab) => Promise<Judgement>>
}

export const attack = <Prepared = void, Result = Array<Answer>>(given: Attack<Prepared, Result>): Runnable => ({
  ...given,
  seconds: given.seconds ?? 4,
  prepare: async (lab) => {
    const prepared = (await given.prepare?.(lab)) as Prepared
    return async (lab) => given.judge(await given.run(lab, prepared))
  }
})
