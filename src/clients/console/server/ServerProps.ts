import type { AdminClient } from "../../client/AdminClient.ts"

/** Properties of the pages for operators. */
export interface ServerProps {
  readonly admin: AdminClient
  /** The id in the address, if the page shows one thing of several. */
  readonly id: string | undefined
}
