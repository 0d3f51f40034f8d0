import { Context, Effect, Layer } from "effect"
import {
  type BadRequest,
  type Condition,
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
import { moveNotesOf, trashNotesOf } from "./BulkNotes.ts"
import type { Notebook, NotebookCreate, NotebookMove, NotebookUpdate } from "./Notebook.ts"
import { depthOf, subtree } from "./NotebookTree.ts"
import { type NotebookRow, notebooks } from "./Rows.ts"
import { nameKey } from "./Tag.ts"

/** Notebooks nest up to five levels deep (interface.md, Limits). */
const maxDepth = 5

export const notebookOf = (row: NotebookRow): Notebook => ({
  id: row.id,
  name: row.name,
  color: row.color,
  icon: row.icon,
  parent_id: row.parent_id,
  note_count: row.note_count,
  created_at: row.created_at,
  updated_at: row.updated_at
})

const columns = ["id", "name", "color", "icon", "parent_id", "note_count", "created_at", "updated_at"]

export const notebookList: ListSpec = {
  path: "/notebooks",
  sorts: {
    name: { sql: "name_key", type: "text" },
    note_count: { sql: "note_count", type: "int" },
    created_at: { sql: "created_at", type: "text" },
    updated_at: { sql: "updated_at", type: "text" }
  },
  defaultSort: "name",
  filters: {
    id: { type: "text", sql: "id" },
    name: { type: "text", sql: "name_key", normal: nameKey, isWords: true },
    color: colorField,
    icon: { type: "text", sql: "icon", nullable: true },
    parent_id: { type: "text", sql: "parent_id", nullable: true },
    note_count: { type: "int", sql: "note_count" },
    created_at: { type: "timestamp", sql: "created_at" },
    updated_at: { type: "timestamp", sql: "updated_at" }
  }
}

/** Writes the notebook and says so in the log. `note_count` is derived: it is not in change data (contract 2). */
const store = (draft: Draft, row: NotebookRow, type: EventType): NotebookRow => {
  draft.put(notebooks, row)
  const { note_count: _, ...data } = notebookOf(row)
  draft.append({
    type,
    resource: "notebook",
    resource_id: row.id,
    data,
    record: { revision: row.revision, value: data, bytes: 300 }
  })
  return row
}

/** Fails unless `moved` (undefined: a new notebook) may stand under `parent_id`. */
const checkPlace = Effect.fnUntraced(function* (draft: Draft, parent_id: string | null, moved?: NotebookRow) {
  if (parent_id === null && moved === undefined) return
  const tree = yield* draft.all(notebooks)
  if (parent_id !== null && !tree.has(parent_id)) {
    return yield* Invalid.field("parent_id", "unknown", "names no notebook", "unresolved_reference")
  }
  const below = moved === undefined ? [] : subtree(tree, moved)
  if (below.some(({ row }) => row.id === parent_id)) {
    return yield* Invalid.field(
      "parent_id",
      "cycle",
      "must not be the notebook itself or one inside it",
      "notebook_cycle"
    )
  }
  const height = below.reduce((deepest, { depth }) => Math.max(deepest, depth), 1)
  if (depthOf(tree, parent_id) + height > maxDepth) {
    return yield* Invalid.field(
      "parent_id",
      "too_deep",
      `would nest notebooks more than ${maxDepth} levels deep`,
      "notebook_depth_exceeded"
    )
  }
})

/** Not counted yet. */
const createRow = Effect.fnUntraced(function* (draft: Draft, input: NotebookCreate, id: string, revision: number) {
  const parent_id = input.parent_id ?? null
  yield* checkPlace(draft, parent_id)
  return store(
    draft,
    {
      id,
      name: input.name,
      name_key: nameKey(input.name),
      color: input.color == null ? null : normalColor(input.color),
      icon: input.icon ?? null,
      parent_id,
      note_count: 0,
      revision,
      created_at: draft.now,
      updated_at: draft.now
    },
    "notebook.created"
  )
})

const createInbox = (draft: Draft) =>
  // At the top there is always a place.
  Effect.orDie(createRow(draft, { name: "Inbox", icon: "inbox" }, Ids.make("nb", draft.millis), 1))

/** What every new workspace has (contract 4). */
export const furnish = (draft: Draft) => {
  draft.count("notebooks", 1)
  return createInbox(draft)
}

/** The top-level notebook "Inbox", made where there is none. */
export const inbox = Effect.fnUntraced(function* (draft: Draft, quotas: Quotas["Service"]) {
  const tree = yield* draft.all(notebooks)
  for (const row of tree.values()) if (row.parent_id === null && row.name === "Inbox") return row
  yield* quotas.take(draft, "notebooks", 1)
  return yield* createInbox(draft)
})

const missing = NotFound.of("notebook")

/** The notebook, or 404; where it is not what the caller expects, 412. */
const expected = Effect.fnUntraced(function* (draft: Draft, id: string, condition: Condition<Notebook>) {
  const row = yield* draft.get(notebooks, id)
  if (row === undefined) return yield* missing
  return condition?.(notebookOf(row)) === false ? yield* Stale.at(row.revision) : row
})

type WriteError = Invalid | NotFound | Unavailable

/** Notebooks form a tree of at most five levels. Its rules are decided in the order of the workspace's writes. */
export class Notebooks extends Context.Service<
  Notebooks,
  {
    readonly list: (query: PageQuery) => Effect.Effect<Page, BadRequest | Unavailable, Principal>
    readonly create: (
      input: NotebookCreate,
      own?: { readonly id: string; readonly revision: number }
    ) => Effect.Effect<Notebook, WriteError | Forbidden, Principal>
    readonly get: (id: string) => Effect.Effect<Notebook, NotFound | Unavailable, Principal>
    readonly update: (
      id: string,
      input: NotebookUpdate,
      condition?: Condition<Notebook>
    ) => Effect.Effect<Notebook, WriteError | Stale, Principal>
    readonly move: (
      id: string,
      input: NotebookMove,
      condition?: Condition<Notebook>
    ) => Effect.Effect<Notebook, WriteError | Stale, Principal>
    /** Takes its sub-notebooks along; the notes go to the trash, or to `moveNotesTo`. */
    readonly delete: (
      id: string,
      moveNotesTo?: string,
      condition?: Condition<Notebook>
    ) => Effect.Effect<void, WriteError | Stale, Principal>
  }
>()("sheaf/notes/Notebooks") {
  static readonly layer = Layer.effect(
    Notebooks,
    Effect.gen(function* () {
      const { read } = yield* Database
      const lists = yield* Lists
      const writer = yield* Writer
      const quotas = yield* Quotas

      const list = traced("Notebooks.list")(function* (query: PageQuery) {
        const { workspace_id } = yield* Principal
        return yield* lists.page({ spec: notebookList, query, workspace_id, table: "notebooks", columns })
      })

      const get = traced("Notebooks.get")(function* (id: string) {
        const { workspace_id } = yield* Principal
        const [row] = yield* orUnavailable(
          read.unsafe<Notebook>(`SELECT ${columns.join(", ")} FROM notebooks WHERE workspace_id = $1 AND id = $2`, [
            workspace_id,
            id
          ])
        )
        return row ?? (yield* missing)
      })

      const create = traced("Notebooks.create")(function* (
        input: NotebookCreate,
        own?: { readonly id: string; readonly revision: number }
      ) {
        const principal = yield* Principal
        return yield* writer.write(
          principal.workspace_id,
          { actor: actorOf(principal) },
          Effect.fnUntraced(function* (draft: Draft) {
            yield* quotas.take(draft, "notebooks", 1)
            return notebookOf(
              yield* createRow(draft, input, own?.id ?? Ids.make("nb", draft.millis), own?.revision ?? 1)
            )
          })
        )
      })

      const change = Effect.fnUntraced(function* (id: string, input: NotebookUpdate, condition?: Condition<Notebook>) {
        const principal = yield* Principal
        return yield* writer.write(
          principal.workspace_id,
          { actor: actorOf(principal) },
          Effect.fnUntraced(function* (draft: Draft) {
            const row = yield* expected(draft, id, condition)
            const next = {
              ...row,
              name: input.name ?? row.name,
              color: input.color === undefined ? row.color : input.color === null ? null : normalColor(input.color),
              icon: input.icon === undefined ? row.icon : input.icon,
              parent_id: input.parent_id === undefined ? row.parent_id : input.parent_id
            }
            const moves = next.parent_id !== row.parent_id
            if (!moves && next.name === row.name && next.color === row.color && next.icon === row.icon) {
              return notebookOf(row)
            }
            if (moves) yield* checkPlace(draft, next.parent_id, row)
            return notebookOf(
              store(
                draft,
                {
                  ...next,
                  name_key: nameKey(next.name),
                  revision: row.revision + 1,
                  updated_at: draft.now
                },
                moves ? "notebook.moved" : "notebook.updated"
              )
            )
          })
        )
      })

      const remove = traced("Notebooks.delete")(function* (
        id: string,
        moveNotesTo?: string,
        condition?: Condition<Notebook>
      ) {
        const principal = yield* Principal
        yield* writer.write(
          principal.workspace_id,
          { actor: actorOf(principal), locked: true },
          Effect.fnUntraced(function* (draft: Draft) {
            const row = yield* expected(draft, id, condition)
            const gone = subtree(yield* draft.all(notebooks), row).map((each) => each.row)
            const ids = gone.map((each) => each.id)
            if (moveNotesTo === undefined) yield* trashNotesOf(draft, ids)
            else {
              if ((yield* draft.get(notebooks, moveNotesTo)) === undefined || ids.includes(moveNotesTo)) {
                return yield* Invalid.field(
                  "move_notes_to",
                  "unknown",
                  "must name a notebook that stays",
                  "unresolved_reference"
                )
              }
              yield* moveNotesOf(draft, ids, moveNotesTo)
            }
            // Children first, as a client would have to delete them.
            for (const each of gone.toReversed()) {
              draft.remove(notebooks, each.id)
              draft.count("notebooks", -1)
              draft.append({
                type: "notebook.deleted",
                resource: "notebook",
                resource_id: each.id,
                record: { revision: each.revision + 1, value: null, bytes: 50 }
              })
            }
          })
        )
      })

      return Notebooks.of({
        list,
        get,
        create,
        update: traced("Notebooks.update")(change),
        move: traced("Notebooks.move")((id: string, input: NotebookMove, condition?: Condition<Notebook>) =>
          change(id, { parent_id: input.parent_id }, condition)
        ),
        delete: remove
      })
    })
  )
}
