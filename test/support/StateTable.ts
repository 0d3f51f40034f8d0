import { readFileSync } from "node:fs"

const page = new URL("../../docs/architecture.md", import.meta.url)

/** The table of states and events in docs/architecture.md whose first cell is `name`: each cell of each state. */
export const stateTable = (name: string) => {
  const cells = (line: string) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim())
  const lines = readFileSync(page, "utf8").split("\n")
  const start = lines.findIndex((line) => line.startsWith(`| ${name} |`))
  const events = cells(lines[start]!).slice(1)
  const end = lines.indexOf("", start)
  const rows = lines.slice(start + 2, end).map(cells)
  return {
    events,
    states: rows.map(([state]) => state!),
    cells: rows.flatMap(([state, ...row]) =>
      row.map((cell, at) => ({ state: state!, event: events[at]!, next: cell === "" ? state! : cell }))
    )
  }
}
