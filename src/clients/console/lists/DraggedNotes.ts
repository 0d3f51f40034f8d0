import type { NoteRow } from "../notes/NoteRows.ts"

/** The type of data while notes are dragged. Other programs cannot take them. */
export const noteDragType = "application/x-sheaf-notes"

/** The notes that are being dragged: the data of a drag is hidden until it ends. */
let dragged: ReadonlyArray<NoteRow> = []

/** Begins to drag a row: with the selection, if that has the row. */
export const dragNotes = ({ dataTransfer }: DragEvent, row: NoteRow, selected: ReadonlyArray<NoteRow>): void => {
  dragged = selected.includes(row) ? selected : [row]
  dataTransfer?.setData(noteDragType, String(dragged.length))
}

export const draggedNotes = (): ReadonlyArray<NoteRow> => dragged
