import { Exports } from "./Exports.tsx"
import { Imports } from "./Imports.tsx"
import type { SettingsProps } from "./SettingsProps.ts"

/** What comes into the workspace from files, and what leaves it. */
export const TransfersPage = ({ place }: SettingsProps) => (
  <>
    <Imports place={place} />
    <Exports place={place} />
  </>
)
