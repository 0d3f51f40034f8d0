import type { NoteRow } from "../notes/NoteRows.ts"

/** The type of data while notes are dragged. Other programs cannot take them. */
export const noteDragType = "application/x-sheaf-notes"

/** The notes that were dragged last in this page: the data of a drag is hidden until it ends. */
let dragged: ReadonlyArray<NoteRow> = []

const idsOf = (notes: ReadonlyArray<NoteRow>): string => notes.map(({ id }) => id).join(" ")

/** Begins to drag a row: with the selection, if that has the row. */
export const dragNotes = ({ dataTransfer }: DragEvent, row: NoteRow, selected: ReadonlyArray<NoteRow>): void => {
  dragged = selected.includes(row) ? selected : [row]
  dataTransfer?.setData(noteDragType, idsOf(dragged))
}

/** The notes that are dropped; none if they were dragged in another page. */
export const droppedNotes = ({ dataTransfer }: DragEvent): ReadonlyArray<NoteRow> =>
  dataTransfer?.getData(noteDragType) === idsOf(dragged) ? dragged : []
