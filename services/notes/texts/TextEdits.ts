import { Context, Data, Effect, Layer, Option, Result } from "effect"
import { type Forbidden, Invalid, type NotFound, type Stale, type Unavailable } from "../../Errors.ts"
import type { Principal } from "../../Principal.ts"
import { traced } from "../../Traced.ts"
import { maxBody, type Note, type NoteChange } from "../Note.ts"
import type { NoteCondition } from "../NoteEdits.ts"
import { Notes } from "../Notes.ts"
import type { EditFault } from "./EditFault.ts"
import type * as NoteEdit from "./NoteEdit.ts"
import type { NoteOutline } from "./NoteOutline.ts"
import { NoteTexts } from "./NoteTexts.ts"
import * as StaleEdit from "./StaleEdit.ts"

type Edit = NoteEdit.NoteEdit

/** Maximum number of characters that all replacements of an edit search. */
const maxSearched = 4_000_000

const tooManyReplacements = Invalid.field(
  "replacements",
  "too_many",
  "are too many for a note of this length: send fewer at a time"
)

/** The problem for a note that would be too large; it names the longest text of the edit. */
const tooLong = ({ append = "", prepend = "", properties, replacements = [], under_heading }: Edit): Invalid => {
  const texts = {
    append,
    prepend,
    "under_heading.text": under_heading?.text ?? "",
    replacements: replacements.map(({ new_text }) => new_text).join(""),
    properties: properties?.set === undefined ? "" : JSON.stringify(properties.set)
  }
  const [field] = Object.entries(texts).reduce((one, other) => (other[1].length > one[1].length ? other : one))
  return Invalid.field(field, "too_long", `would make the note larger than ${maxBody} bytes`)
}

const problemOf = ({ field, lines, message, text }: EditFault, version: number): Invalid =>
  new Invalid({
    code: "validation_failed",
    detail: `Nothing was changed: ${field} ${message}`,
    errors: [
      { field, pointer: `/${field.replaceAll(".", "/")}`, code: lines.length > 1 ? "too_many" : "unknown", message }
    ],
    extra: { current_version: version, found_in_lines: lines, ...(text === undefined ? {} : { text }) }
  })

/** The note has changed since the state that an edit is based on. */
export class Outdated extends Data.TaggedError("Outdated")<{
  readonly stale: Stale
  readonly version: number
  /** The present text. */
  readonly outline: NoteOutline
  /** The line of it that the edit is about, if any. */
  readonly line: number | undefined
}> {}

/** The condition of a write is not met. */
class ConditionFailed extends Data.TaggedError("ConditionFailed")<{ readonly current: Note; readonly stale: Stale }> {}

/** What an edit is based on. */
interface Basis {
  readonly condition: NoteCondition | undefined
  /** The version that was read, if it is known. */
  readonly version: number | undefined
}

/** The text after an edit. */
interface Made {
  readonly of: string
  readonly result: Result.Result<string, EditFault>
}

/** Edits of parts of notes (contract 5). */
export class TextEdits extends Context.Service<
  TextEdits,
  {
    /** Applies all of an edit, with other changes, or nothing. Without a condition it is applied to the present text. */
    readonly edit: (
      id: string,
      edit: Edit,
      basis: Basis,
      others?: NoteChange
    ) => Effect.Effect<Note, Forbidden | Invalid | NotFound | Outdated | Stale | Unavailable, Principal>
  }
>()("sheaf/notes/texts/TextEdits") {
  static readonly layer = Layer.effect(
    TextEdits,
    Effect.gen(function* () {
      const notes = yield* Notes
      const texts = yield* NoteTexts

      const make = Effect.fnUntraced(function* ({ body }: Note, edit: Edit) {
        if ((edit.replacements ?? []).length * body.length > maxSearched) return yield* tooManyReplacements
        return { of: body, result: yield* texts.edit(body, edit) }
      })

      /**
       * Makes the text before the write, so that other writes of the workspace do not wait for it. Undefined if the write
       * will be refused, or was made before and returns its result, also if the note is gone.
       */
      const madeBefore = Effect.fnUntraced(
        function* (id: string, edit: Edit, { condition }: Basis) {
          const current = JSON.parse((yield* notes.get(id)).json) as Note
          yield* condition?.(current, current.version) ?? Effect.void
          return yield* make(current, edit)
        },
        Effect.catchTag(["NotFound", "Stale", "Invalid"], (): Effect.Effect<Made | undefined> => Effect.undefined)
      )

      /** The change of a note that has changed since the text was made is made in the write, and so misses nothing. */
      const changeOf = Effect.fnUntraced(function* (current: Note, edit: Edit, basis: Basis, before: Made | undefined) {
        yield* Effect.mapError(
          basis.condition?.(current, current.version) ?? Effect.void,
          (stale) => new ConditionFailed({ current, stale })
        )
        const { result } = before?.of === current.body ? before : yield* make(current, edit)
        if (Result.isFailure(result)) return yield* problemOf(result.failure, current.version)
        if (Buffer.byteLength(result.success) > maxBody) return yield* tooLong(edit)
        return result.success
      })

      /** Fails with the present state. The version that was read may not exist any more. */
      const outdated = Effect.fnUntraced(function* (
        { current: { body, id, version }, stale }: ConditionFailed,
        edit: Edit,
        basis: Basis
      ) {
        const read =
          basis.version === undefined ? Option.none() : yield* Effect.option(notes.version(id, String(basis.version)))
        const earlier = yield* texts.outline(Option.match(read, { onNone: () => "", onSome: (found) => found.body }))
        const outline = yield* texts.outline(body)
        return yield* new Outdated({ stale, version, outline, line: StaleEdit.lineOf(outline, edit, earlier) })
      })

      const edit = traced("TextEdits.edit")(function* (id: string, edit: Edit, basis: Basis, others: NoteChange = {}) {
        const before = yield* madeBefore(id, edit, basis)
        return yield* notes
          .edit(id, (current) =>
            Effect.map(changeOf(current, edit, basis, before), (body): NoteChange => ({ ...others, body }))
          )
          .pipe(Effect.catchTag("ConditionFailed", (failed) => outdated(failed, edit, basis)))
      })

      return TextEdits.of({ edit })
    })
  ).pipe(Layer.provideMerge(NoteTexts.layer))
}
