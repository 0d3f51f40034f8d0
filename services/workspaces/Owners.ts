/**
 * SQL for the user in whose group a workspace shares permits (`RoundRobinQueue.Key`): its first owner, so that a user
 * with several workspaces gets no more permits than a user with one. A workspace without an owner is its own group.
 * `workspace_id` is an SQL expression, such as a qualified column.
 */
export const ownerOf = (workspace_id: string): string =>
  `coalesce((SELECT o.user_id FROM members o WHERE o.workspace_id = ${workspace_id} AND o.role = 'owner'
    ORDER BY o.created_at, o.id LIMIT 1), ${workspace_id})`
