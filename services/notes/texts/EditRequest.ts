import { Schema, SchemaTransformation } from "effect"
import { Invalid } from "../../Errors.ts"
import { atMost, bytes, checked, notEmpty, short, whole } from "../../Text.ts"
import { maxBody } from "../Note.ts"
import type { NoteEdit } from "./NoteEdit.ts"

/** The members of an edit of a note, in the API and in the tool `edit_note`. */

/** Maximum bytes of a text in an edit; a note can grow further by more edits. */
const maxText = 200_000
/** Maximum bytes of a text to be replaced and of a value, and maximum numbers in an edit. */
const maxOld = 10_000
const maxReplacements = 20
const maxTasks = 100
const maxProperties = 50

/** The check of a text that must not be empty. */
export const filled = checked("blank", "must not be empty", (text) => text !== "")

/** Programs write a byte order mark before a text, where it is no part of it. */
const unmarked = (text: Schema.Codec<string>): Schema.Codec<string> =>
  text.pipe(
    Schema.decodeTo(
      Schema.String,
      SchemaTransformation.transform({ decode: (text) => text.replace(/^\uFEFF/, ""), encode: (text) => text })
    )
  )

/** A text that an edit adds. */
export const text = (description: string, examples: ReadonlyArray<string> = []) =>
  unmarked(bytes(maxText).annotate({ description, ...(examples.length === 0 ? {} : { examples: [...examples] }) }))
const addedText = (description: string, ...examples: ReadonlyArray<string>) => text(description, examples).check(filled)

const oldText = unmarked(bytes(maxOld).annotate({ description: "Must occur exactly once, with white space." })).check(
  filled
)

/** A line of a text, from 1. */
export const line = whole(1, maxBody + 1)

/** Parts of a text that an edit changes or adds. */
export const textEdits = {
  tasks: Schema.optionalKey(
    Schema.Array(
      Schema.Struct({
        line: line.annotate({ description: "Its line in `version`.", examples: [7] }),
        text: Schema.optionalKey(bytes(maxOld).annotate({ description: "Its text as read.", examples: ["tickets"] })),
        done: Schema.Boolean.annotate({ description: "Ticked?", examples: [true] })
      })
    )
      .check(notEmpty(), atMost(maxTasks))
      .annotate({ description: "Ticks tasks." })
  ),
  replacements: Schema.optionalKey(
    Schema.Array(Schema.Struct({ old_text: oldText, new_text: text("Empty to remove it.") }))
      .check(notEmpty(), atMost(maxReplacements))
      .annotate({ description: "Applied in this order." })
  ),
  under_heading: Schema.optionalKey(
    Schema.Struct({
      heading: bytes(1_000).annotate({
        description: "Such as `Tasks`, `## Tasks` or `Trips / Vienna`.",
        examples: ["Tasks"]
      }),
      text: addedText("Markdown."),
      position: Schema.optionalKey(
        Schema.Literals(["start", "end"]).annotate({ description: "`end` by default.", examples: ["end"] })
      )
    }).annotate({ description: "Adds a text to a section." })
  ),
  prepend: Schema.optionalKey(addedText("A text for the start, after front matter.")),
  append: Schema.optionalKey(addedText("A text for the end, as a block of its own.", "- [ ] tickets"))
}

const propertyName = short(100).check(
  checked("invalid", "must be a name on one line", (name) => /^\S(?:[^\r\n]*\S)?$/.test(name) && name !== "__proto__")
)
const scalar = Schema.Union([bytes(maxOld), Schema.Finite, Schema.Boolean])

/** Properties of the front matter. */
export const propertyEdits = {
  set: Schema.optionalKey(
    Schema.Record(propertyName, Schema.Union([scalar, Schema.Array(scalar).check(atMost(100))]))
      .check(
        Schema.makeFilter((properties) => Object.keys(properties).length <= maxProperties, {
          message: `must have at most ${maxProperties} properties`,
          issueCode: "too_many",
          toJsonSchema: () => ({ maxProperties })
        })
      )
      .annotate({
        description: "Text, number, boolean or list, by name.",
        examples: [{ status: "done", rating: 5 }]
      })
  ),
  remove: Schema.optionalKey(
    Schema.Array(propertyName)
      .check(atMost(maxProperties))
      .annotate({ description: "Names.", examples: [["draft"]] })
  )
}

/** The body of an edit (contract 5). */
export const NoteEdits = Schema.Struct({
  version: Schema.optionalKey(
    whole(1, 2_147_483_647).annotate({
      description:
        "The version that was read. If it is not the current one: 412. Required with `tasks` and `replacements`, unless `If-Match` names it.",
      examples: [3]
    })
  ),
  ...textEdits,
  properties: Schema.optionalKey(
    Schema.Struct(propertyEdits).annotate({ description: "Changes properties of the front matter (YAML)." })
  )
}).annotate({ identifier: "NoteEdits" })
export type NoteEdits = typeof NoteEdits.Type

/** Whether the meaning of an edit depends on the text that was read. */
export const needsVersion = ({ replacements, tasks }: NoteEdit): boolean =>
  replacements !== undefined || tasks !== undefined

/** The problem of a part of an edit that would change nothing. */
export const emptyPart = ({ properties, replacements }: NoteEdit): Invalid | undefined => {
  if (properties !== undefined && Object.values(properties).every((part) => Object.keys(part).length === 0)) {
    return Invalid.field("properties", "required", "must name at least one")
  }
  const same = replacements?.findIndex(({ new_text, old_text }) => new_text === old_text) ?? -1
  return same < 0 ? undefined : Invalid.field(`replacements.${same}.new_text`, "invalid", "must differ from old_text")
}

/** The problem of an edit without any part. */
export const noPart = new Invalid({
  code: "validation_failed",
  detail: "Send at least one of tasks, replacements, under_heading, prepend, append and properties"
})
