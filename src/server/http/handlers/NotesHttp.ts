import { Effect } from "effect"
import { NoteActivities } from "../../../../services/activity/NoteActivities.ts"
import { NoteLists } from "../../../../services/contents/NoteLists.ts"
import { Renames } from "../../../../services/contents/Renames.ts"
import { BadRequest, Invalid } from "../../../../services/Errors.ts"
import type { Note } from "../../../../services/notes/Note.ts"
import { Notes } from "../../../../services/notes/Notes.ts"
import { emptyPart, needsVersion, type NoteEdits, noPart } from "../../../../services/notes/texts/EditRequest.ts"
import { refusalOf } from "../../../../services/notes/texts/StaleEdit.ts"
import { TextEdits } from "../../../../services/notes/texts/TextEdits.ts"
import { RenderedNotes } from "../../../../services/notes/RenderedNotes.ts"
import * as Handlers from "./Handlers.ts"
import * as Respond from "../responses/Respond.ts"

const noteResponse = (status: number) => (note: Note) =>
  Respond.note(note.id, note.version, JSON.stringify(note), status)

/** `true` or `false` in a query. */
const flag = (name: string, text: string | undefined) =>
  text === undefined || text === "false"
    ? Effect.succeed(false)
    : text === "true" || text === ""
      ? Effect.succeed(true)
      : Effect.fail(new BadRequest({ code: "invalid_parameter", detail: `${name} must be true or false` }))

const versionRequired = Invalid.field(
  "version",
  "required",
  "is required with tasks and replacements: send the version that you read, or If-Match"
)

/** The problem of an edit that cannot be applied to any text. */
const faultOf = (edit: Omit<NoteEdits, "version">, version: number | undefined): Invalid | undefined =>
  Object.keys(edit).length === 0
    ? noPart
    : needsVersion(edit) && version === undefined
      ? versionRequired
      : emptyPart(edit)

const services = {
  activity: NoteActivities,
  edits: TextEdits,
  lists: NoteLists,
  notes: Notes,
  renames: Renames,
  rendered: RenderedNotes
}

export const NotesHttp = Handlers.group("notes", services, ({ activity, edits, lists, notes, renames, rendered }) => ({
  list: ({ query }) => Effect.flatMap(lists.notes(query), Respond.page),
  summaries: ({ query }) => Effect.flatMap(lists.summaries(query), Respond.page),
  linked: ({ query }) =>
    Effect.flatMap(rendered.linked(query.target, query.notebook_id), (found) => Respond.resource(found)),
  create: ({ payload }) => Effect.flatMap(notes.create(payload), noteResponse(201)),
  get: ({ params }) =>
    Effect.flatMap(notes.get(params.id), ({ json, version }) => Respond.note(params.id, version, json)),
  rendered: ({ params }) => Effect.flatMap(rendered.get(params.id), ({ note, state }) => Respond.made(state, note)),
  update: Effect.fnUntraced(function* ({ params, payload }) {
    const { links, version, ...change } = payload
    const condition = yield* Respond.noteCondition(version)
    if (links === undefined) return yield* noteResponse(200)(yield* notes.update(params.id, change, condition))
    const { note, ...more } = yield* renames.update(params.id, change, condition, links)
    return yield* Respond.note(note.id, note.version, JSON.stringify({ ...note, ...more }))
  }),
  edit: Effect.fnUntraced(function* ({ params, payload }) {
    const { version: sent, ...edit } = payload
    const condition = yield* Respond.noteCondition(sent)
    const version = yield* Respond.versionRead(sent)
    const fault = faultOf(edit, version)
    if (fault !== undefined) return yield* fault
    const note = yield* edits
      .edit(params.id, edit, { condition, version })
      .pipe(Effect.catchTag("Outdated", ({ line, outline, stale }) => Effect.fail(refusalOf(stale, outline, line))))
    return yield* noteResponse(200)(note)
  }),
  delete: Effect.fnUntraced(function* ({ params, query }) {
    const permanent = yield* flag("permanent", query.permanent)
    yield* notes.delete(params.id, { permanent }, yield* Respond.noteCondition())
    return Respond.deleted(params.id)
  }),
  duplicate: Effect.fnUntraced(function* ({ params, payload }) {
    const condition = yield* Respond.noteCondition(payload?.version)
    return yield* noteResponse(200)(yield* notes.duplicate(params.id, payload ?? {}, condition))
  }),
  archive: Effect.fnUntraced(function* ({ params, payload }) {
    const condition = yield* Respond.noteCondition(payload?.version)
    return yield* noteResponse(200)(yield* notes.archive(params.id, condition))
  }),
  restore: Effect.fnUntraced(function* ({ params, payload }) {
    const condition = yield* Respond.noteCondition(payload?.version)
    return yield* noteResponse(200)(yield* notes.restore(params.id, payload ?? {}, condition))
  }),
  activity: ({ params, query }) => Effect.flatMap(activity.list(params.id, query), Respond.page),
  versions: ({ params, query }) => Effect.flatMap(notes.versions(params.id, query), Respond.page),
  version: ({ params }) =>
    Effect.flatMap(notes.version(params.id, params.version), (found) =>
      Respond.note(params.id, found.version, JSON.stringify(found))
    ),
  deleteVersion: Effect.fnUntraced(function* ({ params }) {
    yield* notes.deleteVersion(params.id, params.version, yield* Respond.noteCondition())
    return Respond.value({ deleted: true, id: params.id, version: Number(params.version) })
  }),
  restoreVersion: Effect.fnUntraced(function* ({ params, payload }) {
    const condition = yield* Respond.noteCondition(payload?.version)
    return yield* noteResponse(200)(yield* notes.restoreVersion(params.id, params.version, condition))
  })
}))
