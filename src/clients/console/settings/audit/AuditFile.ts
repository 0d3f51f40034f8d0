import type { Schemas } from "../../../client/SheafClient.ts"

type Entry = Schemas["AuditEntry"]

export type AuditFormat = "csv" | "json"

/** Members of an entry, in the order of the columns. */
const members = [
  "occurred_at",
  "action",
  "actor_id",
  "ip",
  "resource_type",
  "resource_id",
  "user_agent",
  "metadata",
  "id"
] as const satisfies ReadonlyArray<keyof Entry>

/** A value of CSV (RFC 4180). Programs for tables would run a text that begins like a formula, such as of a User-Agent. */
const cellOf = (value: unknown): string => {
  const text = value === null ? "" : typeof value === "string" ? value : JSON.stringify(value)
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Entries as the content of a file. */
export const auditFileOf = (entries: ReadonlyArray<Entry>, format: AuditFormat): Blob => {
  if (format === "json") return new Blob([JSON.stringify(entries, null, 2)], { type: "application/json" })
  const lines = [members.join(","), ...entries.map((entry) => members.map((name) => cellOf(entry[name])).join(","))]
  return new Blob([lines.map((line) => `${line}\r\n`).join("")], { type: "text/csv" })
}
