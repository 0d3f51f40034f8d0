import { Clock, Context, Effect, Layer } from "effect"
import { hash } from "node:crypto"
import { RoundRobinSemaphore } from "../concurrency/RoundRobinSemaphore.ts"
import { BadRequest, Invalid, type Unavailable } from "../Errors.ts"
import { nameKey } from "../notes/Tag.ts"
import { limitOf } from "../lists/Page.ts"
import { Principal } from "../Principal.ts"
import { Database, orUnavailable } from "../storage/Database.ts"
import { giveBack } from "../storage/GiveBack.ts"
import { Secrets, signatureLength } from "../storage/Secrets.ts"
import { traced } from "../Traced.ts"
import type { Filters } from "./Filters.ts"
import type { Head } from "./Heads.ts"
import * as Heads from "./Heads.ts"
import { KeptTexts, type Piece } from "./KeptTexts.ts"
import { searchFields, type SearchRequest, type Suggestion } from "./SearchResult.ts"
import { SearchThread } from "./SearchThread.ts"

export interface Suggestions {
  readonly data: ReadonlyArray<Suggestion>
  readonly has_more: false
  readonly next_cursor: null
  readonly query: string
  readonly took_ms: number
}

const maxQuery = 4_096
const maxSuggestions = 10
/** So many bytes of answers are kept, and characters of a request that is answered from them. */
const maxKept = 12 * 1024 * 1024
const maxKeptRequest = 4_096

/** An answer as it was given when the log ended at `head`: the same while it ends there. The time it took comes between. */
interface Answer {
  readonly head: Head
  readonly before: ReadonlyArray<Piece>
  readonly after: string
}

/** The answer as one. What it was made of is given back, but for what is kept. */
const jsonOf = ({ after, before }: Pick<Answer, "before" | "after">, took: number): Buffer => {
  const pieces = [...before, `${took}${after}`]
  const json = Buffer.concat(pieces.map((piece) => (typeof piece === "string" ? Buffer.from(piece) : piece)))
  for (const piece of before) if (typeof piece !== "string") giveBack(piece)
  return json
}

const isField = (name: string): name is (typeof searchFields)[number] => searchFields.some((field) => field === name)

const dateOnly = /^\d{4}-\d{2}-\d{2}$/
const dateTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/i

/** The time of the day that a date stands for as a bound. */
const ofDate = { after: "00:00:00.000", before: "00:00:00.000", to: "23:59:59.999" } as const

/** RFC 3339, or a date (contract 8). A time is included itself; of a date, `before` excludes the day. */
const instantOf = (field: string, text: string | undefined, bound: keyof typeof ofDate) => {
  if (text === undefined) return Effect.succeed(undefined)
  const isDate = dateOnly.test(text)
  const full = isDate ? `${text}T${ofDate[bound]}Z` : text
  const millis = dateTime.test(full) ? Date.parse(full) - (isDate && bound === "before" ? 1 : 0) : NaN
  return Number.isNaN(millis)
    ? Effect.fail(Invalid.field(field, "invalid_timestamp", "must be an RFC 3339 timestamp or a date"))
    : Effect.succeed(new Date(millis).toISOString())
}

/** Full-text search over titles, bodies and tags (contract 8). */
export class Search extends Context.Service<
  Search,
  {
    /** The JSON of a `SearchResult`. */
    readonly search: (
      request: SearchRequest
    ) => Effect.Effect<Uint8Array, BadRequest | Invalid | Unavailable, Principal>
    readonly suggest: (
      prefix: string | undefined,
      limit: string | undefined
    ) => Effect.Effect<Suggestions, BadRequest | Unavailable, Principal>
  }
>()("sheaf/search/Search") {
  static readonly layer = Layer.effect(
    Search,
    Effect.gen(function* () {
      const { read } = yield* Database
      const thread = yield* SearchThread
      const secrets = yield* Secrets
      const headOf = Heads.make(read)
      const answers = new KeptTexts<Omit<Answer, "before">>(maxKept)
      const semaphore = new RoundRobinSemaphore({
        permits: 16,
        permitsPerKey: 2,
        maxWaiting: 500,
        maxWaitingPerKey: 64,
        detail: "Too many searches are waiting"
      })

      /** The notebook and, unless told otherwise, all inside it. */
      const notebooksOf = (workspace_id: string, notebook_id: string, withSubnotebooks: boolean) =>
        orUnavailable(
          read.unsafe<{ id: string }>(
            withSubnotebooks
              ? `WITH RECURSIVE inside AS (
                SELECT id FROM notebooks WHERE workspace_id = $1 AND id = $2
                UNION SELECT n.id FROM notebooks n JOIN inside i ON n.parent_id = i.id WHERE n.workspace_id = $1
              ) SELECT id FROM inside`
              : "SELECT id FROM notebooks WHERE workspace_id = $1 AND id = $2",
            [workspace_id, notebook_id]
          )
        ).pipe(Effect.map((rows) => new Set(rows.map((row) => row.id))))

      const filtersOf = Effect.fnUntraced(function* (workspace_id: string, request: SearchRequest) {
        const given = { ...request.filters, ...request }
        const filters: Filters = {
          tags: given.tags?.map(nameKey),
          tags_match: given.tags_match ?? "all",
          created_after: yield* instantOf("created_after", given.created_after, "after"),
          created_before: yield* instantOf("created_before", given.created_before, "before"),
          updated_after: yield* instantOf("updated_after", given.updated_after ?? given.date_from, "after"),
          updated_before:
            given.updated_before === undefined
              ? yield* instantOf("date_to", given.date_to, "to")
              : yield* instantOf("updated_before", given.updated_before, "before"),
          archived: given.archived === undefined ? false : given.archived,
          notebook_ids:
            given.notebook_id === undefined
              ? undefined
              : yield* notebooksOf(workspace_id, given.notebook_id, given.include_subnotebooks ?? true)
        }
        return filters
      })

      /** A search cursor is the place in the result, bound to what was asked. */
      const bindingOf = (workspace_id: string, request: SearchRequest) => {
        const { cursor: _, limit: __, ...asked } = request
        return hash("sha256", JSON.stringify([workspace_id, asked]), "buffer").subarray(0, 8)
      }

      const offsetOf = Effect.fnUntraced(function* (cursor: string | null | undefined, binding: Buffer) {
        if (cursor == null) return 0
        const bytes = cursor.length < 100 ? Buffer.from(cursor, "base64url") : Buffer.alloc(0)
        const data = bytes.subarray(signatureLength)
        if (data.length !== 12 || !secrets.verify("page-cursor", data, bytes.subarray(0, signatureLength))) {
          return yield* new BadRequest({ code: "invalid_cursor", detail: "cursor is not one that this server issued" })
        }
        if (!data.subarray(0, 8).equals(binding)) {
          return yield* new BadRequest({ code: "cursor_mismatch", detail: "cursor belongs to another search" })
        }
        return data.readUInt32BE(8)
      })

      const cursorAt = (binding: Buffer, offset: number): string => {
        const data = Buffer.concat([binding, Buffer.alloc(4)])
        data.writeUInt32BE(offset, 8)
        return Buffer.concat([secrets.sign("page-cursor", data), data]).toString("base64url")
      }

      const orderOf = Effect.fnUntraced(function* (sort: string | undefined) {
        if (sort === undefined || sort === "relevance") return undefined
        const name = sort.replace(/^-/, "")
        if (!isField(name)) {
          return yield* new BadRequest({
            code: "invalid_sort",
            detail: `Cannot sort by "${name.slice(0, 50)}"`,
            extra: { allowed_fields: ["relevance", ...searchFields] }
          })
        }
        return { by: name, descending: sort.startsWith("-") }
      })

      const answerTo = Effect.fnUntraced(function* (
        workspace_id: string,
        request: SearchRequest,
        head: Head | undefined
      ) {
        if (request.query.length > maxQuery) {
          return yield* Invalid.field("query", "too_long", `must be at most ${maxQuery} characters`)
        }
        const limit = yield* limitOf(request.limit === undefined ? undefined : String(request.limit), {
          max: 100,
          fallback: 20
        })
        const order = yield* orderOf(request.sort)
        const binding = bindingOf(workspace_id, request)
        const offset = yield* offsetOf(request.cursor, binding)
        const filters = yield* filtersOf(workspace_id, request)
        const found = yield* semaphore.withPermit(
          workspace_id,
          thread.ask({
            kind: "search",
            workspace_id,
            head,
            query: request.query,
            filters,
            order,
            offset,
            limit,
            explain: request.explain ?? false
          })
        )
        const { hits, suggestion, total } = found
        const has_more = offset + limit < total
        const suggested = suggestion === undefined ? "" : `,"suggestion":${JSON.stringify(suggestion)}`
        const next_cursor = has_more ? cursorAt(binding, offset + limit) : null
        return {
          head: found.head,
          before: [`{"query":${JSON.stringify(request.query)},"hits":`, hits, `,"total":${total},"took_ms":`],
          after: `${suggested},"has_more":${has_more},"next_cursor":${JSON.stringify(next_cursor)}}`
        }
      })

      /** To be read at once: its memory is written again. */
      const keptAt = (key: string, head: Head): Pick<Answer, "before" | "after"> | undefined => {
        const kept = answers.get(key)
        if (kept === undefined) return undefined
        if (Heads.isSame(kept.about.head, head)) return { before: [kept.bytes], after: kept.about.after }
        answers.delete(key)
        return undefined
      }

      const keep = (key: string, { after, before, head }: Answer) =>
        Effect.sync(() => {
          if (key.length <= maxKeptRequest) answers.set(key, before, { head, after })
        })

      const search = traced("Search.search")(function* (request: SearchRequest) {
        const { workspace_id } = yield* Principal
        const begun = yield* Clock.currentTimeMillis
        const key = JSON.stringify([workspace_id, request])
        // Where no answer is kept, the thread asks where the log ends together with the notes that it shows.
        const head = answers.has(key) ? ((yield* headOf(workspace_id)) ?? Heads.nowhere) : undefined
        const now = yield* Clock.currentTimeMillis
        const kept = head && keptAt(key, head)
        if (kept !== undefined) return jsonOf(kept, now - begun)
        const made = yield* Effect.tap(answerTo(workspace_id, request, head), (made) => keep(key, made))
        return jsonOf(made, (yield* Clock.currentTimeMillis) - begun)
      })

      const suggest = traced("Search.suggest")(function* (prefix: string | undefined, limitText: string | undefined) {
        const { workspace_id } = yield* Principal
        const begun = yield* Clock.currentTimeMillis
        if (prefix === undefined || prefix.trim() === "") {
          return yield* new BadRequest({ code: "invalid_parameter", detail: "q is required: the prefix to complete" })
        }
        const limit = Math.min(yield* limitOf(limitText, { max: 100, fallback: maxSuggestions }), maxSuggestions)
        const head = (yield* headOf(workspace_id)) ?? Heads.nowhere
        const found = yield* semaphore.withPermit(
          workspace_id,
          thread.ask({ kind: "suggest", workspace_id, head, prefix: prefix.slice(0, maxQuery), limit })
        )
        const names = found.filter((each) => each.type === "tag").map((each) => nameKey(each.text))
        const tags =
          names.length === 0
            ? []
            : yield* orUnavailable(
                read.unsafe<{ id: string; name_key: string }>(
                  "SELECT id, name_key FROM tags WHERE workspace_id = $1 AND name_key = ANY($2::text[])",
                  [workspace_id, names]
                )
              )
        const idOf = new Map(tags.map((tag) => [tag.name_key, tag.id]))
        return {
          data: found
            .map((each) => (each.type === "tag" ? { ...each, id: idOf.get(nameKey(each.text)) ?? "" } : each))
            .filter((each) => each.id !== ""),
          has_more: false as const,
          next_cursor: null,
          query: prefix,
          took_ms: (yield* Clock.currentTimeMillis) - begun
        }
      })

      return Search.of({ search, suggest })
    })
  )
}
