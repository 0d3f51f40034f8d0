/** Why an edit cannot be applied. `lines`: the first places at which a text, task or heading was found. */
export interface EditFault {
  readonly field: string
  readonly message: string
  readonly lines: ReadonlyArray<number>
  /** The lines that the next request needs: those that were found, those that look so, or the headings there are. */
  readonly text?: string
}

/** Maximum characters of a note in a refusal. */
export const maxShown = 4_000

/** Maximum number of matches that a fault lists. */
export const maxListed = 5

/** The first lines whose characters fit, as a member of a fault. */
export const shownLines = (lines: ReadonlyArray<string>): Pick<EditFault, "text"> => {
  let rest = maxShown
  const fitting: Array<string> = []
  for (const line of lines) {
    rest -= line.length + 1
    if (rest < 0) break
    fitting.push(line)
  }
  return fitting.length === 0 ? {} : { text: fitting.join("\n") }
}
