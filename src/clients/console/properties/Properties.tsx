import { useRef } from "preact/hooks"
import { frontMatterBlockOf } from "../../../../services/markdown/FrontMatterBlock.ts"
import type { NoteDraft } from "../drafts/NoteDraft.ts"
import { lazily } from "../ui/lazily.tsx"
import { addingTo } from "./AddedProperty.ts"
import type { PropertyFormProps } from "./PropertyForm.tsx"

const PropertyForm = lazily(async () => (await import("./PropertyParts.ts")).PropertyForm)

/** The form of the properties of a note, which is loaded for a text with front matter, and when a property is added. */
export const Properties = (props: PropertyFormProps) => {
  const { draft } = props
  /** The note with whose last property the form stays, for an undo. */
  const shown = useRef<NoteDraft>(undefined)
  const isYaml = frontMatterBlockOf(draft.content.value.body)?.language === "yaml"
  if (isYaml || addingTo.value === draft) shown.current = draft
  return shown.current === draft ? <PropertyForm {...props} /> : null
}
