import { Schema } from "effect"
import * as Fields from "../Fields.ts"
import { Note } from "../notes/Note.ts"
import { atMost, bytes, short } from "../Text.ts"

/** The name or id of a tag or notebook to filter by. One that does not exist matches nothing. */
const SearchText = bytes(1_000)

const bound = (description: string) => Schema.optionalKey(Schema.String.annotate({ description }))

const filters = {
  notebook_id: Schema.optionalKey(SearchText.annotate(Fields.aboutId("nb", "Only notes in this notebook."))),
  include_subnotebooks: Schema.optionalKey(
    Schema.Boolean.annotate({
      description: "Whether notebooks inside `notebook_id` are included. Default: true."
    })
  ),
  tags: Schema.optionalKey(
    Schema.Array(SearchText)
      .check(atMost(100))
      .annotate({ description: "Only notes with these tags.", examples: [["work"]] })
  ),
  tags_match: Schema.optionalKey(
    Schema.Literals(["all", "any"]).annotate({
      description: "Whether a note must have `all` of the tags or `any` of them. Default: `all`."
    })
  ),
  created_after: bound("Created at or after this RFC 3339 time or date."),
  created_before: bound("Created at or before this RFC 3339 time, or before this date."),
  updated_after: bound("Changed at or after this RFC 3339 time or date."),
  updated_before: bound("Changed at or before this RFC 3339 time, or before this date."),
  date_from: bound("Another name of `updated_after`."),
  date_to: bound("As `updated_before`, but the day of a date is included."),
  archived: Schema.optionalKey(
    Schema.NullOr(Schema.Boolean).annotate({
      description: "`true`: only archived notes; `false`: without archived notes; `null`: both. Default: `false`."
    })
  )
}

/** The fields of a note by which hits can be sorted. */
export const searchFields = ["updated_at", "created_at", "title", "word_count"] as const

/** The form of `sort`. */
const searchSort = `^(relevance|-?(${searchFields.join("|")}|properties\\..+))$`

/** Maximum number of characters of a query. */
export const maxQuery = 4_096

const query = { description: "The words to search for.", examples: ["meeting"] }

/** Filters are members next to `query`, or of a nested `filters` (contract 8). */
export const SearchRequest = Schema.Struct({
  query: short(maxQuery).annotate(query),
  ...filters,
  filter: Schema.optionalKey(
    bytes(4_096).annotate({
      description:
        "A filter over properties, in the language of lists: its fields are `properties.NAME`. It may match at most 100 000 notes.",
      examples: ['properties.status = "open" AND properties.rating >= 4']
    })
  ),
  filters: Schema.optionalKey(Schema.Struct(filters).annotate({ description: "The same filters in a nested object." })),
  limit: Schema.optionalKey(
    Schema.Int.annotate({ description: "The maximum number of hits in a page. Default: 20.", minimum: 1, maximum: 100 })
  ),
  cursor: Schema.optionalKey(
    Schema.NullOr(
      Schema.String.annotate({ description: "`next_cursor` of the previous page.", maxLength: Fields.cursorLength })
    )
  ),
  sort: Schema.optionalKey(
    Schema.String.annotate({
      description:
        "`relevance` (default), `updated_at`, `created_at`, `title`, `word_count` or a property such as `properties.due`, with `-` before it for descending order. Notes without the property come last.",
      pattern: searchSort,
      examples: ["relevance"]
    })
  ),
  explain: Schema.optionalKey(
    Schema.Boolean.annotate({ description: "Whether each hit lists the terms that it matched." })
  )
}).annotate({ identifier: "SearchRequest" })
export type SearchRequest = typeof SearchRequest.Type

const { body: _, ...noteWithoutBody } = Note.fields

const snippet = Fields.text(
  "The best fragment, as escaped HTML with matches in `<mark>`.",
  "<mark>Meeting</mark> notes"
)

const Match = Schema.Struct({
  start: Fields.count("The start of the match.", 0),
  length: Fields.count("The length of the match.", 7)
})

const Highlight = Schema.Struct({
  field: Schema.Literals(["title", "body", "tags"]).annotate({ description: "The member of the note." }),
  index: Schema.optionalKey(
    Schema.Int.annotate({ description: "The index of the tag, counted from 0; only for tags.", minimum: 0 })
  ),
  snippet,
  matches: Schema.Array(Match).annotate({
    description: "Positions in the raw value of the member, in UTF-16 code units."
  })
})

/** Kinds of matches, the best first. */
export const matchKinds = ["exact", "form", "part", "prefix", "typo"] as const

const MatchedTerm = Schema.Struct({
  term: Fields.text("A term of the note, in lower case and without diacritics.", "meeting"),
  kind: Schema.Literals(matchKinds).annotate({
    description: "How it matches the query; the best kind is listed first."
  }),
  field: Schema.Literals(["title", "tags", "body"]).annotate({ description: "The member that contains it." }),
  weight: Schema.Finite.annotate({
    description: "Its weight: rarer terms weigh more.",
    minimum: 0,
    examples: [2.4]
  })
}).annotate({ identifier: "MatchedTerm" })

export const Hit = Schema.Struct({
  ...noteWithoutBody,
  id: Fields.id("nt", "The note's id."),
  score: Schema.Finite.annotate({
    description: "How well the note matches.",
    minimum: 0,
    maximum: 1,
    examples: [0.87]
  }),
  snippet,
  highlights: Schema.Array(Highlight).annotate({ description: "Where the matches are." }),
  explanation: Schema.optionalKey(
    Schema.Array(MatchedTerm).annotate({ description: "With `explain`: the terms that matched the note." })
  )
}).annotate({ identifier: "SearchHit" })
export type Hit = typeof Hit.Type

export const tookMs = Fields.count("Duration in milliseconds.")

export const SearchResult = Schema.Struct({
  query: Schema.String.annotate(query),
  hits: Schema.Array(Hit).annotate({ description: "The notes found, without their bodies." }),
  total: Fields.count("How many notes match.", 1),
  took_ms: tookMs,
  suggestion: Schema.optionalKey(
    Fields.text(
      "The query of these hits, when the sent query has none: its likeliest correction, or the same with its phrases as words.",
      "meetings"
    )
  ),
  partial: Schema.optionalKey(
    Schema.Boolean.annotate({
      description: "`true`: the index does not have all notes, and only the newest were searched. Absent otherwise."
    })
  ),
  ...Fields.pageEnd
}).annotate({ identifier: "SearchResult" })
export type SearchResult = typeof SearchResult.Type

export const Suggestion = Schema.Struct({
  type: Schema.Literals(["tag", "title", "alias"]).annotate({
    description: "Whether it is a tag, a title, or an alias in the front matter of a note.",
    examples: ["title"]
  }),
  text: Fields.text("The completed tag, title or alias.", "Meeting notes"),
  id: Fields.text("The id of the tag or note.", Fields.exampleId("nt")),
  title: Schema.optionalKey(Fields.text("The title of the note; only for an alias.", "Meeting notes"))
}).annotate({ identifier: "Suggestion" })
export type Suggestion = typeof Suggestion.Type
