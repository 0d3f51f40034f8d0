import { Schema } from "effect"
import * as Fields from "../Fields.ts"
import { Note } from "../notes/Note.ts"
import { atMost, bytes, Text } from "../Text.ts"

/** Names that no tag can have match nothing; they are told apart only up to a length. */
const TagFilter = bytes(1_000)

const bound = (description: string) => Schema.optionalKey(Schema.String.annotate({ description }))

const filters = {
  notebook_id: Schema.optionalKey(Text.annotate(Fields.aboutId("nb", "Only notes in this notebook."))),
  include_subnotebooks: Schema.optionalKey(
    Schema.Boolean.annotate({
      description: "Whether notebooks inside `notebook_id` count too, as they do when this is left out."
    })
  ),
  tags: Schema.optionalKey(
    Schema.Array(TagFilter)
      .check(atMost(100))
      .annotate({ description: "Only notes with these tags.", examples: [["work"]] })
  ),
  tags_match: Schema.optionalKey(
    Schema.Literals(["all", "any"]).annotate({
      description: "Whether a note must carry all of `tags`, as when this is left out, or any."
    })
  ),
  created_after: bound("Made at or after: an RFC 3339 time or a date."),
  created_before: bound("Made before: an RFC 3339 time or a date."),
  updated_after: bound("Changed at or after: an RFC 3339 time or a date."),
  updated_before: bound("Changed before: an RFC 3339 time or a date."),
  date_from: bound("Another name of `updated_after`."),
  date_to: bound("Another name of `updated_before`."),
  archived: Schema.optionalKey(
    Schema.NullOr(Schema.Boolean).annotate({
      description: "Archived notes only (`true`), without them (`false`, and when left out), or both (`null`)."
    })
  )
}

/** By what, other than relevance, hits can be sorted. */
export const searchFields = ["updated_at", "created_at", "title", "word_count"] as const

/** All that `sort` can be. */
export const searchSorts = ["relevance", ...searchFields.flatMap((field) => [field, `-${field}`])]

const query = { description: "What is searched for.", examples: ["meeting"] }

/** Filters stand beside `query`, or in a nested `filters` (contract 8). */
export const SearchRequest = Schema.Struct({
  query: Text.annotate(query),
  ...filters,
  filters: Schema.optionalKey(
    Schema.Struct(filters).annotate({ description: "The same filters, in an object of their own." })
  ),
  limit: Schema.optionalKey(
    Schema.Int.annotate({ description: "The most hits of a page; when left out, 20.", minimum: 1, maximum: 100 })
  ),
  cursor: Schema.optionalKey(
    Schema.NullOr(
      Schema.String.annotate({ description: "`next_cursor` of the page before.", maxLength: Fields.cursorLength })
    )
  ),
  sort: Schema.optionalKey(
    Schema.String.annotate({
      description: "`relevance`, as when this is left out, or one field, `-` before it for descending.",
      enum: searchSorts,
      examples: ["relevance"]
    })
  ),
  explain: Schema.optionalKey(
    Schema.Boolean.annotate({ description: "Whether each hit tells by which terms it was found." })
  )
}).annotate({ identifier: "SearchRequest" })
export type SearchRequest = typeof SearchRequest.Type

const { body: _, ...noteWithoutBody } = Note.fields

const snippet = Fields.text("The best fragment as HTML: escaped, matches in `<mark>`.", "<mark>Meeting</mark> notes")

const Match = Schema.Struct({
  start: Fields.count("Where the match begins.", 0),
  length: Fields.count("How long the match is.", 7)
})

const Highlight = Schema.Struct({
  field: Schema.Literals(["title", "body", "tags"]).annotate({ description: "Which member." }),
  index: Schema.optionalKey(
    Schema.Int.annotate({ description: "Which element, counted from 0; of tags only.", minimum: 0 })
  ),
  snippet,
  matches: Schema.Array(Match).annotate({
    description: "Offsets into the member's raw value, in UTF-16 code units."
  })
})

/** Kinds of matches, the best first. */
export const matchKinds = ["exact", "form", "part", "prefix", "typo"] as const

const MatchedTerm = Schema.Struct({
  term: Fields.text("A term of the note, in lower case and without diacritics.", "meeting"),
  kind: Schema.Literals(matchKinds).annotate({ description: "How it matches the query, the best kind first." }),
  field: Schema.Literals(["title", "tags", "body"]).annotate({ description: "Where it stands." }),
  weight: Schema.Finite.annotate({
    description: "How much it tells: the rarer, the more.",
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
    Schema.Array(MatchedTerm).annotate({ description: "With `explain`: the terms by which the note was found." })
  )
}).annotate({ identifier: "SearchHit" })
export type Hit = typeof Hit.Type

export const tookMs = Fields.count("Time that the server spent, in milliseconds.")

export const SearchResult = Schema.Struct({
  query: Schema.String.annotate(query),
  hits: Schema.Array(Hit).annotate({ description: "The notes found, without their bodies." }),
  total: Fields.count("How many notes match.", 1),
  took_ms: tookMs,
  suggestion: Schema.optionalKey(
    Fields.text("Where nothing was found: the likeliest correction, which was answered instead.", "meeting")
  ),
  ...Fields.pageEnd
}).annotate({ identifier: "SearchResult" })
export type SearchResult = typeof SearchResult.Type

export const Suggestion = Schema.Struct({
  type: Schema.Literals(["tag", "title"]).annotate({
    description: "Whether it is a tag or a title.",
    examples: ["title"]
  }),
  text: Fields.text("The completed tag or title.", "Meeting notes"),
  id: Fields.text("The id of the tag or note.", Fields.exampleId("nt"))
}).annotate({ identifier: "Suggestion" })
export type Suggestion = typeof Suggestion.Type
