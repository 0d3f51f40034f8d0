import { Schema } from "effect"
import * as Fields from "../Fields.ts"

/** Maximum number of notes that are counted for a property. */
export const maxCounted = 10_000

/** The types of values, each with the digit that its keys begin with. */
export const keyDigits = { boolean: 1, number: 2, date: 3, text: 4 } as const

/** A name in the front matter of notes (contract 5, Contents of notes). */
export const NoteProperty = Schema.Struct({
  name: Fields.text("Its name, as the first of its notes writes it: names are equal in any case.", "due"),
  types: Schema.Array(
    Schema.Literals(["boolean", "number", "date", "text"]).annotate({ description: "A type of its values." })
  ).annotate({ description: "The types of its values; none if no note has a value.", examples: [["date"]] }),
  notes: Schema.Int.annotate({
    description: `The number of notes outside the trash that have it. ${maxCounted} means that number or more.`,
    minimum: 1,
    maximum: maxCounted,
    examples: [12]
  })
}).annotate({ identifier: "NoteProperty" })
export type NoteProperty = typeof NoteProperty.Type
