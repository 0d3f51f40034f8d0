/** What is shown of second factors: one file, which is loaded when a user signs in with one, or administers them. */
import "../SharedParts.ts"
export { FactorsSection } from "./FactorsSection.tsx"
export { SecondStep } from "./SecondStep.tsx"
export { TwoFactorsNeeded } from "./TwoFactorsNeeded.tsx"
