import { Exports } from "./Exports.tsx"
import { Imports } from "./Imports.tsx"
import type { SettingsProps } from "./SettingsProps.ts"

/** Imports and exports of the workspace. */
export const TransfersPage = ({ place }: SettingsProps) => (
  <>
    <Imports place={place} />
    <Exports place={place} />
  </>
)
