import { plans } from "../../../services/Principal.ts"
import { planDefaults, type PlanLimits, type Policies } from "../../../services/workspaces/Plans.ts"
import { Wrong } from "./Variables.ts"

const limitNames = Object.keys(planDefaults.free)

/** The form of PLAN_LIMITS. */
export const planLimitsShape = `JSON such as {"free":{"notes":1000}}`

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const isPlan = (name: string): boolean => plans.some((plan) => plan === name)

/** A name of the text in a message of one line. */
const quoted = (name: string): string => JSON.stringify(name.length > 40 ? `${name.slice(0, 40)}…` : name)

/** The first wrong member, with its path. Unknown names are refused: an operator would expect them to apply. */
const wrongIn = (given: unknown): string | undefined => {
  if (!isObject(given)) return `must be ${planLimitsShape}`
  for (const [plan, limits] of Object.entries(given)) {
    if (!isPlan(plan)) return `has ${quoted(plan)}, which is not a plan: plans are ${plans.join(", ")}`
    if (!isObject(limits)) return `must have an object of limits at ${plan}`
    for (const [name, limit] of Object.entries(limits)) {
      if (!limitNames.includes(name)) {
        return `has ${quoted(`${plan}.${name}`)}, which is not a limit: limits are ${limitNames.join(", ")}`
      }
      if (!(Number.isSafeInteger(limit) && Number(limit) >= 0)) {
        return `must have a whole number at ${plan}.${name}, 0 for no limit`
      }
    }
  }
  return undefined
}

/** Limits that differ from the defaults, by plan. */
export const parsePlanLimits = (text: string): Policies["limits"] | Wrong => {
  let given: unknown
  try {
    given = JSON.parse(text)
  } catch (error) {
    return new Wrong(`must be ${planLimitsShape}: ${(error as Error).message.replaceAll(/[\s\p{Cc}]+/gu, " ")}`)
  }
  const wrong = wrongIn(given)
  if (wrong !== undefined) return new Wrong(wrong)
  const limits = given as Readonly<Record<string, Partial<PlanLimits>>>
  return Object.fromEntries(
    plans.map((plan) => [plan, { ...planDefaults[plan], ...limits[plan] } satisfies PlanLimits])
  ) as Policies["limits"]
}
