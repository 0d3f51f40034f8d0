import type { Header } from "./BackupFormat.ts"
import { fingerprints } from "../secrets/SecretKey.ts"
import type { Secrets } from "../secrets/Secrets.ts"

/** Evidence in the rows of a backup about the secret key that encrypts its secrets. */
export interface KeyMarks {
  /** The fingerprint of the key. Earlier versions stored none. */
  fingerprint?: string
  /** The key of Web Push, which versions without a fingerprint encrypted at each start. */
  webPush?: string
}

/** The table and the column of each mark. */
const places = { fingerprint: ["secret_key", "fingerprint"], webPush: ["vapid_keys", "sealed"] } as const

/** First rows of the tables with marks, each as the backup has it. */
export type MarkRows = Map<string, { readonly columns: Header["tables"][number]["columns"]; readonly line: string }>

/** Keeps the first row of a piece of a table that has a mark. The row is undamaged only if the whole backup is. */
export const keepMarkRow = (rows: MarkRows, { columns, name }: Header["tables"][number], piece: Uint8Array): void => {
  if (!Object.values(places).some(([table]) => name === table)) return
  const [line] = Buffer.from(piece).toString().split("\n", 1)
  rows.set(name, { columns, line: line! })
}

/** Returns the marks in rows of an undamaged backup. A row is an array of texts and nulls. */
export const marksOf = (rows: MarkRows): KeyMarks => {
  const marks: KeyMarks = {}
  for (const mark of ["fingerprint", "webPush"] as const) {
    const [table, column] = places[mark]
    const found = rows.get(table)
    if (found === undefined) continue
    const row = JSON.parse(found.line) as ReadonlyArray<unknown>
    const value = row[found.columns.findIndex((each) => each.name === column)]
    if (typeof value === "string") marks[mark] = value
  }
  return marks
}

/** Whether keys open the secrets of a backup; undefined if its rows do not show which key does. */
export const opens = (secrets: Secrets["Service"], { fingerprint, webPush }: KeyMarks): boolean | undefined =>
  fingerprint !== undefined
    ? fingerprints(secrets).includes(fingerprint)
    : webPush === undefined
      ? undefined
      : secrets.open("web-push", webPush) !== undefined
