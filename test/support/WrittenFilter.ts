import fc from "fast-check"

/** A note as the API returns it. */
export interface NoteShown {
  readonly id: string
  readonly notebook_id: string
  readonly title: string
  readonly body: string
  readonly tags: ReadonlyArray<string>
  readonly pinned: boolean
  readonly archived: boolean
  readonly version: number
  readonly word_count: number
  readonly created_at: string
  readonly updated_at: string
}

/** A filter as a client writes it, with its meaning in plain JavaScript. */
export interface Written {
  readonly text: string
  readonly holds: (note: NoteShown) => boolean
  readonly mentionsArchived: boolean
}

const of = (text: string, holds: Written["holds"], mentionsArchived = false): Written => ({
  text,
  holds,
  mentionsArchived
})

const escaped = (text: string) => text.replaceAll(/[\\"*]/g, "\\$&")
const quoted = (text: string, start = false, end = false) => `"${start ? "*" : ""}${escaped(text)}${end ? "*" : ""}"`

/** Converts letter by letter, as PostgreSQL does; JavaScript converts a sigma at the end of a word differently. */
const lower = (text: string) => [...text].map((letter) => letter.toLowerCase()).join("")
const fold = (text: string) => text.normalize("NFC").toLowerCase()

const reading = new Intl.Collator("en", { numeric: true })

/** Compares text in reading order, then by bytes. */
const asRead = (one: string, other: string): number =>
  reading.compare(one, other) || Buffer.compare(Buffer.from(one), Buffer.from(other))

const compared: Readonly<Record<string, (order: number) => boolean>> = {
  "=": (order) => order === 0,
  "!=": (order) => order !== 0,
  "<": (order) => order < 0,
  "<=": (order) => order <= 0,
  ">": (order) => order > 0,
  ">=": (order) => order >= 0
}
const operator = fc.constantFrom(...Object.keys(compared))
const space = fc.constantFrom("", " ", "  ")

const part = (text: string): fc.Arbitrary<string> =>
  fc
    .tuple(fc.nat(text.length), fc.nat(text.length))
    .map(([from, to]) => text.slice(Math.min(from, to), Math.max(from, to)))

/** Parts of a text that exists, and text that does not exist. */
const like = (text: string) =>
  fc.oneof(part(text), fc.constant(text), fc.constantFrom("a", "A", "%", "_", "é", "\\", "q", "ß*"))

const matches = (pattern: { text: string; start: boolean; end: boolean }, text: string): boolean =>
  pattern.start && pattern.end
    ? text.includes(pattern.text)
    : pattern.start
      ? text.endsWith(pattern.text)
      : pattern.end
        ? text.startsWith(pattern.text)
        : text === pattern.text

const pattern = (text: string) => fc.record({ text: like(text), start: fc.boolean(), end: fc.boolean() })

const texts = (note: NoteShown): fc.Arbitrary<Written> =>
  fc.constantFrom("title" as const, "body" as const).chain((field) => {
    const value = note[field]
    return fc.oneof(
      fc
        .tuple(pattern(value), fc.boolean(), space)
        .map(([each, isEqual, gap]) =>
          of(
            `${field}${gap}${isEqual ? "=" : "!="}${gap}${quoted(each.text, each.start, each.end)}`,
            (row) => matches(each, row[field]) === isEqual
          )
        ),
      fc
        .tuple(like(value), fc.constantFrom("<", "<=", ">", ">="))
        .map(([text, comparison]) =>
          of(`${field} ${comparison} ${quoted(text)}`, (row) => compared[comparison]!(asRead(row[field], text)))
        ),
      like(value).map((text) => of(`${field}:${quoted(text)}`, (row) => lower(row[field]).includes(lower(text)))),
      fc
        .array(pattern(value), { minLength: 1, maxLength: 4 })
        .map((all) =>
          of(`${field} IN (${all.map((each) => quoted(each.text, each.start, each.end)).join(", ")})`, (row) =>
            all.some((each) => matches(each, row[field]))
          )
        ),
      fc.constant(of(`${field}:*`, (row) => row[field] !== ""))
    )
  })

const numbers = (note: NoteShown): fc.Arbitrary<Written> =>
  fc
    .tuple(fc.constantFrom("version" as const, "word_count" as const), fc.integer({ min: -2, max: 2 }), operator)
    .map(([field, off, comparison]) => {
      const value = note[field] + off
      return of(`${field} ${comparison} ${value}`, (row) => compared[comparison]!(row[field] - value))
    })

const flags: fc.Arbitrary<Written> = fc
  .tuple(fc.constantFrom("pinned" as const, "archived" as const), fc.constantFrom("=", "!=", ":"), fc.boolean())
  .map(([field, comparison, value]) =>
    of(`${field}${comparison}${value}`, (row) => (row[field] === value) === (comparison !== "!="), field === "archived")
  )

const times = (note: NoteShown): fc.Arbitrary<Written> =>
  fc
    .tuple(
      fc.constantFrom("created_at" as const, "updated_at" as const),
      operator,
      fc.integer({ min: -1, max: 1 }),
      fc.boolean()
    )
    .map(([field, comparison, off, isDate]) => {
      const moment = new Date(Date.parse(note[field]) + off * (isDate ? 86_400_000 : 1))
      if (!isDate) {
        return of(`${field} ${comparison} ${moment.toISOString()}`, (row) =>
          compared[comparison]!(Date.parse(row[field]) - moment.getTime())
        )
      }
      const day = moment.toISOString().slice(0, 10)
      return of(`${field} ${comparison} ${day}`, (row) =>
        compared[comparison]!(row[field].slice(0, 10) < day ? -1 : row[field].slice(0, 10) > day ? 1 : 0)
      )
    })

const tagged = (note: NoteShown): fc.Arbitrary<Written> =>
  fc.oneof(
    fc
      .tuple(fc.constantFrom(...note.tags, "work", "ÉTÉ", "a", "none"), fc.constantFrom("=", ":", "!="))
      .map(([name, comparison]) =>
        of(
          `tags${comparison}${quoted(name)}`,
          (row) => row.tags.some((tag) => fold(tag) === fold(name)) === (comparison !== "!=")
        )
      ),
    fc
      .constantFrom("w", "A", "É", "1")
      .map((prefix) => of(`tags = ${prefix}*`, (row) => row.tags.some((tag) => fold(tag).startsWith(fold(prefix))))),
    fc.constant(of('tags IN (work, "100%")', (row) => row.tags.some((tag) => ["work", "100%"].includes(fold(tag))))),
    fc.constant(of("tags:*", (row) => row.tags.length > 0))
  )

const ids = (note: NoteShown): fc.Arbitrary<Written> =>
  fc.constantFrom<Written>(
    of(`id = ${note.id}`, (row) => row.id === note.id),
    of(`notebook_id = ${note.notebook_id}`, (row) => row.notebook_id === note.notebook_id),
    of(`notebook_id != ${note.notebook_id}`, (row) => row.notebook_id !== note.notebook_id),
    of(`id IN (${note.id}, nt_x)`, (row) => row.id === note.id)
  )

const words = (note: NoteShown): fc.Arbitrary<Written> =>
  like(note.title)
    .filter((text) => text !== "")
    .map((text) =>
      of(quoted(text), ({ body, title }) => [title, body].some((each) => lower(each).includes(lower(text))))
    )

/** The depth of parentheses or more, because those in quotes count too. */
const depthOf = (text: string): number => {
  let [depth, deepest] = [0, 0]
  for (const letter of text) {
    if (letter === "(") deepest = Math.max(deepest, ++depth)
    if (letter === ")") depth--
  }
  return deepest
}

/** Random filters that refer to the values of a note. */
export const writtenFilter = (note: NoteShown): fc.Arbitrary<Written> => {
  const leaf = fc.oneof(texts(note), numbers(note), flags, times(note), tagged(note), ids(note), words(note))
  return fc
    .letrec<{ filter: Written; term: Written }>((tie) => ({
      filter: fc.oneof(
        { depthSize: "small" },
        tie("term"),
        fc
          .tuple(fc.array(tie("term"), { minLength: 2, maxLength: 3 }), fc.constantFrom(" ", " AND ", " OR "))
          .map(([all, by]) => ({
            text: all.map(({ text }) => text).join(by),
            holds: (row: NoteShown) =>
              by === " OR " ? all.some((each) => each.holds(row)) : all.every((each) => each.holds(row)),
            mentionsArchived: all.some((each) => each.mentionsArchived)
          }))
      ),
      term: fc.oneof(
        { depthSize: "small" },
        leaf,
        tie("filter").map((each) => ({ ...each, text: `(${each.text})` })),
        fc.tuple(tie("filter"), fc.constantFrom("NOT ", "-")).map(([each, sign]) => ({
          ...each,
          text: `${sign}(${each.text})`,
          holds: (row: NoteShown) => !each.holds(row)
        }))
      )
    }))
    .filter.filter(({ text }) => text.length < 800 && depthOf(text) <= 10)
}
