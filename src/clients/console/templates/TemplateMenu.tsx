import { useState } from "preact/hooks"
import { texts } from "../Messages.ts"
import { open } from "../Navigation.ts"
import type { NoteFilter } from "../notes/NoteFilter.ts"
import { onDemand } from "../ui/lazily.tsx"
import { Menu } from "../ui/Menu.tsx"
import { attempt, notify } from "../ui/Notices.tsx"
import type { WorkspaceStore } from "../workspace/WorkspaceStore.ts"

/** Maximum number of placeholders in a notice. */
export const maxUnresolved = 10

const TemplatesDialog = onDemand((all) => all.TemplatesDialog)

interface TemplateMenuProps {
  readonly store: WorkspaceStore
  /** The list in which a new note is opened. */
  readonly filter: NoteFilter
}

/** Creates notes from templates, and leads to the templates. */
export const TemplateMenu = ({ filter, store }: TemplateMenuProps) => {
  const [isManaging, setIsManaging] = useState(false)
  const apply = (id: string) =>
    attempt(async () => {
      const notebook = filter.kind === "notebook" ? { notebook_id: filter.id } : {}
      const created = await store.client.applyTemplate({ id, ...notebook })
      open(filter, created.id)
      const unresolved = created.unresolved_variables
      if (unresolved.length > 0) notify(texts.unresolved(unresolved.slice(0, maxUnresolved)))
    })
  return (
    <>
      <Menu
        icon="template"
        label={texts.fromTemplate}
        items={[
          ...store.templates.value.map(({ id, name }) => ({ id, label: name, onSelect: () => void apply(id) })),
          { icon: "edit" as const, label: texts.manageTemplates, onSelect: () => setIsManaging(true) }
        ]}
      />
      {isManaging && <TemplatesDialog store={store} onClose={() => setIsManaging(false)} />}
    </>
  )
}
