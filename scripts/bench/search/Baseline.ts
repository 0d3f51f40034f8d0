/** The figures of Sheaf that a change must reach: baseline.json, by the key of the row. */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"

type Figures = Readonly<Record<string, number>>

const file = join(import.meta.dirname, "baseline.json")

/** Allowed decrease of the mean over the rows. */
const TOLERANCE = 0.005

export const baseline = (): Figures => (existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Figures) : {})

/** Replaces the figures of the measured rows. */
export const update = (figures: Figures): void => {
  const rounded = Object.entries(figures).map(([row, figure]) => [row, Number(figure.toFixed(4))] as const)
  writeFileSync(file, `${JSON.stringify({ ...baseline(), ...Object.fromEntries(rounded) }, null, 2)}\n`)
}

/** The reason for refusing a run, with the rows that decreased; undefined if its mean is close to the baseline. */
export const refusal = (figures: Figures, known = baseline()): string | undefined => {
  const losses = Object.entries(figures)
    .filter(([row]) => row in known)
    .map(([row, figure]) => ({ row, figure, loss: known[row]! - figure }))
  const mean = losses.reduce((sum, { loss }) => sum + loss, 0) / losses.length
  if (losses.length === 0 || mean <= TOLERANCE) return undefined
  const lost = losses
    .filter(({ loss }) => loss > 0)
    .sort((a, b) => b.loss - a.loss)
    .map(({ figure, row }) => `${row} ${known[row]!.toFixed(3)} -> ${figure.toFixed(3)}`)
  return `the mean is ${mean.toFixed(3)} below the baseline, more than ${TOLERANCE}: ${lost.join(", ")}`
}
