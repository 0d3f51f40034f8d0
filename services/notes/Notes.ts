import { Context, Effect, Layer } from "effect"
import type { WorkspaceId } from "../Ids.ts"
import {
  type BadRequest,
  type Conflict,
  type Expired,
  type Forbidden,
  type Invalid,
  NotFound,
  type Stale,
  type Unavailable
} from "../Errors.ts"
import type { Page } from "../lists/Page.ts"
import { Principal } from "../Principal.ts"
import * as AuditTrail from "../writer/AuditTrail.ts"
import { Database, runSql } from "../database/Database.ts"
import { systemActor } from "../writer/Actor.ts"
import type { Draft } from "../writer/Draft.ts"
import type { LockedDraft } from "../writer/LockedDraft.ts"
import type { SyncAdapter } from "../records/SyncAdapter.ts"
import { PageCursors } from "../lists/PageCursors.ts"
import type { Write } from "../writer/ReplayedResult.ts"
import { rowJson } from "../tables/RowJson.ts"
import { Secrets } from "../secrets/Secrets.ts"
import { Writer } from "../writer/Writer.ts"
import { traced } from "../Traced.ts"
import { Quotas } from "../workspaces/Quotas.ts"
import { copyTitle, type Note, type NoteChange, type NoteCreate, type NoteVersion } from "./Note.ts"
import * as Attachments from "./attachments/AttachmentEdits.ts"
import * as Edits from "./NoteEdits.ts"
import type { NoteCondition, RestoreCondition } from "./NoteEdits.ts"
import { type KeptState, parseVersion, stateAt, versionAt, type VersionBodies, versionPage } from "./NoteVersions.ts"
import { purge, purgeTrashed } from "./NotePurge.ts"
import { liveShape, notes } from "./NoteTable.ts"
import { pushableNotes } from "./PushableNotes.ts"
import * as ReturnedNote from "./ReturnedNote.ts"
import { presentNames } from "./tags/FormerTagNames.ts"
import { deleteVersion } from "./VersionDeletion.ts"

/** A note as JSON, made by the database. */
interface NoteJson {
  readonly json: string
  readonly version: number
}

type WriteError = Forbidden | Invalid | NotFound | Unavailable

const missing = NotFound.of("note")

/** Notes with their numbered history, trash and archive (contract 5). */
export class Notes extends Context.Service<
  Notes,
  {
    readonly create: (input: NoteCreate) => Effect.Effect<Note, WriteError, Principal>
    readonly get: (id: string) => Effect.Effect<NoteJson, NotFound | Unavailable, Principal>
    readonly update: (
      id: string,
      input: NoteChange,
      condition?: NoteCondition
    ) => Effect.Effect<Note, WriteError | Stale, Principal>
    /**
     * Changes a note by a function of its current state, which runs in the write: it can check the version, and fail
     * without a change.
     */
    readonly edit: <E, R>(
      id: string,
      change: (current: Note) => Effect.Effect<NoteChange, E, R>
    ) => Effect.Effect<Note, WriteError | Stale | E, R | Principal>
    readonly delete: (
      id: string,
      options: { readonly permanent: boolean },
      condition?: NoteCondition
    ) => Effect.Effect<void, WriteError | Stale, Principal>
    readonly duplicate: (
      id: string,
      input: NoteChange,
      condition?: NoteCondition
    ) => Effect.Effect<Note, WriteError | Stale, Principal>
    readonly archive: (id: string, condition?: NoteCondition) => Effect.Effect<Note, WriteError | Stale, Principal>
    readonly restore: (
      id: string,
      input: { readonly notebook_id?: string },
      condition?: RestoreCondition
    ) => Effect.Effect<Note, WriteError | Expired | Stale, Principal>
    /** A page of the history, whose items have bodies unless `without bodies` is given. */
    readonly versions: (
      id: string,
      query: { readonly limit?: string; readonly cursor?: string },
      bodies?: VersionBodies
    ) => Effect.Effect<Page, BadRequest | NotFound | Unavailable, Principal>
    readonly version: (
      id: string,
      version: string
    ) => Effect.Effect<NoteVersion, BadRequest | NotFound | Unavailable, Principal>
    /** A version with all that the history keeps. */
    readonly versionState: (id: string, version: number) => Effect.Effect<KeptState, NotFound | Unavailable, Principal>
    readonly restoreVersion: (
      id: string,
      version: string,
      condition?: NoteCondition
    ) => Effect.Effect<Note, WriteError | Stale | BadRequest, Principal>
    /** Deletes a version, except the current one, and frees its text. */
    readonly deleteVersion: (
      id: string,
      version: string,
      condition?: NoteCondition
    ) => Effect.Effect<void, BadRequest | Conflict | NotFound | Stale | Unavailable, Principal>
    /** Erases, in one write, the given notes that were trashed before `before` and still are. Returns their number. */
    readonly purgeTrashed: (
      workspace_id: WorkspaceId,
      ids: ReadonlyArray<string>,
      before: string
    ) => Effect.Effect<number, Unavailable | NotFound>
    readonly syncAdapter: SyncAdapter<NoteChange>
  }
>()("sheaf/notes/Notes") {
  static readonly layer = Layer.effect(
    Notes,
    Effect.gen(function* () {
      const { read } = yield* Database
      const writer = yield* Writer
      const quotas = yield* Quotas
      const cursors = new PageCursors(yield* Secrets)

      /** A write that needs the note. */
      const write =
        (id: string): Write<Draft> =>
        (method) =>
          writer.change(method, [[notes, id]])

      const writeLocked =
        (id: string): Write<LockedDraft> =>
        (method) =>
          writer.changeLocked(method, [[notes, id]])

      const returnedNote = ReturnedNote.make(read)

      const getText = `SELECT ${rowJson("n", liveShape)} AS json, n.version
        FROM notes n WHERE n.workspace_id = $1 AND n.id = $2 AND n.deleted_at IS NULL`

      const get = traced("Notes.get")(function* (id: string) {
        const { workspace_id } = yield* Principal
        const [row] = yield* runSql<NoteJson>(read, getText, [workspace_id, id])
        return row ?? (yield* missing)
      })

      const create = traced("Notes.create")((input: NoteCreate) =>
        returnedNote(writer.change, (draft: Draft) => Edits.create(draft, quotas, input))
      )

      const update = traced("Notes.update")((id: string, input: NoteChange, condition?: NoteCondition) =>
        write(id)((draft) => Edits.update(draft, quotas, id, input, condition))
      )

      const edit = traced("Notes.edit")(
        <E, R>(id: string, change: (current: Note) => Effect.Effect<NoteChange, E, R>) =>
          returnedNote(
            write(id),
            Effect.fnUntracedEager(function* (draft: Draft) {
              const current = yield* Edits.liveNote(draft, id)
              return yield* Edits.update(draft, quotas, id, yield* change(notes.show(current)))
            })
          )
      )

      const remove = traced("Notes.delete")(
        (id: string, { permanent }: { readonly permanent: boolean }, condition?: NoteCondition) =>
          permanent
            ? writeLocked(id)((draft) =>
                Effect.flatMap(Edits.anyNote(draft, id, condition), (row) => {
                  AuditTrail.audit(draft, { action: "note.purged", resource: "note", resource_id: id })
                  return purge(draft, [row])
                })
              )
            : write(id)((draft) => Effect.asVoid(Edits.trash(draft, id, condition)))
      )

      const restore = traced("Notes.restore")(
        (id: string, { notebook_id }: { readonly notebook_id?: string }, condition?: RestoreCondition) =>
          returnedNote(write(id), (draft: Draft) => Edits.restore(draft, quotas, id, notebook_id, condition))
      )

      return Notes.of({
        get,
        create,
        update,
        edit,
        delete: remove,
        duplicate: traced("Notes.duplicate")((id: string, input: NoteChange, condition?: NoteCondition) =>
          returnedNote(
            write(id),
            Effect.fnUntraced(function* (draft: Draft) {
              const source = yield* Edits.liveNote(draft, id, condition)
              const files = yield* Attachments.copies(draft, id)
              const copy = yield* Edits.create(draft, quotas, {
                notebook_id: input.notebook_id ?? source.notebook_id,
                title: input.title ?? copyTitle(source.title),
                body: Attachments.relinked(source.body, files),
                tags: input.tags ?? source.tags,
                pinned: source.pinned
              })
              yield* Attachments.addCopies(draft, quotas, copy.id, files)
              return copy
            })
          )
        ),
        archive: traced("Notes.archive")((id: string, condition?: NoteCondition) =>
          returnedNote(write(id), (draft: Draft) => Edits.update(draft, quotas, id, { archived: true }, condition))
        ),
        restore,
        versions: traced("Notes.versions")(function* (
          id: string,
          query: { readonly limit?: string; readonly cursor?: string },
          bodies: VersionBodies = "with bodies"
        ) {
          const { workspace_id } = yield* Principal
          const page = yield* versionPage(read, cursors, workspace_id, id, query, bodies)
          // An existing note has at least its current version, but a page after a cursor may be empty.
          if (page.items.length === 0) yield* get(id)
          return page
        }),
        version: traced("Notes.version")(function* (id: string, text: string) {
          const { workspace_id } = yield* Principal
          const version = yield* parseVersion(text)
          const found = yield* versionAt(read, workspace_id, id, version)
          return found ?? (yield* NotFound.of("version"))
        }),
        versionState: traced("Notes.versionState")(function* (id: string, version: number) {
          const { workspace_id } = yield* Principal
          const found = yield* stateAt(read, workspace_id, id, version)
          return found ?? (yield* NotFound.of("version"))
        }),
        purgeTrashed: traced("Notes.purgeTrashed")(
          (workspace_id: WorkspaceId, ids: ReadonlyArray<string>, before: string) =>
            writer.writeLocked(
              workspace_id,
              { actor: systemActor, needs: ids.map((id) => [notes, id] as const) },
              (draft) => purgeTrashed(draft, ids, before)
            )
        ),
        deleteVersion: traced("Notes.deleteVersion")(function* (id: string, text: string, condition?: NoteCondition) {
          const version = yield* parseVersion(text)
          yield* writeLocked(id)((draft) => deleteVersion(draft, id, version, condition))
        }),
        restoreVersion: traced("Notes.restoreVersion")(function* (id: string, text: string, condition?: NoteCondition) {
          const version = yield* parseVersion(text)
          // Locked, so that the history in the database is complete.
          return yield* returnedNote(
            writeLocked(id),
            Effect.fnUntraced(function* (draft: LockedDraft) {
              const current = yield* Edits.liveNote(draft, id, condition)
              if (version === current.version) return notes.show(current)
              yield* draft.settle()
              const earlier = yield* versionAt(draft.sql, draft.workspace_id, id, version)
              if (earlier === undefined) return yield* NotFound.of("version")
              return yield* Edits.update(
                draft,
                quotas,
                id,
                { title: earlier.title, body: earlier.body, tags: yield* presentNames(draft, earlier.tags) },
                undefined,
                { restored_from: version }
              )
            })
          )
        }),
        syncAdapter: pushableNotes(read, quotas)
      })
    })
  )
}
