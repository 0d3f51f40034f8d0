import { Effect, Schema } from "effect"
import { Invalid } from "../Errors.ts"
import * as Ids from "../Ids.ts"
import { invalidFrom, repeated } from "../Text.ts"
import type { Data } from "../records/SyncAdapter.ts"
import { syncedTypes } from "./SyncedTypes.ts"

/** The members of an entry that do not depend on its type. */
const AnyEntry = Schema.Struct({
  mutation_id: Schema.optionalKey(Schema.String),
  type: Schema.String,
  op: Schema.Literals(["upsert", "delete"]),
  id: Schema.optionalKey(Schema.NullOr(Schema.String)),
  client_ref: Schema.optionalKey(Schema.String),
  conflict_of: Schema.optionalKey(Schema.String),
  revision: Schema.optionalKey(Schema.NullOr(Schema.Int)),
  base_revision: Schema.optionalKey(Schema.NullOr(Schema.Int)),
  data: Schema.optionalKey(Schema.NullOr(Schema.Record(Schema.String, Schema.Unknown)))
})

/** A decoded entry: references are resolved, and the revision has one name. */
export interface Entry {
  readonly raw: unknown
  readonly mutation_id: string | null
  readonly type: string
  readonly op: "upsert" | "delete"
  readonly id: string | undefined
  readonly client_ref: string | undefined
  readonly revision: number
  readonly data: Readonly<Record<string, unknown>>
}

const decodeAny = Schema.decodeUnknownEffect(AnyEntry, { errors: "all" })

/** The error for a member `$name` that names no record of an earlier entry. */
const unresolved = (field: string, reference: string) =>
  Invalid.field(field, "unknown", `refers to no earlier entry: ${repeated(reference)}`, "unresolved_reference")

/** Maximum number of values in an entry: a note with 50 tags has a hundredth of it. */
const maxEntryValues = 10_000

/** Counts the values in an entry and the characters of its texts. Stops after too many values. */
const sizeOf = (raw: unknown): { readonly values: number; readonly characters: number } => {
  let values = 0
  let characters = 0
  const look = (value: unknown): void => {
    values++
    if (typeof value === "string") characters += value.length
    if (typeof value !== "object" || value === null) return
    for (const each of Object.values(value)) {
      if (values > maxEntryValues) return
      look(each)
    }
  }
  look(raw)
  return { values, characters }
}

/** Estimated steps of a `Budget` to apply an entry: a fixed part, each value, and each character of its texts. */
export const stepsOf = (raw: unknown): number => {
  const { characters, values } = sizeOf(raw)
  return 500 + 10 * values + characters / 2
}

/** Members that may refer to a record that an earlier entry of the push creates. */
const referring = [...new Set(syncedTypes.flatMap(({ references }) => references ?? []))]

/** The types that can be pushed, with the prefixes of their ids. */
export const prefixes: Readonly<Record<string, Ids.Prefix>> = Object.fromEntries(
  syncedTypes.map(({ type }) => [type, Ids.prefixes[type]])
)

/** Returns a text member of an entry that is not decoded yet. */
export const textOf = (
  raw: unknown,
  member: "type" | "id" | "mutation_id" | "client_ref" | "conflict_of"
): string | undefined => {
  const value = typeof raw === "object" && raw !== null ? (raw as Record<string, unknown>)[member] : undefined
  return typeof value === "string" ? value : undefined
}

/** Returns the revision on which an entry that is not decoded yet is based; undefined if it has none. */
export const revisionOf = (raw: unknown): number | undefined => {
  const { base_revision, revision } = (typeof raw === "object" && raw !== null ? raw : {}) as Record<string, unknown>
  const value = revision ?? base_revision
  return typeof value === "number" && Number.isInteger(value) && value > 0 ? value : undefined
}

/** Returns the operation and the data of an entry that is not decoded yet. */
export const changeOf = (raw: unknown): readonly ["create" | "update" | "delete", Data] => {
  const { data, op } = (typeof raw === "object" && raw !== null ? raw : {}) as Record<string, unknown>
  const given = typeof data === "object" && data !== null ? (data as Data) : {}
  return [op === "delete" ? "delete" : revisionOf(raw) === undefined ? "create" : "update", given]
}

/** Whether a text may be an id. No other text reaches the database. */
export const mayBeId = (id: string): boolean => /^[\x21-\x7e]{1,100}$/.test(id)

export const isMutationId = (id: string): boolean => /^[\x21-\x7e]{1,255}$/.test(id)

/** Decodes an entry. `references`: the ids of records that earlier entries created, by their `client_ref`. */
export const decodeEntry = Effect.fnUntracedEager(function* (raw: unknown, references: ReadonlyMap<string, string>) {
  if (sizeOf(raw).values > maxEntryValues) {
    return yield* Invalid.field("data", "too_many", `must have at most ${maxEntryValues} values`)
  }
  const entry = yield* Effect.mapErrorEager(decodeAny(raw), (error) => invalidFrom(error.issue))
  const resolved = (value: unknown): unknown =>
    typeof value === "string" && value.startsWith("$") ? references.get(value.slice(1)) : value
  const data: Record<string, unknown> = { ...entry.data }
  for (const field of referring) {
    if (!Object.hasOwn(data, field) || data[field] === undefined) continue
    const value = resolved(data[field])
    if (value === undefined) return yield* unresolved(`data.${field}`, String(data[field]))
    data[field] = value
  }
  const id = resolved(entry.id ?? undefined) as string | undefined
  if (id === undefined && entry.id != null) return yield* unresolved("id", entry.id)
  const decoded: Entry = {
    raw,
    mutation_id: entry.mutation_id ?? null,
    type: entry.type,
    op: entry.op,
    id,
    client_ref: entry.client_ref,
    revision: entry.revision ?? entry.base_revision ?? 0,
    data
  }
  if (!Object.hasOwn(prefixes, decoded.type)) {
    return yield* Invalid.field("type", "unknown", `must be one of ${Object.keys(prefixes).join(", ")}`)
  }
  if (id !== undefined && !mayBeId(id)) {
    return yield* Invalid.field("id", "invalid", `must be ${prefixes[entry.type]}_ and 16 to 40 of [0-9A-Za-z_-]`)
  }
  if (decoded.revision < 0) return yield* Invalid.field("revision", "out_of_range", "must not be negative")
  if (decoded.mutation_id !== null && !isMutationId(decoded.mutation_id)) {
    return yield* Invalid.field("mutation_id", "invalid", "must be 1 to 255 visible ASCII characters")
  }
  if (entry.conflict_of !== undefined && !Ids.isClientMade("nt", entry.conflict_of)) {
    return yield* Invalid.field("conflict_of", "invalid", "must be the id of a note")
  }
  return decoded
})
