import type { Schemas } from "../../client/SheafClient.ts"
import { nested } from "./NestedNotebooks.ts"
import type { Place } from "./Place.ts"

interface NotebookOptionsProps {
  readonly place: Place
  readonly isOffered?: (notebook: Schemas["Notebook"]) => boolean
}

/** The notebooks as options of a `select`, in the order of the tree. */
export const NotebookOptions = ({ isOffered = () => true, place }: NotebookOptionsProps) => (
  <>
    {nested(place.notebooks.value)
      .filter(({ notebook }) => isOffered(notebook))
      .map(({ depth, notebook: { id, name } }) => (
        <option key={id} value={id}>
          {`${"\u2003".repeat(depth)}${name}`}
        </option>
      ))}
  </>
)
