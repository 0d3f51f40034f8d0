import { type ComponentChildren, Fragment } from "preact"
import { useMemo, useRef, useState } from "preact/hooks"
import { texts } from "../../Messages.ts"
import { administrationTexts } from "../AdministrationMessages.ts"
import { Button } from "../Button.tsx"
import { Failure } from "../Failure.tsx"
import type { Pages } from "./usePages.ts"

export interface Column<Row> {
  /** The heading. The column of buttons has none, and says what is in it to screen readers only. */
  readonly label: string
  readonly isLabelHidden?: boolean
  /** Whether its words may be longer than the column, as addresses are. */
  readonly isLong?: boolean
  readonly of: (row: Row) => ComponentChildren
}

/** Details that can be opened below a row. */
export interface Detail<Row> {
  /** The subject, which the name of the button includes. */
  readonly about: (row: Row) => string
  readonly of: (row: Row) => ComponentChildren
}

interface RowProps<Row> {
  readonly columns: ReadonlyArray<Column<Row>>
  readonly detail: Detail<Row> | undefined
  readonly row: Row
}

const TableRow = <Row,>({ columns, detail, row }: RowProps<Row>) => {
  const [isOpen, setIsOpen] = useState(false)
  const toggle = isOpen ? administrationTexts.hideDetails : administrationTexts.showDetails
  return (
    <>
      <tr role="row">
        {columns.map(({ label, of, isLabelHidden = false, isLong = false }, index) =>
          index === 0 ? (
            <th key={label} role="rowheader" scope="row" data-label={label}>
              {of(row)}
            </th>
          ) : (
            <td key={label} role="cell" class={isLong ? "long" : ""} data-label={isLabelHidden ? undefined : label}>
              {of(row)}
            </td>
          )
        )}
        {detail !== undefined && (
          <td role="cell" class="buttons">
            <button
              type="button"
              class="link"
              aria-expanded={isOpen}
              aria-label={`${toggle}: ${detail.about(row)}`}
              onClick={() => setIsOpen(!isOpen)}
            >
              {toggle}
            </button>
          </td>
        )}
      </tr>
      {isOpen && (
        <tr role="row" class="detail">
          <td role="cell" colSpan={columns.length + 1}>
            {detail?.of(row)}
          </td>
        </tr>
      )}
    </>
  )
}

interface PageProps<Row> extends Omit<RowProps<Row>, "row"> {
  readonly rows: ReadonlyArray<Row>
  readonly keyOf: (row: Row) => string
}

/** The rows of a page. They are not compared again while pages are added, so that thousands of rows stay fluent. */
const TablePage = <Row,>({ columns, detail, keyOf, rows }: PageProps<Row>) =>
  useMemo(
    () => (
      <tbody role="rowgroup">
        {rows.map((row) => (
          <TableRow key={keyOf(row)} columns={columns} detail={detail} row={row} />
        ))}
      </tbody>
    ),
    [columns, detail, rows]
  )

interface DataTableProps<Row> extends Omit<PageProps<Row>, "detail" | "rows"> {
  /** The caption of the table, for screen readers. */
  readonly label: string
  /** The text that is shown instead of a table without rows. */
  readonly empty: string
  readonly detail?: Detail<Row>
  readonly list: Pages<Row>
}

/** A list as a table, on narrow screens as cards, with a button for more rows. Long lists need constant `columns`. */
export const DataTable = <Row,>({ columns, detail, empty, keyOf, label, list }: DataTableProps<Row>) => {
  const { failure, hasMore, isBusy, more, pages, reload } = list
  const table = useRef<HTMLTableElement>(null)
  const loadMore = async () => {
    if (isBusy) return
    await more()
    // After the last page there is no button any more.
    requestAnimationFrame(() => {
      if (document.activeElement === document.body) table.current?.focus({ preventScroll: true })
    })
  }
  const isEmpty = pages?.every((rows) => rows.length === 0) === true
  return (
    <>
      {pages !== undefined && !isEmpty && (
        <table ref={table} tabIndex={-1} class="table" role="table" aria-label={label} aria-busy={isBusy}>
          <thead role="rowgroup">
            <tr role="row">
              {columns.map(({ isLabelHidden = false, label }) => (
                <th key={label} role="columnheader" scope="col">
                  <span class={isLabelHidden ? "visually-hidden" : ""}>{label}</span>
                </th>
              ))}
              {detail !== undefined && (
                <th role="columnheader" scope="col">
                  <span class="visually-hidden">{administrationTexts.showDetails}</span>
                </th>
              )}
            </tr>
          </thead>
          {pages.map((rows, index) => (
            <Fragment key={index}>
              <TablePage columns={columns} detail={detail} keyOf={keyOf} rows={rows} />
            </Fragment>
          ))}
        </table>
      )}
      {isEmpty && !hasMore && <p class="hint">{empty}</p>}
      <Failure failure={failure} />
      {failure !== undefined && pages === undefined && (
        <p class="actions start">
          <Button onClick={() => void reload()}>{texts.retry}</Button>
        </p>
      )}
      {hasMore && (
        <p class="actions start">
          <Button onClick={() => void loadMore()}>{administrationTexts.loadMore}</Button>
        </p>
      )}
    </>
  )
}
