import { locale } from "../ChosenLanguage.ts"
import type { Schemas } from "../../client/SheafClient.ts"

export type Backup = Schemas["ServerBackup"]

/** An attempt to back up, and the ones before it that failed in the same way. */
export interface Attempts extends Backup {
  readonly count: number
}

/** Failed attempts that follow each other are one row if they are equal: the schedule repeats them each minute. */
export const grouped = (backups: ReadonlyArray<Backup>): ReadonlyArray<Attempts> => {
  const rows: Array<Attempts> = []
  for (const backup of backups) {
    const last = rows.at(-1)
    const isEqual =
      last !== undefined && last.error !== null && last.error === backup.error && last.kind === backup.kind
    if (isEqual) rows[rows.length - 1] = { ...last, count: last.count + 1 }
    else rows.push({ ...backup, count: 1 })
  }
  return rows
}

const units = [
  ["week", 604_800],
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
  ["second", 1]
] as const

/** An interval for people, in the largest unit that has a whole number: "5 minutes". */
export const intervalText = (seconds: number): string => {
  const [unit, length] = units.find(([, length]) => seconds % length === 0) ?? units[4]
  return new Intl.NumberFormat(locale, { style: "unit", unit, unitDisplay: "long" }).format(seconds / length)
}
