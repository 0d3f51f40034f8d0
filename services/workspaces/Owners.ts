/**
 * SQL for the user in whose group a workspace shares permits (`RoundRobinQueue.Key`): the first of its owners, so that a user
 * with several workspaces gets no more than one with a single workspace. A workspace without an owner is its own group.
 * `workspace_id` is an expression, such as a qualified column.
 */
export const ownerOf = (workspace_id: string): string =>
  `coalesce((SELECT o.user_id FROM members o WHERE o.workspace_id = ${workspace_id} AND o.role = 'owner'
    ORDER BY o.created_at, o.id LIMIT 1), ${workspace_id})`
