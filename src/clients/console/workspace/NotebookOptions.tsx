import type { Schemas } from "../../client/SheafClient.ts"
import { nested } from "./NestedNotebooks.ts"
import type { WorkspaceStore } from "./WorkspaceStore.ts"

interface NotebookOptionsProps {
  readonly store: WorkspaceStore
  readonly isOffered?: (notebook: Schemas["Notebook"]) => boolean
}

/** The notebooks as options of a `select`, in the order of the tree. */
export const NotebookOptions = ({ isOffered = () => true, store }: NotebookOptionsProps) => (
  <>
    {nested(store.notebooks.value)
      .filter(({ notebook }) => isOffered(notebook))
      .map(({ depth, notebook: { id, name } }) => (
        <option key={id} value={id}>
          {`${"\u2003".repeat(depth)}${name}`}
        </option>
      ))}
  </>
)
