/**
 * The palette, the list of keys, the note of today, the filters of a search, what is done with a note, a list, several notes
 * and a notebook, the edges of the columns, and the icons of notebooks: one file, which is loaded when the browser has
 * nothing else to do.
 */
import "../SharedParts.ts"
import { adoptStyle } from "../style/adoptStyle.ts"
import "../style/OnDemandStyle.ts"
import { notebookIcons } from "../ui/Icon.tsx"
import { notebookPaths } from "../ui/icons/NotebookIcons.ts"
import style from "../style/finding.css" with { type: "text" }

adoptStyle(style)
notebookIcons.value = notebookPaths

export { moveDragged, SelectionBar } from "../several/SelectionBar.tsx"
export { openDailyNote } from "./DailyNote.ts"
export { KeysDialog } from "./KeysDialog.tsx"
export { LinksSection, showLinks } from "./LinksSection.tsx"
export { ListMenu } from "../lists/ListMenu.tsx"
export { NoteMenu } from "./NoteMenu.tsx"
export { deleteNotebook } from "../workspace/deleteNotebook.ts"
export { ColumnEdges } from "../workspace/ColumnEdges.tsx"
export { Palette } from "./Palette.tsx"
export { SearchFilters } from "./SearchFilters.tsx"
export { followRecent as prepare } from "./OpenedNotes.ts"
