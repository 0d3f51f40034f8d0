import { Exports } from "./Exports.tsx"
import { Imports } from "./Imports.tsx"
import type { SettingsProps } from "./SettingsProps.ts"

/** Imports and exports of the workspace. */
export const TransfersPage = ({ store }: SettingsProps) => (
  <>
    <Imports store={store} />
    <Exports store={store} />
  </>
)
