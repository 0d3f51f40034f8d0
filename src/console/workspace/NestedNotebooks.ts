import type { Schemas } from "../../client/SheafClient.ts"

type Notebook = Schemas["Notebook"]

/** A notebook with its depth in the tree, counted from 0. */
export interface TreeRow {
  readonly notebook: Notebook
  readonly depth: number
  readonly hasChildren: boolean
}

/** The notebooks in the order of the tree: each before those inside. Notebooks inside of closed ones are left out. */
export const nested = (
  notebooks: ReadonlyArray<Notebook>,
  isOpen: (id: string) => boolean = () => true
): ReadonlyArray<TreeRow> => {
  const ids = new Set(notebooks.map(({ id }) => id))
  const children = Map.groupBy(notebooks, ({ parent_id }) =>
    parent_id !== null && ids.has(parent_id) ? parent_id : null
  )
  const below = (parent: string | null, depth: number): ReadonlyArray<TreeRow> =>
    (children.get(parent) ?? []).flatMap((notebook) => {
      const hasChildren = children.has(notebook.id)
      return [
        { notebook, depth, hasChildren },
        ...(hasChildren && isOpen(notebook.id) ? below(notebook.id, depth + 1) : [])
      ]
    })
  return below(null, 0)
}

/** Whether a notebook is another one or inside of it. */
export const isInside = (notebooks: ReadonlyArray<Notebook>, id: string, ancestor: string): boolean => {
  const parents = new Map(notebooks.map((notebook) => [notebook.id, notebook.parent_id]))
  for (let at: string | null | undefined = id; at !== null && at !== undefined; at = parents.get(at)) {
    if (at === ancestor) return true
  }
  return false
}

/** The number of notes in a notebook and in those inside of it. */
export const notesInside = (notebooks: ReadonlyArray<Notebook>, id: string): number =>
  notebooks.reduce((sum, each) => sum + (isInside(notebooks, each.id, id) ? each.note_count : 0), 0)
