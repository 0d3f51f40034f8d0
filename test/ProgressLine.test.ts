import { afterEach, beforeEach, expect, it, vi } from "vitest"
import { TerminalLine } from "../src/program/cli/ProgressLine.ts"

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const lineOf = (columns: number) => {
  const written: Array<string> = []
  return { written, line: new TerminalLine({ columns, write: (text) => written.push(text) }) }
}
const shown = (text: string) => `\r\x1b[K${text}`

it("shows what is done, and a percentage if the total or the share is known", () => {
  const { line, written } = lineOf(80)
  line.show({ what: "Backing up rows", done: 1_500_000, unit: "bytes" })
  vi.advanceTimersByTime(100)
  line.show({ what: "Checking files", done: 1, total: 4, unit: "files" })
  vi.advanceTimersByTime(100)
  line.show({ what: "Importing a.zip", done: 7, share: 1, unit: "notes" })
  expect(written).toEqual([
    shown("Backing up rows: 1.5 MB"),
    shown("Checking files █████░░░░░░░░░░░░░░░ 25 %, 1 of 4 files"),
    shown("Importing a.zip ████████████████████ 100 %, 7 notes")
  ])
})

it("is drawn at most ten times a second, always with the last step, and is removed at the end", () => {
  const { line, written } = lineOf(80)
  for (let done = 0; done < 1000; done++) {
    line.show({ what: "Restoring", done, unit: "rows" })
    vi.advanceTimersByTime(1)
  }
  vi.advanceTimersByTime(1000)
  expect(written.length).toBeLessThanOrEqual(11)
  expect(written.at(-1)).toBe(shown("Restoring: 999 rows"))
  line.show({ what: "Restoring", done: 1000, unit: "rows" })
  line.show({ what: "Restoring", done: 1001, unit: "rows" })
  line.clear()
  vi.advanceTimersByTime(1000)
  expect(written.slice(-2)).toEqual([shown("Restoring: 1000 rows"), shown("")])
  const { length } = written
  line.clear()
  expect(written).toHaveLength(length)
})

it("fits into the terminal, and has no control characters of names", () => {
  const { line, written } = lineOf(20)
  line.show({ what: "Importing \x1b[2J日本語日本語日本語", done: 1, unit: "notes" })
  expect(written).toEqual([shown("Importing \uFFFD[2J日本")])
})
