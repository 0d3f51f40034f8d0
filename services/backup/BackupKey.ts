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

/** Takes the marks from a piece of a table, which is an array of texts and nulls a line. */
export const addMarks = (marks: KeyMarks, { columns, name }: Header["tables"][number], piece: Uint8Array): void => {
  for (const mark of ["fingerprint", "webPush"] as const) {
    const [table, column] = places[mark]
    if (name !== table) continue
    const [line = "[]"] = Buffer.from(piece).toString().split("\n", 1)
    const row = JSON.parse(line) as ReadonlyArray<unknown>
    const value = row[columns.findIndex((each) => each.name === column)]
    if (typeof value === "string") marks[mark] = value
  }
}

/** Whether keys open the secrets of a backup; undefined if its rows do not show which key does. */
export const opens = (secrets: Secrets["Service"], { fingerprint, webPush }: KeyMarks): boolean | undefined =>
  fingerprint !== undefined
    ? fingerprints(secrets).includes(fingerprint)
    : webPush === undefined
      ? undefined
      : secrets.open("web-push", webPush) !== undefined
