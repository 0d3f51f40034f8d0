import { Schema } from "effect"
import { Note } from "../notes/Note.ts"
import { atMost, bytes, Text } from "../Text.ts"

/** Names that no tag can have match nothing; they are told apart only up to a length. */
const TagFilter = bytes(1_000)

const filters = {
  notebook_id: Schema.optionalKey(Text),
  include_subnotebooks: Schema.optionalKey(Schema.Boolean),
  tags: Schema.optionalKey(Schema.Array(TagFilter).check(atMost(100))),
  tags_match: Schema.optionalKey(Schema.Literals(["all", "any"])),
  created_after: Schema.optionalKey(Schema.String),
  created_before: Schema.optionalKey(Schema.String),
  updated_after: Schema.optionalKey(Schema.String),
  updated_before: Schema.optionalKey(Schema.String),
  date_from: Schema.optionalKey(Schema.String),
  date_to: Schema.optionalKey(Schema.String),
  archived: Schema.optionalKey(Schema.NullOr(Schema.Boolean))
}

/** By what, other than relevance, hits can be sorted. */
export const searchFields = ["updated_at", "created_at", "title", "word_count"] as const

/** All that `sort` can be. */
export const searchSorts = ["relevance", ...searchFields.flatMap((field) => [field, `-${field}`])]

/** Filters stand beside `query`, or in a nested `filters` (contract 8). */
export const SearchRequest = Schema.Struct({
  query: Text,
  ...filters,
  filters: Schema.optionalKey(Schema.Struct(filters)),
  limit: Schema.optionalKey(Schema.Int),
  cursor: Schema.optionalKey(Schema.NullOr(Schema.String)),
  sort: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "SearchRequest" })
export type SearchRequest = typeof SearchRequest.Type

const { body: _, ...noteWithoutBody } = Note.fields

export const Hit = Schema.Struct({
  ...noteWithoutBody,
  score: Schema.Finite,
  snippet: Schema.String,
  highlights: Schema.Array(
    Schema.Struct({
      field: Schema.Literals(["title", "body", "tags"]),
      index: Schema.optionalKey(Schema.Int),
      snippet: Schema.String,
      matches: Schema.Array(Schema.Struct({ start: Schema.Int, length: Schema.Int }))
    })
  )
}).annotate({ identifier: "SearchHit" })
export type Hit = typeof Hit.Type

export const SearchResult = Schema.Struct({
  query: Schema.String,
  hits: Schema.Array(Hit),
  total: Schema.Int,
  took_ms: Schema.Int,
  has_more: Schema.Boolean,
  next_cursor: Schema.NullOr(Schema.String)
}).annotate({ identifier: "SearchResult" })
export type SearchResult = typeof SearchResult.Type

export const Suggestion = Schema.Struct({
  type: Schema.Literals(["tag", "title"]),
  text: Schema.String,
  id: Schema.String
}).annotate({ identifier: "Suggestion" })
export type Suggestion = typeof Suggestion.Type
