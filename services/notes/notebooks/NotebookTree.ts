import { Effect } from "effect"
import { Invalid } from "../../Errors.ts"
import type { Draft } from "../../writer/Draft.ts"
import { type NotebookRow, notebooks } from "./Notebook.ts"

/** Maximum depth of nested notebooks (contract, Limits). */
const maxDepth = 5

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

/** Fails unless `parent_id` exists and has room for `levels` more levels. `moved`: the notebook itself, if it is stored. */
export const checkParent = Effect.fnUntracedEager(function* (
  draft: Draft,
  parent_id: string | null,
  { height: levels = 1, moved }: { readonly height?: number; readonly moved?: NotebookRow } = {}
) {
  if (parent_id === null && moved === undefined) return
  const tree = yield* draft.all(notebooks)
  if (parent_id !== null && (yield* draft.get(notebooks, parent_id)) === undefined) {
    return yield* Invalid.field("parent_id", "unknown", "names no notebook", "unresolved_reference")
  }
  const below = moved === undefined ? [] : subtree(tree, moved)
  if (below.some(({ row }) => row.id === parent_id)) {
    return yield* Invalid.field(
      "parent_id",
      "cycle",
      "must not be the notebook itself or one inside it",
      "notebook_cycle"
    )
  }
  const height = below.reduce((deepest, { depth }) => Math.max(deepest, depth), levels)
  if (depthOf(tree, parent_id) + height > maxDepth) {
    return yield* Invalid.field(
      "parent_id",
      "too_deep",
      `would nest notebooks more than ${maxDepth} levels deep`,
      "notebook_depth_exceeded"
    )
  }
})
