import { Context, Effect, Layer } from "effect"
import {
  type BadRequest,
  type Condition,
  Conflict,
  type Forbidden,
  Invalid,
  NotFound,
  Stale,
  type Unavailable
} from "../Errors.ts"
import type { EventType } from "../EventTypes.ts"
import { colorField } from "../Filter.ts"
import * as Ids from "../Ids.ts"
import type { ListSpec, Page, PageQuery } from "../Page.ts"
import { Principal } from "../Principal.ts"
import { Database, orUnavailable } from "../storage/Database.ts"
import { actorOf } from "../storage/Actor.ts"
import type { Draft } from "../storage/Draft.ts"
import { Lists } from "../storage/Lists.ts"
import { Writer } from "../storage/Writer.ts"
import { normalColor } from "../Text.ts"
import { traced } from "../Traced.ts"
import { Quotas } from "../workspaces/Quotas.ts"
import { retag } from "./BulkNotes.ts"
import { tags, type TagRow } from "./Rows.ts"
import { nameKey, normalName, type Tag, type TagCreate, type TagMerge, type TagUpdate } from "./Tag.ts"

export const tagOf = (row: TagRow): Tag => ({
  id: row.id,
  name: row.name,
  color: row.color,
  note_count: row.note_count,
  created_at: row.created_at
})

const columns = ["id", "name", "color", "note_count", "created_at"]

export const tagList: ListSpec = {
  path: "/tags",
  sorts: {
    name: { sql: "name_key", type: "text" },
    note_count: { sql: "note_count", type: "int" },
    created_at: { sql: "created_at", type: "text" }
  },
  defaultSort: "name",
  filters: {
    id: { type: "text", sql: "id" },
    name: { type: "text", sql: "name_key", normal: nameKey, isWords: true },
    color: colorField,
    note_count: { type: "int", sql: "note_count" },
    created_at: { type: "timestamp", sql: "created_at" }
  }
}

/** Writes the tag and says so in the log. `note_count` is derived: it is not in change data (contract 2). */
const store = (draft: Draft, row: TagRow, type: EventType): TagRow => {
  draft.put(tags, row)
  const { note_count: _, ...data } = tagOf(row)
  draft.append({
    type,
    resource: "tag",
    resource_id: row.id,
    data,
    record: { revision: row.revision, value: data, bytes: 200 }
  })
  return row
}

const remove = (draft: Draft, row: TagRow, type: EventType, data: unknown): void => {
  draft.remove(tags, row.id)
  draft.count("tags", -1)
  draft.append({
    type,
    resource: "tag",
    resource_id: row.id,
    data,
    record: { revision: row.revision + 1, value: null, bytes: 50 }
  })
}

const createRow = Effect.fnUntraced(function* (
  draft: Draft,
  quotas: Quotas["Service"],
  input: TagCreate,
  id: string,
  revision: number
) {
  const name = normalName(input.name)
  yield* quotas.take(draft, "tags", 1)
  return store(
    draft,
    {
      id,
      name,
      name_key: nameKey(name),
      color: input.color == null ? null : normalColor(input.color),
      note_count: 0,
      revision,
      created_at: draft.now
    },
    "tag.created"
  )
})

/** The tags of these names, in their order, made where they are missing; a name given twice counts once. */
export const resolveTags = Effect.fnUntraced(function* (
  draft: Draft,
  quotas: Quotas["Service"],
  names: ReadonlyArray<string>
) {
  const rows = new Map<string, TagRow>()
  for (const name of names) {
    const row =
      (yield* draft.find(tags, nameKey(name))) ??
      (yield* createRow(draft, quotas, { name }, Ids.make("tg", draft.millis), 1))
    rows.set(row.id, row)
  }
  return [...rows.values()]
})

/** The tags that a note carries, by their names. */
export const carriedTags = Effect.fnUntraced(function* (draft: Draft, names: ReadonlyArray<string>) {
  const rows: Array<TagRow> = []
  for (const name of names) {
    const row = yield* draft.find(tags, nameKey(name))
    if (row !== undefined) rows.push(row)
  }
  return rows
})

const missing = NotFound.of("tag")

/** The tag, or 404; where it is not what the caller expects, 412. */
const expected = Effect.fnUntraced(function* (draft: Draft, id: string, condition: Condition<Tag>) {
  const row = yield* draft.get(tags, id)
  if (row === undefined) return yield* missing
  return condition?.(tagOf(row)) === false ? yield* Stale.at(row.revision) : row
})

const taken = (name: string) =>
  new Conflict({ code: "already_exists", detail: `A tag with the name "${name}" exists already` })

/** Tags are unique by name without regard to case. Rename and merge change every note that carries the tag, at once. */
export class Tags extends Context.Service<
  Tags,
  {
    readonly list: (query: PageQuery) => Effect.Effect<Page, BadRequest | Unavailable, Principal>
    readonly create: (
      input: TagCreate,
      id?: { readonly id: string; readonly revision: number }
    ) => Effect.Effect<Tag, Conflict | Forbidden | Unavailable | NotFound, Principal>
    readonly get: (id: string) => Effect.Effect<Tag, NotFound | Unavailable, Principal>
    readonly update: (
      id: string,
      input: TagUpdate,
      condition?: Condition<Tag>
    ) => Effect.Effect<Tag, Conflict | NotFound | Stale | Unavailable, Principal>
    readonly delete: (
      id: string,
      condition?: Condition<Tag>
    ) => Effect.Effect<void, NotFound | Stale | Unavailable, Principal>
    readonly merge: (input: TagMerge) => Effect.Effect<Tag, Invalid | NotFound | Unavailable, Principal>
  }
>()("sheaf/notes/Tags") {
  static readonly layer = Layer.effect(
    Tags,
    Effect.gen(function* () {
      const { read } = yield* Database
      const writer = yield* Writer
      const quotas = yield* Quotas
      const lists = yield* Lists

      const list = traced("Tags.list")(function* (query: PageQuery) {
        const { workspace_id } = yield* Principal
        return yield* lists.page({ spec: tagList, query, workspace_id, table: "tags", columns })
      })

      const get = traced("Tags.get")(function* (id: string) {
        const { workspace_id } = yield* Principal
        const [row] = yield* orUnavailable(
          read.unsafe<Tag>(`SELECT ${columns.join(", ")} FROM tags WHERE workspace_id = $1 AND id = $2`, [
            workspace_id,
            id
          ])
        )
        return row ?? (yield* missing)
      })

      const create = traced("Tags.create")(function* (
        input: TagCreate,
        own?: { readonly id: string; readonly revision: number }
      ) {
        const principal = yield* Principal
        return yield* writer.write(
          principal.workspace_id,
          { actor: actorOf(principal) },
          Effect.fnUntraced(function* (draft: Draft) {
            if ((yield* draft.find(tags, nameKey(input.name))) !== undefined) return yield* taken(input.name)
            return tagOf(
              yield* createRow(draft, quotas, input, own?.id ?? Ids.make("tg", draft.millis), own?.revision ?? 1)
            )
          })
        )
      })

      const update = traced("Tags.update")(function* (id: string, input: TagUpdate, condition?: Condition<Tag>) {
        const principal = yield* Principal
        return yield* writer.write(
          principal.workspace_id,
          { actor: actorOf(principal), locked: input.name !== undefined },
          Effect.fnUntraced(function* (draft: Draft) {
            const row = yield* expected(draft, id, condition)
            const name = input.name === undefined ? row.name : normalName(input.name)
            const color = input.color === undefined ? row.color : input.color === null ? null : normalColor(input.color)
            if (name === row.name && color === row.color) return tagOf(row)
            const other = yield* draft.find(tags, nameKey(name))
            if (other !== undefined && other.id !== id) return yield* taken(name)
            store(draft, { ...row, name, name_key: nameKey(name), color, revision: row.revision + 1 }, "tag.updated")
            if (name !== row.name) yield* retag(draft, [row], { ...row, name })
            return tagOf({ ...row, name, color })
          })
        )
      })

      const remove_ = traced("Tags.delete")(function* (id: string, condition?: Condition<Tag>) {
        const principal = yield* Principal
        yield* writer.write(
          principal.workspace_id,
          { actor: actorOf(principal), locked: true },
          Effect.fnUntraced(function* (draft: Draft) {
            const row = yield* expected(draft, id, condition)
            yield* retag(draft, [row], undefined)
            remove(draft, row, "tag.deleted", null)
          })
        )
      })

      const merge = traced("Tags.merge")(function* (input: TagMerge) {
        const principal = yield* Principal
        const wanted = input.source_ids ?? input.sources
        const into = input.target_id ?? input.target
        const sourcesField = input.source_ids === undefined && input.sources !== undefined ? "sources" : "source_ids"
        const targetField = input.target_id === undefined && input.target !== undefined ? "target" : "target_id"
        if (wanted === undefined || wanted.length === 0) {
          return yield* Invalid.field(sourcesField, "required", "must name at least one tag")
        }
        if (into === undefined) return yield* Invalid.field("target_id", "required", "is required")
        return yield* writer.write(
          principal.workspace_id,
          { actor: actorOf(principal), locked: true },
          Effect.fnUntraced(function* (draft: Draft) {
            const byReference = Effect.fnUntraced(function* (field: string, reference: string) {
              const row = (yield* draft.get(tags, reference)) ?? (yield* draft.find(tags, nameKey(reference)))
              if (row !== undefined) return row
              return yield* Invalid.field(field, "unknown", `names no tag: ${reference}`, "unresolved_reference")
            })
            const target = yield* byReference(targetField, into)
            const sources = new Map<string, TagRow>()
            for (const [index, reference] of wanted.entries()) {
              const row = yield* byReference(`${sourcesField}.${index}`, reference)
              if (row.id !== target.id) sources.set(row.id, row)
            }
            if (sources.size === 0) return tagOf(target)
            yield* retag(draft, [...sources.values()], target)
            for (const source of sources.values()) {
              remove(draft, source, "tag.merged", { source_id: source.id, target_id: target.id })
            }
            return tagOf((yield* draft.get(tags, target.id))!)
          })
        )
      })

      return Tags.of({ list, create, get, update, delete: remove_, merge })
    })
  )
}
