import { words } from "../ui/AdministrationMessages.ts"

/** The plans with their names. */
export const plans = (["free", "plus", "team"] as const).map((plan) => [plan, words.plans[plan]] as const)
