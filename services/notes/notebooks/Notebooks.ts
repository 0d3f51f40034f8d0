import { Context, Effect, Layer } from "effect"
import {
  type Condition,
  type Expired,
  type Forbidden,
  Invalid,
  type NotFound,
  type Stale,
  type Unavailable
} from "../../Errors.ts"
import { Principal } from "../../Principal.ts"
import * as AuditTrail from "../../writer/AuditTrail.ts"
import type { Draft } from "../../writer/Draft.ts"
import { lockedDraft, type LockedDraft } from "../../writer/LockedDraft.ts"
import { type OwnId, syncAdapter } from "../../records/SyncAdapter.ts"
import * as Records from "../../records/Records.ts"
import { readsOf, type RecordService } from "../../lists/RecordService.ts"
import { Writer } from "../../writer/Writer.ts"
import { traced } from "../../Traced.ts"
import { Quotas } from "../../workspaces/Quotas.ts"
import { moveNotesOf, restoreNotesOf, trashNotesOf } from "../BulkNotes.ts"
import {
  deletedNotebooks,
  type Notebook,
  NotebookCreate,
  notebookList,
  type NotebookMove,
  type NotebookRestore,
  type NotebookRow,
  notebooks,
  NotebookUpdate
} from "./Notebook.ts"
import { checkParent, subtree } from "./NotebookTree.ts"
import { restorable } from "../RestoreWindow.ts"
import { nameKey } from "../tags/Tag.ts"

/** The log contains the whole notebook with each change. */
export const records = Records.of({ type: "notebook", table: notebooks, weigh: () => 300 })

/** The parent of a notebook; null if it is deleted, or the caller does not reach it. */
const parentOf = (draft: Draft, { parent_id }: Pick<NotebookRow, "parent_id">) =>
  parent_id === null
    ? Effect.succeed(null)
    : Effect.mapEager(draft.get(notebooks, parent_id), (parent) => (parent === undefined ? null : parent_id))

/** The notebook as the caller reads it. */
const shownOf = (draft: Draft, row: NotebookRow) =>
  Effect.mapEager(parentOf(draft, row), (parent_id) => notebooks.show({ ...row, parent_id }))

/** The notebook as the caller syncs it. */
const syncedOf = (draft: Draft, row: NotebookRow) =>
  Effect.mapEager(parentOf(draft, row), (parent_id) => notebooks.dataOf({ ...row, parent_id }))

/** The row of a notebook; fails with 412 if what the caller reads of it does not meet the condition. */
const rowOf = Effect.fnUntracedEager(function* (draft: Draft, id: string, condition?: Condition<Notebook>) {
  const row = yield* records.get(draft, id)
  if (condition !== undefined) yield* condition(yield* shownOf(draft, row), row.revision)
  return row
})

/** Creates a notebook, without taking it from the quota. */
export const createRow = Effect.fnUntracedEager(function* (
  draft: Draft,
  input: NotebookCreate,
  own: OwnId = { id: draft.newId("nb"), revision: 1 },
  {
    created_at = draft.now,
    updated_at = draft.now
  }: { readonly created_at?: string; readonly updated_at?: string } = {}
) {
  const parent_id = input.parent_id ?? null
  yield* checkParent(draft, parent_id)
  const row: NotebookRow = {
    ...own,
    name: input.name,
    name_key: nameKey(input.name),
    color: input.color ?? null,
    icon: input.icon ?? null,
    parent_id,
    note_count: 0,
    created_at,
    updated_at
  }
  records.put(draft, row, "notebook.created")
  return row
})

type WriteError = Invalid | NotFound | Unavailable

/** Notebooks form a tree of at most five levels. Its rules are checked in the order of the workspace's writes. */
export class Notebooks extends Context.Service<
  Notebooks,
  Omit<RecordService<Notebook, NotebookCreate, NotebookUpdate, Invalid>, "delete"> & {
    readonly move: (
      id: string,
      input: NotebookMove,
      condition?: Condition<Notebook>
    ) => Effect.Effect<Notebook, WriteError | Stale, Principal>
    /** Deletes its sub-notebooks too. The notes move to the trash, or to `moveNotesTo`. */
    readonly delete: (
      id: string,
      moveNotesTo?: string,
      condition?: Condition<Notebook>
    ) => Effect.Effect<void, WriteError | Stale, Principal>
    /**
     * Restores a deleted notebook to its parent, or to the top level if that is gone, with the notebooks and notes that
     * were deleted with it. A notebook that is not deleted is returned unchanged.
     */
    readonly restore: (
      id: string,
      input: NotebookRestore,
      condition?: Condition<Notebook>
    ) => Effect.Effect<Notebook, WriteError | Expired | Forbidden | Stale, Principal>
  }
>()("sheaf/notes/notebooks/Notebooks") {
  static readonly layer = Layer.effect(
    Notebooks,
    Effect.gen(function* () {
      const reads = yield* readsOf<Notebook>("Notebooks", notebookList, records.missing)
      const writer = yield* Writer
      const quotas = yield* Quotas

      const make = Effect.fnUntracedEager(function* (draft: Draft, input: NotebookCreate, own?: OwnId) {
        yield* quotas.take(draft, "notebooks", 1)
        return notebooks.show(yield* createRow(draft, input, own))
      })
      const create = traced("Notebooks.create")((input: NotebookCreate) => writer.change((draft) => make(draft, input)))

      const change = Effect.fnUntracedEager(function* (
        draft: Draft,
        id: string,
        input: NotebookUpdate,
        condition?: Condition<Notebook>
      ) {
        const row = yield* rowOf(draft, id, condition)
        const stays = input.parent_id === undefined || input.parent_id === (yield* parentOf(draft, row))
        const next = {
          ...row,
          name: input.name ?? row.name,
          color: input.color === undefined ? row.color : input.color,
          icon: input.icon === undefined ? row.icon : input.icon,
          parent_id: stays ? row.parent_id : input.parent_id!
        }
        // A parent that the caller does not reach is none that it can name.
        const moves = !stays
        if (!moves && next.name === row.name && next.color === row.color && next.icon === row.icon) {
          return yield* shownOf(draft, row)
        }
        if (moves) yield* checkParent(draft, next.parent_id, { moved: row })
        const changed: NotebookRow = {
          ...next,
          name_key: nameKey(next.name),
          revision: draft.revisionAfter(row.revision),
          updated_at: draft.now
        }
        records.put(draft, changed, moves ? "notebook.moved" : "notebook.updated")
        return yield* shownOf(draft, changed)
      })
      const update = traced("Notebooks.update")((id: string, input: NotebookUpdate, condition?: Condition<Notebook>) =>
        writer.change((draft) => change(draft, id, input, condition))
      )

      const removeTree = Effect.fnUntracedEager(function* (
        draft: LockedDraft,
        id: string,
        moveNotesTo?: string,
        condition?: Condition<Notebook>
      ) {
        const row = yield* rowOf(draft, id, condition)
        const gone = subtree(yield* draft.all(notebooks), row).map((each) => each.row)
        const ids = gone.map((each) => each.id)
        if (moveNotesTo === undefined) yield* trashNotesOf(draft, ids, id)
        else {
          const target = yield* draft.get(notebooks, moveNotesTo)
          if (target === undefined || ids.includes(moveNotesTo)) {
            return yield* Invalid.field(
              "move_notes_to",
              "unknown",
              "must name a notebook that is not deleted",
              "unresolved_reference"
            )
          }
          draft.changesBySql(notebooks, target)
          yield* moveNotesOf(draft, ids, moveNotesTo)
        }
        if (draft.reach !== undefined) {
          // The check of what was written compares it with what was there.
          yield* draft.all(notebooks)
          yield* draft.load(
            deletedNotebooks,
            ids.map((id) => [id])
          )
        }
        AuditTrail.audit(draft, {
          action: "notebook.deleted",
          resource: "notebook",
          resource_id: id,
          data: { notebooks: ids.length, move_notes_to: moveNotesTo ?? null }
        })
        // The changes of notes have dropped the rows, which the check of a limited caller compares.
        yield* draft.all(notebooks)
        yield* draft.load(
          deletedNotebooks,
          ids.map((each) => [each])
        )
        // Children first, as a client would have to delete them.
        for (const each of gone.toReversed()) {
          records.remove(draft, each, "notebook.deleted")
          draft.put(deletedNotebooks, { ...each, deleted_at: draft.now, deleted_with: id })
        }
      })
      const remove = traced("Notebooks.delete")((id: string, moveNotesTo?: string, condition?: Condition<Notebook>) =>
        writer.changeLocked((draft) => removeTree(draft, id, moveNotesTo, condition), [], "notebook")
      )

      const restore = traced("Notebooks.restore")(
        (id: string, { parent_id: wanted }: NotebookRestore, condition?: Condition<Notebook>) =>
          writer.changeLocked(
            Effect.fnUntracedEager(function* (draft: LockedDraft) {
              const tree = yield* draft.all(notebooks)
              if (tree.has(id)) return yield* shownOf(draft, yield* rowOf(draft, id, condition))
              const root = yield* draft.get(deletedNotebooks, id)
              if (root === undefined) return yield* records.missing
              if (condition !== undefined) yield* condition(deletedNotebooks.show(root), root.revision)
              yield* restorable(draft, "notebook", root.deleted_at)
              const together = (yield* draft.having(deletedNotebooks, "deleted_with", root.deleted_with)).filter(
                (row) => row.deleted_at === root.deleted_at && !tree.has(row.id)
              )
              const back = subtree(new Map(together.map((row) => [row.id, row])), root)
              const parent_id = wanted === undefined ? yield* parentOf(draft, root) : wanted
              yield* checkParent(draft, parent_id, { height: back.at(-1)!.depth })
              yield* quotas.take(draft, "notebooks", back.length)
              for (const { row } of back) {
                const { deleted_at: _, deleted_with: __, ...kept } = row
                draft.remove(deletedNotebooks, row.id)
                records.put(
                  draft,
                  {
                    ...kept,
                    parent_id: row === root ? parent_id : row.parent_id,
                    note_count: 0,
                    // One more for the deletion.
                    revision: row.revision + 2,
                    updated_at: draft.now
                  },
                  "notebook.created"
                )
              }
              const ids = back.map(({ row }) => row.id)
              yield* restoreNotesOf(draft, quotas, ids, root)
              return yield* shownOf(draft, yield* rowOf(draft, id))
            }),
            [],
            "notebook"
          )
      )

      return Notebooks.of({
        ...reads,
        create,
        update,
        move: traced("Notebooks.move")((id: string, input: NotebookMove, condition?: Condition<Notebook>) =>
          writer.change((draft) => change(draft, id, { parent_id: input.parent_id }, condition))
        ),
        delete: remove,
        restore,
        syncAdapter: {
          ...syncAdapter(records, {
            Create: NotebookCreate,
            Update: NotebookUpdate,
            create: make,
            update: change,
            delete: (draft, id) => removeTree(lockedDraft(draft), id),
            isLocked: (op) => op === "delete"
          }),
          data: (draft, id) =>
            Effect.flatMapEager(draft.get(notebooks, id), (row) =>
              row === undefined ? Effect.succeed(null) : syncedOf(draft, row)
            )
        }
      })
    })
  )
}
