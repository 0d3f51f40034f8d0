import { Schema } from "effect"
import * as Fields from "../Fields.ts"

/**
 * The effect of an operation of operators that outlives its credential (contract 11). `destroys`: what operators can
 * undo, or what ends the account of one user. `erases`: what no operator can undo.
 */
export type OperatorEffect = "none" | "lasting access" | "destroys" | "erases" | "takes data"

/** The effect of an operation, or those of the members of its body, which are none of other members. */
export type EffectRule = OperatorEffect | Readonly<Record<string, OperatorEffect>>

/** The API keys that may have an effect: any, those without an end, or none. */
type Keys = "any" | "lasting" | "none"

const keysOf: Readonly<Record<OperatorEffect, Keys>> = {
  none: "any",
  "lasting access": "lasting",
  destroys: "lasting",
  // A lasting key can be in a script for years, and is used without a password. What cannot be undone, and a copy of all
  // data, need a person. Accounts are deleted by keys too, for automatic offboarding: their workspaces can be restored.
  erases: "none",
  "takes data": "none"
}

/** The credential that a caller must have. */
export interface Needs {
  /** Whether a session needs a recent sign-in. */
  readonly recentSignIn: boolean
  readonly keys: Keys
}

const needsOf = (effects: ReadonlyArray<OperatorEffect>): Needs => {
  const keys = effects.map((effect) => keysOf[effect])
  return {
    recentSignIn: effects.some((effect) => effect !== "none"),
    keys: (["none", "lasting"] as const).find((each) => keys.includes(each)) ?? "any"
  }
}

/** Returns the credential that a request with this body needs. */
export const needsOfRequest = (rule: EffectRule, body: unknown): Needs => {
  if (typeof rule === "string") return needsOf([rule])
  const members = (body ?? {}) as Readonly<Record<string, unknown>>
  return needsOf(Object.keys(rule).flatMap((name) => (members[name] === undefined ? [] : [rule[name]!])))
}

/** The credential that the request with the most effects needs. */
export const maxNeeds = (rule: EffectRule): Needs => needsOf(typeof rule === "string" ? [rule] : Object.values(rule))

/** The body of operations that need a recent sign-in and have no other members. */
export const PasswordConfirmation = Schema.Struct({ current_password: Fields.currentPassword }).annotate({
  identifier: "PasswordConfirmation"
})
