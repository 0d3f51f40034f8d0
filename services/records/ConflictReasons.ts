/** Why a pushed change was not written (contract 6). */
export const conflictReasons = ["stale_revision", "deleted_on_server", "already_exists", "unknown_revision"] as const
export type ConflictReason = (typeof conflictReasons)[number]
