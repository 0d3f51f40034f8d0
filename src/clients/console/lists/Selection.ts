import { signal } from "@preact/signals"

interface Row {
  readonly id: string
}

/** The notes of a list that are selected, to do something with all of them. */
export class Selection {
  readonly ids = signal<ReadonlySet<string>>(new Set())
  /** Whether each row shows its box, also without a selection. */
  readonly isOpen = signal(false)
  /** The row from which a range of rows is selected. */
  #anchor: string | undefined

  /** Selects a row, or does not any more. */
  toggle(id: string): void {
    const ids = new Set(this.ids.value)
    if (!ids.delete(id)) ids.add(id)
    this.#anchor = id
    this.ids.value = ids
  }

  /** Selects the rows from the one that was selected last, or else `from`, to another one, and no others. */
  extend(rows: ReadonlyArray<Row>, from: string | undefined, to: string): void {
    const anchor = this.ids.value.size === 0 ? from : (this.#anchor ?? from)
    const start = rows.findIndex(({ id }) => id === anchor)
    const end = rows.findIndex(({ id }) => id === to)
    if (end < 0) return
    if (start < 0) return this.toggle(to)
    this.#anchor = anchor
    this.ids.value = new Set(rows.slice(Math.min(start, end), Math.max(start, end) + 1).map(({ id }) => id))
  }

  selectAll(rows: ReadonlyArray<Row>): void {
    this.ids.value = new Set(rows.map(({ id }) => id))
  }

  clear(): void {
    this.#anchor = undefined
    this.isOpen.value = false
    this.ids.value = new Set()
  }
}
