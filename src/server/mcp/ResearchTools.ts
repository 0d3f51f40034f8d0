import { Effect, Schema } from "effect"
import type { Note } from "../../../services/notes/Note.ts"
import { Notes } from "../../../services/notes/Notes.ts"
import { Search } from "../../../services/search/Search.ts"
import type { SearchResult } from "../../../services/search/SearchResult.ts"
import { Principal } from "../../../services/Principal.ts"
import { short } from "../../../services/Text.ts"
import * as McpTool from "./McpTool.ts"
import { shortened } from "../../../services/notes/texts/ShownText.ts"
import { costOf, endThatFits, room } from "./responses/ResponseSize.ts"
import { count, id, read } from "./ToolFields.ts"

/** Number of notes that a search returns. */
const hits = 10

/** Bytes of the names and numbers of the other members. */
const names = 300

/**
 * The two tools of the research mode of ChatGPT, whose names and members its documentation sets
 * (developers.openai.com/apps-sdk, MCP for deep research). It cites `url`. They exist for connected apps only: other hosts
 * have the tools that can do more.
 */
export const ResearchTools = (publicUrl: string) =>
  Effect.gen(function* () {
    const search = yield* Search
    const notes = yield* Notes

    /** The address of a note in the console. */
    const urlOf = (note: string, workspace: string): string =>
      `${publicUrl}/console/all/${encodeURIComponent(note)}?workspace=${encodeURIComponent(workspace)}`

    const result = { id: Schema.String, title: Schema.String, url: Schema.String }

    return [
      McpTool.reading({
        name: "search",
        title: "Search",
        description: "Finds notes by words, best first. Read one with fetch.",
        access: read,
        isForApps: true,
        args: Schema.Struct({ query: short(500).annotate({ description: "Words." }) }),
        result: Schema.Struct({ results: Schema.Array(Schema.Struct(result)) }),
        run: Effect.fnUntraced(function* ({ query }: { readonly query: string }) {
          const { workspace_id } = yield* Principal
          const found = JSON.parse(yield* search.search({ query, limit: hits })) as SearchResult
          return {
            results: found.hits.map((hit) => ({
              id: hit.id,
              title: shortened(hit.title, 200),
              url: urlOf(hit.id, workspace_id)
            }))
          }
        })
      }),
      McpTool.reading({
        name: "fetch",
        title: "Fetch",
        description: "Reads the text of a note that search has found. read_note reads the parts of a long one.",
        access: read,
        isForApps: true,
        args: Schema.Struct({ id: id.annotate({ description: "From search." }) }),
        result: Schema.Struct({
          ...result,
          text: Schema.String,
          metadata: Schema.Struct({ updated_at: Schema.String, characters: count, is_cut: Schema.Boolean })
        }),
        run: Effect.fnUntraced(function* (args: { readonly id: string }) {
          const { workspace_id } = yield* Principal
          const note = JSON.parse((yield* notes.get(args.id)).json) as Note
          const head = { id: note.id, title: shortened(note.title, 200), url: urlOf(note.id, workspace_id) }
          const { length } = note.body
          const end = endThatFits(note.body, 0, length, room - names - costOf(head))
          const metadata = { updated_at: note.updated_at, characters: length, is_cut: end < length }
          return { ...head, text: note.body.slice(0, end), metadata }
        })
      })
    ]
  })
