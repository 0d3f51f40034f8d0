import { Context, Effect, Layer } from "effect"
import { type Condition, Conflict, Invalid, type NotFound, type Unavailable } from "../../Errors.ts"
import { Principal } from "../../Principal.ts"
import type { Draft } from "../../writer/Draft.ts"
import { lockedDraft, type LockedDraft } from "../../writer/LockedDraft.ts"
import { type OwnId, syncAdapter } from "../../records/SyncAdapter.ts"
import * as Records from "../../records/Records.ts"
import { readsOf, type RecordService } from "../../lists/RecordService.ts"
import { Writer } from "../../writer/Writer.ts"
import { traced } from "../../Traced.ts"
import { Quotas } from "../../workspaces/Quotas.ts"
import { retag } from "../BulkNotes.ts"
import {
  nameKey,
  normalName,
  type Tag,
  TagCreate,
  tagList,
  type TagMerge,
  type TagRow,
  tags,
  TagUpdate
} from "./Tag.ts"

/** The log contains the whole tag with each change. */
const records = Records.of({ type: "tag", table: tags, weigh: () => 200 })

export const createRow = Effect.fnUntracedEager(function* (
  draft: Draft,
  quotas: Quotas["Service"],
  input: TagCreate,
  own: OwnId = { id: draft.newId("tg"), revision: 1 },
  created_at = draft.now
) {
  const name = normalName(input.name)
  yield* quotas.take(draft, "tags", 1)
  const row: TagRow = {
    ...own,
    name,
    name_key: nameKey(name),
    color: input.color ?? null,
    note_count: 0,
    created_at
  }
  records.put(draft, row, "tag.created")
  return row
})

/** Returns the tags with these names, in their order and without duplicates; creates missing ones. */
export const resolveTags = Effect.fnUntracedEager(function* (
  draft: Draft,
  quotas: Quotas["Service"],
  names: ReadonlyArray<string>
) {
  const rows = new Map<string, TagRow>()
  for (const name of names) {
    const row = (yield* draft.find(tags, nameKey(name))) ?? (yield* createRow(draft, quotas, { name }))
    rows.set(row.id, row)
  }
  return [...rows.values()]
})

/** Returns the tags with these names, without names that are no tags. */
export const carriedTags = Effect.fnUntracedEager(function* (draft: Draft, names: ReadonlyArray<string>) {
  const rows: Array<TagRow> = []
  for (const name of names) {
    const row = yield* draft.find(tags, nameKey(name))
    if (row !== undefined) rows.push(row)
  }
  return rows
})

/** Returns the present spelling of those names that are tags. */
export const carriedNames = (draft: Draft, names: ReadonlyArray<string>) =>
  Effect.map(carriedTags(draft, names), (rows) => rows.map((row) => row.name))

const taken = ({ id, name }: TagRow) =>
  new Conflict({
    code: "already_exists",
    detail: `A tag with the name "${name}" exists already`,
    extra: { existing_id: id }
  })

/** Tags have unique names, case-insensitively. Rename and merge change every note that has the tag, in one write. */
export class Tags extends Context.Service<
  Tags,
  RecordService<Tag, TagCreate, TagUpdate, Conflict> & {
    readonly merge: (input: TagMerge) => Effect.Effect<Tag, Invalid | NotFound | Unavailable, Principal>
  }
>()("sheaf/notes/tags/Tags") {
  static readonly layer = Layer.effect(
    Tags,
    Effect.gen(function* () {
      const writer = yield* Writer
      const quotas = yield* Quotas
      const reads = yield* readsOf<Tag>("Tags", tagList, records.missing)

      const make = Effect.fnUntracedEager(function* (draft: Draft, input: TagCreate, own?: OwnId) {
        const other = yield* draft.find(tags, nameKey(input.name))
        if (other !== undefined) return yield* taken(other)
        return tags.show(yield* createRow(draft, quotas, input, own))
      })
      const create = traced("Tags.create")((input: TagCreate) => writer.change((draft) => make(draft, input)))

      type Color = string | null | undefined

      const recolor = Effect.fnUntracedEager(function* (
        draft: Draft,
        id: string,
        color: Color,
        condition?: Condition<Tag>
      ) {
        const row = yield* records.get(draft, id, condition)
        if (color === undefined || color === row.color) return tags.show(row)
        return records.put(draft, { ...row, color, revision: draft.revisionAfter(row.revision) }, "tag.updated")
      })

      /** Renames and recolours a tag. The notes that have it contain its name, so they change too. */
      const rename = Effect.fnUntracedEager(function* (
        draft: LockedDraft,
        id: string,
        name: string,
        color: Color,
        condition?: Condition<Tag>
      ) {
        const before = yield* records.get(draft, id, condition)
        const row = { ...before, name, name_key: nameKey(name), color: color === undefined ? before.color : color }
        if (row.name === before.name && row.color === before.color) return tags.show(before)
        const other = yield* draft.find(tags, row.name_key)
        if (other !== undefined && other.id !== id) return yield* taken(other)
        const shown = records.put(draft, { ...row, revision: draft.revisionAfter(before.revision) }, "tag.updated")
        if (name !== before.name) yield* retag(draft, [before], row)
        return shown
      })

      const update = traced("Tags.update")((id: string, { color, name }: TagUpdate, condition?: Condition<Tag>) =>
        name === undefined
          ? writer.change((draft) => recolor(draft, id, color, condition))
          : writer.changeLocked((draft) => rename(draft, id, name, color, condition), [], "tags")
      )

      const removeRow = Effect.fnUntracedEager(function* (draft: LockedDraft, id: string, condition?: Condition<Tag>) {
        const row = yield* records.get(draft, id, condition)
        yield* retag(draft, [row], undefined)
        records.remove(draft, row, "tag.deleted")
      })
      const remove = traced("Tags.delete")((id: string, condition?: Condition<Tag>) =>
        writer.changeLocked((draft) => removeRow(draft, id, condition), [], "tags")
      )

      const merge = traced("Tags.merge")(function* (input: TagMerge) {
        const wanted = input.source_ids ?? input.sources
        const into = input.target_id ?? input.target
        const sourcesField = input.source_ids === undefined && input.sources !== undefined ? "sources" : "source_ids"
        const targetField = input.target_id === undefined && input.target !== undefined ? "target" : "target_id"
        if (wanted === undefined || wanted.length === 0) {
          return yield* Invalid.field(sourcesField, "required", "must name at least one tag")
        }
        if (into === undefined) return yield* Invalid.field("target_id", "required", "is required")
        return yield* writer.changeLocked(
          Effect.fnUntracedEager(function* (draft: LockedDraft) {
            const byReference = Effect.fnUntracedEager(function* (field: string, reference: string) {
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
            if (sources.size === 0) return tags.show(target)
            yield* retag(draft, [...sources.values()], target)
            for (const source of sources.values()) {
              records.remove(draft, source, "tag.merged", { source_id: source.id, target_id: target.id })
            }
            return tags.show((yield* draft.get(tags, target.id))!)
          }),
          [],
          "tags"
        )
      })

      return Tags.of({
        ...reads,
        create,
        update,
        delete: remove,
        merge,
        syncAdapter: syncAdapter(records, {
          Create: TagCreate,
          Update: TagUpdate,
          create: make,
          update: (draft, id, { color, name }) =>
            name === undefined ? recolor(draft, id, color) : rename(lockedDraft(draft), id, name, color),
          delete: (draft, id) => removeRow(lockedDraft(draft), id),
          isLocked: (op, { name }) => op === "delete" || (op === "update" && name !== undefined)
        })
      })
    })
  )
}
