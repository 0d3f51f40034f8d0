import type { NotebookRow } from "./NotebookTable.ts"

/** All notebooks of a workspace, by id. */
type Tree = ReadonlyMap<string, NotebookRow>

const childrenOf = (tree: Tree): Map<string | null, Array<NotebookRow>> => {
  const children = new Map<string | null, Array<NotebookRow>>()
  for (const row of tree.values()) {
    const siblings = children.get(row.parent_id)
    siblings === undefined ? children.set(row.parent_id, [row]) : siblings.push(row)
  }
  return children
}

/** A notebook and all below it, parents before children, with how deep each stands under the first (which is 1). */
export const subtree = (
  tree: Tree,
  root: NotebookRow
): Array<{ readonly row: NotebookRow; readonly depth: number }> => {
  const children = childrenOf(tree)
  const found = [{ row: root, depth: 1 }]
  for (let index = 0; index < found.length; index++) {
    const { depth, row } = found[index]!
    for (const child of children.get(row.id) ?? []) found.push({ row: child, depth: depth + 1 })
  }
  return found
}

/** How deep a notebook stands: 1 at the top; 0 for none. */
export const depthOf = (tree: Tree, id: string | null): number => {
  let depth = 0
  for (let next = id; next !== null; next = tree.get(next)?.parent_id ?? null) depth++
  return depth
}
