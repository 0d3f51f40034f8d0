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

/** A notebook and those around it, from the inside out. While changes come, two can be inside of each other for a moment. */
export const pathTo = (notebooks: ReadonlyArray<Notebook>, id: string): ReadonlyArray<string> => {
  const parents = new Map(notebooks.map((notebook) => [notebook.id, notebook.parent_id]))
  const path: Array<string> = []
  for (let at: string | null | undefined = id; typeof at === "string" && !path.includes(at); at = parents.get(at))
    path.push(at)
  return path
}

/** Whether a notebook is another one or inside of it. */
export const isInside = (notebooks: ReadonlyArray<Notebook>, id: string, ancestor: string): boolean =>
  pathTo(notebooks, id).includes(ancestor)

/** The numbers of notes of notebooks and those inside of them, of notebooks in the order of the tree. */
export const notesInside = (rows: ReadonlyArray<TreeRow>): ReadonlyMap<string, number> => {
  const sums = new Map<string, number>()
  for (const { notebook } of rows.toReversed()) {
    const own = notebook.note_count + (sums.get(notebook.id) ?? 0)
    sums.set(notebook.id, own)
    if (notebook.parent_id !== null) sums.set(notebook.parent_id, own + (sums.get(notebook.parent_id) ?? 0))
  }
  return sums
}
