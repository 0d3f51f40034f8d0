import type { WorkspaceId } from "../Ids.ts"
import type { Target } from "../outgoing/Outgoing.ts"

/**
 * Maximum number of concurrent deliveries to fast and to slow endpoints: in total, per owner, and per workspace and
 * origin, which many workspaces may share.
 */
export const permits = {
  fast: { permits: 96, permitsPerGroup: 48, permitsPerKey: 8 },
  slow: { permits: 400, permitsPerGroup: 200, permitsPerKey: 6 }
} as const
/** The same for tests and retries whose callers wait. */
export const requested = { permits: 32, permitsPerGroup: 16, permitsPerKey: 2 } as const

/** The key by which deliveries share permits: an owner, then a workspace and the origin of a URL. */
export type PermitKey = readonly [owner: string, place: string]

export const permitKey = (owner: string, workspace_id: WorkspaceId, { origin }: Target): PermitKey => [
  owner,
  `${workspace_id} ${origin}`
]
