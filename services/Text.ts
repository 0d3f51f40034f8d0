import { Schema, SchemaAST, SchemaIssue, SchemaTransformation } from "effect"
import { isDay } from "./CalendarDate.ts"
import { type FieldCode, FieldIssue, Invalid } from "./Errors.ts"

declare module "effect/Schema" {
  namespace Annotations {
    interface Augment {
      /** `code` of the entry in `errors[]` when this check fails. */
      readonly issueCode?: FieldCode | undefined
    }
  }
}

export const codePoints = (text: string): number => {
  let count = 0
  for (const _ of text) count++
  return count
}

const check = (
  issueCode: FieldCode,
  message: string,
  test: (text: string) => boolean,
  jsonSchema: Record<string, unknown> = {}
) => Schema.makeFilter<string>((text) => test(text), { message, issueCode, toJsonSchema: () => jsonSchema })

/** At most `max` code points. Must be the first check: later checks, which cost more on longer texts, then do not run. */
export const characters = (max: number) =>
  check(
    "too_long",
    `must be at most ${max} characters`,
    // A code point has at most two code units.
    (text) => text.length <= max || (text.length <= 2 * max && codePoints(text) <= max),
    { maxLength: max }
  ).abort()

/** PostgreSQL cannot store NUL or lone surrogates, and other clients could not show them. */
const storable = check(
  "invalid_characters",
  "must not contain NUL or lone surrogates",
  (text) => text.isWellFormed() && !text.includes("\0")
)

/** Any text that can be stored. */
export const Text = Schema.String.check(storable)

/** Text of at most `max` code points. */
export const short = (max: number) => Schema.String.check(characters(max), storable)

const isBlank = (letter: string): boolean => /[\s\p{White_Space}]/u.test(letter)

/** Returns the text without the white space around it, of any script. */
export const trimmed = (text: string): string => {
  let from = 0
  let to = text.length
  while (from < to && isBlank(text[from]!)) from++
  while (from < to && isBlank(text[to - 1]!)) to--
  return text.slice(from, to)
}

/** One or more lines of text, not blank, at most `max` Unicode code points. */
export const notBlank = (max: number) =>
  short(max).check(check("blank", "must not be blank", (text) => trimmed(text).length > 0, { minLength: 1 }))

const lineBreaks = /\r\n|[\t\n\v\f\r\u0085\u2028\u2029]/g

/** Returns the text on one line: each line break or tab becomes a space. */
export const oneLine = (text: string): string => text.replace(lineBreaks, " ")

/** Decodes a text to one line. */
export const onOneLine = (text: Schema.Codec<string>): Schema.Codec<string> =>
  text.pipe(Schema.decodeTo(Schema.String, SchemaTransformation.transform({ decode: oneLine, encode: oneLine })))

/** A title or name: text of at most `max` code points, decoded to one line. */
export const singleLine = (max: number, about: Schema.Annotations.Bottom<string, readonly []> = {}) =>
  notBlank(max).annotate(about).pipe(onOneLine)

/** Markdown of at most `max` bytes in UTF-8. */
export const bytes = (max: number) =>
  Text.check(
    check(
      "too_long",
      `must be at most ${max} bytes`,
      (text) => text.length * 3 <= max || Buffer.byteLength(text) <= max,
      { maxLength: max }
    ).abort()
  )

/** A check on text with a given code and message. */
export const checked = check

/** A list of at most `max` items. */
export const atMost = <A>(max: number) =>
  Schema.makeFilter<ReadonlyArray<A>>((items) => items.length <= max, {
    message: `must have at most ${max} items`,
    issueCode: "too_many",
    toJsonSchema: () => ({ maxItems: max })
  })

/** At least one item. */
export const notEmpty = <A>() =>
  Schema.makeFilter<ReadonlyArray<A>>((items) => items.length > 0, {
    message: "must name at least one",
    issueCode: "required",
    toJsonSchema: () => ({ minItems: 1 })
  })

/** One of a few names. */
export const oneOf = <const A extends string>(values: ReadonlyArray<A>, issueCode: FieldCode) =>
  Schema.String.pipe(
    Schema.refine((text): text is A => values.some((value) => value === text), {
      message: `must be one of: ${values.join(", ")}`,
      issueCode,
      toJsonSchema: () => ({ enum: [...values] })
    })
  )

/** A whole number in a range. */
export const whole = (min: number, max: number) => {
  const options = { message: `must be a whole number from ${min} to ${max}`, issueCode: "out_of_range" as const }
  return Schema.Number.check(
    Schema.isInt(options),
    Schema.makeFilter<number>((number) => number >= min && number <= max, {
      ...options,
      toJsonSchema: () => ({ minimum: min, maximum: max })
    })
  )
}

/** A member that only the server sets: a body may contain any value, which is not used. */
export const Ignored = Schema.declare((_: unknown): _ is unknown => true, {
  description: "Accepted and not used.",
  toCodecJson: () => undefined
})

/** The last moment of the year 9999: a later year has more than four digits, and its text would not sort correctly. */
const lastMoment = Date.parse("9999-12-31T23:59:59.999Z")
const firstMoment = Date.parse("0000-01-01T00:00:00Z")

/** Maximum number of characters of a timestamp: fractions of a second may have any number of digits. */
const longestMoment = 64

const moment = /^(\d{4})-(\d\d)-(\d\d)[Tt ]([01]\d|2[0-3]):\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/

const isMoment = (text: string): boolean => {
  if (text.length > longestMoment) return false
  const match = moment.exec(text)
  const at = Date.parse(text)
  return match !== null && isDay(+match[1]!, +match[2]!, +match[3]!) && at >= firstMoment && at <= lastMoment
}

const normalMoment = (text: string): string => new Date(text).toISOString()

/** A time in a request: RFC 3339 with any offset, decoded to the stored form, UTC with milliseconds. */
export const timestamp = (about: Schema.Annotations.Bottom<string, readonly []> = {}) =>
  Schema.String.check(check("invalid_timestamp", "must be an RFC 3339 timestamp", isMoment, { format: "date-time" }))
    .annotate(about)
    .pipe(
      Schema.decodeTo(Schema.String, SchemaTransformation.transform({ decode: normalMoment, encode: normalMoment }))
    )
export const Timestamp = timestamp()

/** Describes a colour in responses and requests. */
export const aboutColor = {
  description: "A color as `#rgb` or `#rrggbb`; stored with six lower-case digits.",
  examples: ["#1a2b3c"]
}

export const normalColor = (color: string): string => {
  const digits = color.slice(1).toLowerCase()
  return `#${digits.length === 3 ? [...digits].map((digit) => digit + digit).join("") : digits}`
}

/** A colour: `#rgb` or `#rrggbb`, decoded to six lower-case digits. */
export const Color = Schema.String.check(
  check("invalid_color", "must be a colour such as #1a2b3c", (text) => /^#([0-9a-f]{3}|[0-9a-f]{6})$/i.test(text), {
    pattern: "^#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$"
  })
)
  .annotate(aboutColor)
  .pipe(Schema.decodeTo(Schema.String, SchemaTransformation.transform({ decode: normalColor, encode: normalColor })))

const typeNames: Record<string, string> = {
  String: "a string",
  Boolean: "true or false",
  Number: "a number",
  Arrays: "an array",
  Objects: "an object",
  Null: "null"
}

/** The values of a union of literals, as JSON; undefined for any other schema. */
const literalsOf = (ast: SchemaAST.AST): ReadonlyArray<string> | undefined => {
  if (SchemaAST.isUnion(ast)) {
    const lists = ast.types.map(literalsOf)
    return lists.every((list) => list !== undefined) ? lists.flat() : undefined
  }
  if (SchemaAST.isUndefined(ast)) return []
  if (SchemaAST.isNull(ast)) return ["null"]
  return SchemaAST.isLiteral(ast) ? [String(ast.literal)] : undefined
}

const named = (ast: { readonly _tag: string; readonly types?: ReadonlyArray<{ readonly _tag: string }> }): string => {
  if (ast.types === undefined) return typeNames[ast._tag] ?? "of another type"
  const names = ast.types
    .map((type) => type._tag)
    .filter((tag) => tag !== "Undefined")
    .map((tag) => typeNames[tag])
  return [...new Set(names)].filter((name) => name !== undefined).join(" or ") || "of another type"
}

const escapePointer = (segment: string): string => segment.replaceAll("~", "~0").replaceAll("/", "~1")

/** Maximum number of errors in one response: a body can have a million wrong fields. */
export const maxIssues = 100

/** Maximum number of characters of a request's text that a problem repeats. */
const maxRepeated = 100

/** Returns a text of the request, shortened for use in a problem. */
export const repeated = (text: string): string =>
  text.length <= maxRepeated ? text : `${text.slice(0, maxRepeated).toWellFormed()}…`

/** An error at a path into the body. */
export const issueAt = (path: ReadonlyArray<PropertyKey>, code: FieldCode, message: string): FieldIssue => {
  const names = path.map((segment) => repeated(String(segment)))
  return { field: names.join("."), pointer: names.map((name) => `/${escapePointer(name)}`).join(""), code, message }
}

/** Returns the errors that a schema found, in the terms of the contract: one entry for each wrong field. */
const issuesOf = (issue: SchemaIssue.Issue, path: ReadonlyArray<PropertyKey> = []): Array<FieldIssue> => {
  const leaf = (code: FieldCode, message: string): Array<FieldIssue> => [issueAt(path, code, message)]
  switch (issue._tag) {
    case "Pointer":
      return issuesOf(issue.issue, [...path, ...issue.path])
    case "Composite":
      return issue.issues
        .slice(0, maxIssues)
        .flatMap((each) => issuesOf(each, path))
        .slice(0, maxIssues)
    case "Encoding":
      return issuesOf(issue.issue, path)
    case "Filter": {
      const annotations = issue.filter.annotations
      return leaf(annotations?.issueCode ?? "invalid", String(annotations?.message ?? "is not valid"))
    }
    case "MissingKey":
      return leaf("required", "is required")
    case "UnexpectedKey":
      return leaf("unknown_field", "is not a known field")
    case "InvalidType":
      return leaf("invalid_type", `must be ${named(issue.ast)}`)
    case "AnyOf": {
      // The union member that matched furthest has the best message: a wrong element, not "none of these".
      const deeper = issue.issues.filter((each) => each._tag !== "InvalidType")
      if (deeper.length === 1) return issuesOf(deeper[0]!, path)
      const literals = literalsOf(issue.ast)
      if (literals !== undefined) return leaf("invalid", `must be one of: ${literals.join(", ")}`)
      return leaf("invalid_type", `must be ${named(issue.ast)}`)
    }
    default:
      return leaf("invalid", "is not valid")
  }
}

export const invalidFrom = (issue: SchemaIssue.Issue): Invalid => {
  const errors = issuesOf(issue)
  const [first] = errors
  return new Invalid({
    code: "validation_failed",
    detail:
      first === undefined || first.field === ""
        ? `The body ${first?.message ?? "is not valid"}`
        : `${first.field} ${first.message}`,
    errors
  })
}
