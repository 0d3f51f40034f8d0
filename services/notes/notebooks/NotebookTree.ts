import type { NotebookRow } from "./Notebook.ts"

type Placed = Pick<NotebookRow, "id" | "parent_id">

/** Notebooks by id, such as all of a workspace. */
type Tree<Row extends Placed> = ReadonlyMap<string, Row>

const childrenOf = <Row extends Placed>(tree: Tree<Row>): Map<string | null, Array<Row>> => {
  const children = new Map<string | null, Array<Row>>()
  for (const row of tree.values()) {
    const siblings = children.get(row.parent_id)
    siblings === undefined ? children.set(row.parent_id, [row]) : siblings.push(row)
  }
  return children
}

/** Returns a notebook and all notebooks below it, parents before children, with their depth (1 for the first). */
export const subtree = <Row extends Placed>(
  tree: Tree<Row>,
  root: Row
): Array<{ readonly row: Row; readonly depth: number }> => {
  const children = childrenOf(tree)
  const found = [{ row: root, depth: 1 }]
  for (let index = 0; index < found.length; index++) {
    const { depth, row } = found[index]!
    for (const child of children.get(row.id) ?? []) found.push({ row: child, depth: depth + 1 })
  }
  return found
}

/** Returns the depth of a notebook: 1 at the top level, 0 for null. */
export const depthOf = (tree: Tree<Placed>, id: string | null): number => {
  let depth = 0
  for (let next = id; next !== null; next = tree.get(next)?.parent_id ?? null) depth++
  return depth
}
