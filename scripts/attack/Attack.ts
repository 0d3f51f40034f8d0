import type { Answer } from "./Client.ts"
import type { Lab } from "./Lab.ts"

/** What the attack itself saw, beside what it did to others. */
export interface Judgement {
  /** The attacker's statuses and what else decides, in one line. */
  readonly figures: string
  /** Why it fell; empty when it holds. */
  readonly fell: ReadonlyArray<string>
}

export interface Attack<Prepared = void, Result = Array<Answer>> {
  readonly name: string
  /** What fell once, in one sentence. */
  readonly finding: string
  /** After so long its requests are cut off. */
  readonly seconds?: number
  /** Whether others are measured meanwhile; without it statuses alone decide. */
  readonly measured?: boolean
  /** Whether it is one of those that run all at once. */
  readonly together?: boolean
  /** Whether it has a server of its own, runs beside all others and is judged at the end. */
  readonly apart?: boolean
  /** Whether it runs only when it is named: it has held so far. */
  readonly onDemand?: boolean
  /** Whatever it needs there before: not measured, and its connections last as long as `run`. */
  readonly prepare?: (lab: Lab) => Promise<Prepared>
  readonly run: (lab: Lab, prepared: Prepared) => Promise<Result>
  readonly judge: (result: Result) => Judgement
}

/** An attack whose own types only it knows. */
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
