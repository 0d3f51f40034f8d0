import { texts } from "./ServerMessages.ts"

/** The plans with their names. */
export const plans = (["free", "plus", "team"] as const).map((plan) => [plan, texts.plans[plan]] as const)
