import { useEffect, useState } from "preact/hooks"
import { attempt } from "../ui/Notices.tsx"
import { Invitations } from "./Invitations.tsx"
import { MemberTable } from "./MemberTable.tsx"
import { isAtLeast } from "./Roles.ts"
import type { SettingsProps } from "./SettingsProps.ts"

/** The people of the workspace. */
export const PeoplePage = ({ store }: SettingsProps) => {
  /** The number of times that the user has come to the page, or back to the window. */
  const [visits, setVisits] = useState(0)
  useEffect(() => {
    // The stream of changes has no members and invitations.
    const visited = () => {
      setVisits((count) => count + 1)
      void attempt(() => store.read())
    }
    visited()
    addEventListener("focus", visited)
    return () => removeEventListener("focus", visited)
  }, [store])
  return (
    <>
      <MemberTable store={store} />
      {isAtLeast(store.role.value ?? "viewer", "admin") && <Invitations store={store} visits={visits} />}
    </>
  )
}
