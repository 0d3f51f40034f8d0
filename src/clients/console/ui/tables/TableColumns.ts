import { longDate } from "../../Dates.ts"
import { words } from "../AdministrationMessages.ts"
import type { Column } from "./DataTable.tsx"

/** The column of the buttons of a row. */
export const actionColumn = <Row>(of: Column<Row>["of"]): Column<Row> => ({
  label: words.actions,
  isLabelHidden: true,
  of
})

/** A time in a cell; it may not have come yet. */
export const dateOrNever = (at: string | null | undefined): string => (at == null ? words.never : longDate(at))
