import { Invitations } from "./Invitations.tsx"
import { MemberTable } from "./MemberTable.tsx"
import { isAtLeast } from "./Roles.ts"
import type { SettingsProps } from "./SettingsProps.ts"

/** The people of the workspace. */
export const PeoplePage = ({ place }: SettingsProps) => (
  <>
    <MemberTable place={place} />
    {isAtLeast(place.role.value ?? "viewer", "admin") && <Invitations place={place} />}
  </>
)
