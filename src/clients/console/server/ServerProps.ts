import type { AdminClient } from "../../client/SheafClient.ts"

/** What the pages for operators need. */
export interface ServerProps {
  readonly admin: AdminClient
  /** The id in the address, if the page shows one thing of several. */
  readonly id: string | undefined
}
