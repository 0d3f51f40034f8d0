import { Context, Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { hash } from "node:crypto"
import { type Condition, Stale } from "../../../../services/Errors.ts"
import type { Page } from "../../../../services/lists/Page.ts"

type Fields = Readonly<Record<string, string>>

/** A response with finished JSON, from the database or `JSON.stringify`, without encoding by a schema. */
export const json = (body: string, status = 200, headers?: Fields) =>
  HttpServerResponse.text(body, { status, contentType: "application/json", headers })

export const value = (body: object, status = 200, headers?: Fields) => json(JSON.stringify(body), status, headers)

/** Headers of a response with a secret, which no cache may store. */
export const unstored = { "cache-control": "no-store" }

/** A response with a secret. */
export const secret = (body: object, status = 200) => value(body, status, unstored)

/** Makes a response one with a secret. */
export const asSecret = HttpServerResponse.setHeaders(unstored)

/** A response with JSON around items from the database. A single join: a concatenation would be copied to be encoded. */
export const around = (before: string, items: ReadonlyArray<string>, after: string, status = 200, headers?: Fields) => {
  const texts = [before]
  for (const [index, item] of items.entries()) {
    if (index > 0) texts.push(",")
    texts.push(item)
  }
  texts.push(after)
  return json(texts.join(""), status, headers)
}

/** PUBLIC_URL, without `/v2`. */
export const PublicUrl = Context.Reference<string>("sheaf/http/responses/PublicUrl", { defaultValue: () => "" })

/** When `page` and `per_page` of version 1 became deprecated (RFC 9745): 2026-01-01. */
const pageDeprecatedAt = "@1767225600"

/** The link to the next page: the same parameters, with the cursor instead of `page`. */
const nextLink = (publicUrl: string, url: string, cursor: string): string => {
  const mark = url.indexOf("?")
  const path = mark < 0 ? url : url.slice(0, mark)
  const params = new URLSearchParams(mark < 0 ? "" : url.slice(mark))
  params.delete("page")
  params.set("cursor", cursor)
  return `<${publicUrl}${path}?${params}>; rel="next"`
}

/** The list envelope, with the next page as a link (RFC 8288). */
export const page = ({ has_more, items, next_cursor }: Page) =>
  Effect.withFiber<HttpServerResponse.HttpServerResponse, never, HttpServerRequest.HttpServerRequest>((fiber) => {
    const { url } = Context.getUnsafe(fiber.context, HttpServerRequest.HttpServerRequest)
    const headers: Record<string, string> = {}
    if (has_more && next_cursor !== null) {
      headers["link"] = nextLink(fiber.getRef(PublicUrl), url, next_cursor)
    }
    if (/[?&](?:per_)?page=/.test(url)) headers["deprecation"] = pageDeprecatedAt
    const after = `],"has_more":${has_more},"next_cursor":${JSON.stringify(next_cursor)}}`
    return Effect.succeed(around(`{"data":[`, items, after, 200, headers))
  })

/** The delete envelope. */
export const deleted = (id: string) => value({ deleted: true, id })

/** Whether a list of entity tags contains a tag (RFC 9110, section 13.1). */
const lists = (header: string, etag: string): boolean =>
  header.split(",").some((each) => each.trim() === "*" || each.trim() === etag)

/** The same with weak comparison (RFC 9110, section 8.8.3.2). */
const listsWeakly = (header: string, etag: string): boolean => lists(header.replaceAll("W/", ""), etag)

/** Whether If-None-Match has the tag, so that the response is 304. Weak tags count too. */
export const isKnown = ({ headers, method }: HttpServerRequest.HttpServerRequest, etag: string): boolean => {
  const known = headers["if-none-match"]
  return known !== undefined && (method === "GET" || method === "HEAD") && listsWeakly(known, etag)
}

/**
 * The problem of an If-Match that has not the current tag. A weak tag never matches (RFC 9110, section 13.1.1), also if it
 * is the current one: this service only has strong tags, which proxies weaken when they compress a response.
 */
const staleAt = (header: string | undefined, etag: string, current: number | string): Stale =>
  header !== undefined && !lists(header, etag) && listsWeakly(header, etag)
    ? Stale.weakly(etag, current)
    : Stale.at(current)

/** The problem of an If-Match that has not the tag, if there is one. */
export const unexpected = ({ headers }: HttpServerRequest.HttpServerRequest, etag: string): Stale | undefined => {
  const expected = headers["if-match"]
  return expected === undefined || lists(expected, etag) ? undefined : staleAt(expected, etag, etag)
}

/** The URL of a resource that a POST created, in its collection, also if an action of the collection created it. */
const locationOf = (publicUrl: string, url: string, id: string): string =>
  `${publicUrl}${url.split("?", 1)[0]!.replace(/\/(?:uploads|merge)?$/, "")}/${id}`

/** A body with its ETag, or 304 if the client has it. `id` is that of the resource, if the request created it. */
const withEtag = (etag: string, body: () => string, status: number, id: string | undefined) =>
  Effect.withFiber<HttpServerResponse.HttpServerResponse, never, HttpServerRequest.HttpServerRequest>((fiber) => {
    const request = Context.getUnsafe(fiber.context, HttpServerRequest.HttpServerRequest)
    if (isKnown(request, etag)) return Effect.succeed(HttpServerResponse.empty({ status: 304, headers: { etag } }))
    const headers: Fields =
      id === undefined ? { etag } : { etag, location: locationOf(fiber.getRef(PublicUrl), request.url, id) }
    return Effect.succeed(json(body(), status, headers))
  })

/** The id of a created resource, for status 201. */
const madeId = (status: number, id: unknown): string | undefined =>
  status === 201 && typeof id === "string" ? id : undefined

/** The entity tag of a note: everything in a note changes with its version. */
const noteTag = ({ id, version }: { readonly id: string; readonly version: number }): string => `"${id}:${version}"`

export const note = (id: string, version: number, body: string, status = 200) =>
  withEtag(noteTag({ id, version }), () => body, status, madeId(status, id))

/** An entity tag made of a hash of the content. */
export const etagOf = (content: string | Uint8Array): string => `"${hash("sha256", content, "base64url").slice(0, 22)}"`

/** Names of members that are specific to one response: signed URLs, and secrets that are shown once. */
export type Transient = ReadonlyArray<string>

const stableMembers = (shown: object, transient: Transient): object =>
  transient.length === 0
    ? shown
    : Object.fromEntries(Object.entries(shown).filter(([name]) => !transient.includes(name)))

/** The entity tag of a resource without its transient members, which If-Match compares. */
const stableTag = (shown: object, transient: Transient): string =>
  etagOf(JSON.stringify(stableMembers(shown, transient)))

/**
 * A resource with derived members, such as `note_count`: its ETag is a hash of all its members (contract 2). If some
 * members are transient, that hash follows a hash of the others, so that If-Match can compare those alone.
 */
export const resource = (body: object, status = 200, transient: Transient = []) => {
  const text = JSON.stringify(body)
  const all = etagOf(text)
  const etag = transient.length === 0 ? all : `${stableTag(body, transient).slice(0, -1)}.${all.slice(1)}`
  return withEtag(etag, () => text, status, madeId(status, (body as { readonly id?: unknown }).id))
}

/** A large resource that is made only for clients without it. Everything in it follows from `state`. */
export const made = (state: ReadonlyArray<unknown>, body: () => object) =>
  withEtag(etagOf(JSON.stringify(state)), () => JSON.stringify(body()), 200, undefined)

/** Entity tags of a header without their transient part. */
const stableTags = (header: string): string => header.replaceAll(/\.[\w-]{22}"/g, '"')

/** The precondition of a change, from If-Match and from the body, which `isBasedOn` checks; undefined if there is none. */
const conditionBy = <Shown>(tagOf: (shown: Shown) => string, isBasedOn?: (shown: Shown) => boolean) =>
  Effect.map(HttpServerRequest.HttpServerRequest, ({ headers }): Condition<Shown> | undefined => {
    const header = headers["if-match"]
    if (header === undefined && isBasedOn === undefined) return undefined
    const expected = header === undefined ? undefined : stableTags(header)
    return (current, version) => {
      const tag = tagOf(current)
      return (expected === undefined || lists(expected, tag)) && isBasedOn?.(current) !== false
        ? Effect.void
        : Effect.fail(staleAt(expected, tag, version ?? tag))
    }
  })

/** If-Match on a `resource`, without its transient members. */
export const conditionOn = (transient: Transient) => conditionBy((shown: object) => stableTag(shown, transient))

export const condition = conditionOn([])

const onNote = conditionBy(noteTag)

/** If-Match on a note, and the version in the body: if they differ, one of them is stale. */
export const noteCondition = (version?: number) =>
  version === undefined ? onNote : conditionBy(noteTag, (shown) => shown.version === version)

/** The version of a note that a request is based on: that in the body, else that of the tag in If-Match, if any. */
export const versionRead = (version?: number) =>
  Effect.map(HttpServerRequest.HttpServerRequest, ({ headers }): number | undefined => {
    const [, named] = /:(\d{1,10})"/.exec(headers["if-match"] ?? "") ?? []
    return version ?? (named === undefined ? undefined : Number(named))
  })
