import { Context, Effect, Layer } from "effect"
import { type Condition, type Forbidden, Invalid, type NotFound, type Stale, type Unavailable } from "../../Errors.ts"
import { Accounts } from "../../identity/Accounts.ts"
import { readsOf, type RecordService } from "../../lists/RecordService.ts"
import { Principal } from "../../Principal.ts"
import { Database } from "../../database/Database.ts"
import type { Draft } from "../../writer/Draft.ts"
import { type OwnId, syncAdapter } from "../../records/SyncAdapter.ts"
import * as Records from "../../records/Records.ts"
import { replayed, type Write } from "../../writer/ReplayedResult.ts"
import { Writer } from "../../writer/Writer.ts"
import { codePoints } from "../../Text.ts"
import { traced } from "../../Traced.ts"
import { Quotas } from "../../workspaces/Quotas.ts"
import { workspaces } from "../../workspaces/WorkspaceTables.ts"
import { maxBody, maxTitle } from "../Note.ts"
import { inbox } from "../notebooks/Inbox.ts"
import { notebooks } from "../notebooks/Notebook.ts"
import * as Edits from "../NoteEdits.ts"
import * as ReturnedNote from "../ReturnedNote.ts"
import {
  type AppliedTemplate,
  type Template,
  type TemplateApply,
  TemplateCreate,
  templateList,
  templates,
  TemplateUpdate,
  tooManyPlaceholders
} from "./Template.ts"
import { dateLocale, isWithinLimits, render, type TemplateContext } from "./TemplateText.ts"

/** A body is too large for the log: only the table contains it, in its newest state. */
const records = Records.of({ type: "template", table: templates, isLogged: false })

const bytesOf = (body: string): number => Buffer.byteLength(body)

export const createRow = Effect.fnUntracedEager(function* (
  draft: Draft,
  quotas: Quotas["Service"],
  { body = "", name }: TemplateCreate,
  own: OwnId = { id: draft.newId("tp"), revision: 1 },
  {
    created_at = draft.now,
    updated_at = draft.now
  }: { readonly created_at?: string; readonly updated_at?: string } = {}
) {
  yield* quotas.take(draft, "templates", 1)
  yield* quotas.take(draft, "text_bytes", bytesOf(body))
  return records.put(draft, { ...own, name, body, created_at, updated_at }, "template.created")
})

const tooLong = (field: string, limit: string) =>
  Invalid.field(field, "too_long", `is longer than ${limit} after its variables are inserted`)

type WriteError = Forbidden | Invalid | NotFound | Unavailable

/** Texts with variables, from which notes are created (contract 5). */
export class Templates extends Context.Service<
  Templates,
  RecordService<Template, TemplateCreate, TemplateUpdate, Forbidden> & {
    /** Creates a note from a template. */
    readonly apply: (
      id: string,
      input: TemplateApply,
      condition?: Condition<Template>
    ) => Effect.Effect<AppliedTemplate, WriteError | Stale, Principal>
  }
>()("sheaf/notes/templates/Templates") {
  static readonly layer = Layer.effect(
    Templates,
    Effect.gen(function* () {
      const reads = yield* readsOf<Template>("Templates", templateList, records.missing)
      const writer = yield* Writer
      const quotas = yield* Quotas
      const accounts = yield* Accounts
      const returnedNote = ReturnedNote.make((yield* Database).read)

      const create = traced("Templates.create")((input: TemplateCreate) =>
        replayed({
          write: writer.change,
          method: (draft: Draft) => createRow(draft, quotas, input),
          // A repeated request contains the same body.
          kept: (template) => ({ ...template, body: "" }),
          again: (kept) => Effect.succeed({ ...kept, body: input.body ?? "" })
        })
      )

      const change = Effect.fnUntracedEager(function* (
        draft: Draft,
        id: string,
        input: TemplateUpdate,
        condition?: Condition<Template>
      ) {
        const row = yield* records.get(draft, id, condition)
        const { body = row.body, name = row.name } = input
        if (body === row.body && name === row.name) return templates.show(row)
        yield* quotas.take(draft, "text_bytes", bytesOf(body) - bytesOf(row.body))
        const next = { ...row, body, name, revision: draft.revisionAfter(row.revision), updated_at: draft.now }
        return records.put(draft, next, "template.updated")
      })
      const update = traced("Templates.update")((id: string, input: TemplateUpdate, condition?: Condition<Template>) =>
        writer.change((draft) => change(draft, id, input, condition), [[templates, id]])
      )

      const removeRow = Effect.fnUntracedEager(function* (draft: Draft, id: string, condition?: Condition<Template>) {
        const row = yield* records.get(draft, id, condition)
        draft.count("text_bytes", -bytesOf(row.body))
        records.remove(draft, row, "template.deleted")
      })
      const remove = traced("Templates.delete")((id: string, condition?: Condition<Template>) =>
        writer.change((draft) => removeRow(draft, id, condition), [[templates, id]])
      )

      const apply = traced("Templates.apply")(function* (
        id: string,
        { name, notebook_id, tags, title = name, variables = {} }: TemplateApply,
        condition?: Condition<Template>
      ) {
        const user = yield* accounts.get
        const locale = yield* dateLocale(user.locale)
        const write: Write<Draft> = (method) => writer.change(method, [[templates, id]])
        return yield* returnedNote(
          write,
          Effect.fnUntracedEager(function* (draft: Draft) {
            const template = yield* records.get(draft, id, condition)
            const workspace = yield* draft.get(workspaces)
            const notebook =
              notebook_id === undefined ? yield* inbox(draft, quotas) : yield* draft.get(notebooks, notebook_id)
            if (notebook === undefined) {
              return yield* Invalid.field("notebook_id", "unknown", "names no notebook", "unresolved_reference")
            }
            const context = (title: string): TemplateContext => ({
              millis: draft.millis,
              timezone: user.timezone,
              locale,
              uuid: draft.randomness.uuid,
              texts: {
                title,
                "user.name": user.name,
                "user.email": user.email,
                "notebook.name": notebook.name,
                "workspace.name": workspace!.name
              }
            })
            // The template may have been stored before there were limits.
            if (!isWithinLimits(template.body)) {
              return yield* Invalid.field("body", "too_many", tooManyPlaceholders)
            }
            // The name of a template is often the title of its notes: "Journal {{date}}".
            const wanted = title ?? (yield* render(template.name, variables, context(template.name), maxBody))?.text
            if (wanted === undefined || codePoints(wanted) > maxTitle)
              return yield* tooLong("title", `${maxTitle} characters`)
            if (wanted.trim() === "") return yield* Invalid.field("title", "blank", "must not be blank")
            const rendered = yield* render(template.body, variables, context(wanted), maxBody)
            if (rendered === undefined) return yield* tooLong("body", `${maxBody} bytes`)
            const note = yield* Edits.create(draft, quotas, {
              notebook_id: notebook.id,
              title: wanted,
              body: rendered.text,
              ...(tags === undefined ? {} : { tags })
            })
            draft.append({
              type: "template.applied",
              resource: "template",
              resource_id: id,
              data: { note_id: note.id }
            })
            return { ...note, unresolved_variables: rendered.unresolved }
          })
        )
      })

      return Templates.of({
        ...reads,
        create,
        update,
        delete: remove,
        apply,
        syncAdapter: syncAdapter(records, {
          Create: TemplateCreate,
          Update: TemplateUpdate,
          create: (draft, input, own) => createRow(draft, quotas, input, own),
          update: change,
          delete: removeRow
        })
      })
    })
  )
}
