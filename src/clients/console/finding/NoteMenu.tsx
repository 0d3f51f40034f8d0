import { useEffect } from "preact/hooks"
import { texts } from "../Messages.ts"
import { Menu } from "../ui/Menu.tsx"
import { noteCommands } from "./NoteCommands.ts"
import { nowOpen, type OpenNote } from "./OpenNote.ts"

/** What can be done with a note as a whole. */
export const NoteMenu = (opened: OpenNote & { readonly onClose?: () => void }) => {
  useEffect(() => nowOpen(opened))
  return (
    <Menu
      icon="more"
      label={texts.more}
      items={noteCommands(opened).map(({ icon, isDanger, label, run, title }) => ({
        icon,
        label: label ?? title,
        isDanger: isDanger ?? false,
        onSelect: run
      }))}
    />
  )
}
