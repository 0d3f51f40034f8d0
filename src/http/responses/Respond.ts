import { Context, Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { hash } from "node:crypto"
import { type Condition, Stale } from "../../../services/Errors.ts"
import type { Page } from "../../../services/lists/Page.ts"

type Fields = Readonly<Record<string, string>>

/** A response whose JSON is made already, by the database or by `JSON.stringify`: no second pass through a schema. */
export const json = (body: string, status = 200, headers?: Fields) =>
  HttpServerResponse.text(body, { status, contentType: "application/json", headers })

export const value = (body: object, status = 200, headers?: Fields) => json(JSON.stringify(body), status, headers)

/** JSON around items that the database made. */
export const around = (before: string, items: ReadonlyArray<string>, after: string, status = 200, headers?: Fields) =>
  json(before + items.join(",") + after, status, headers)

/** How clients reach the service, without `/v2`. */
export const PublicUrl = Context.Reference<string>("sheaf/http/responses/PublicUrl", { defaultValue: () => "" })

/** When version 1's `page` and `per_page` became deprecated (RFC 9745): 2026-01-01. */
const pageDeprecatedAt = "@1767225600"

/** The same list from a cursor on: all other parameters stay, but `page`, whose place the cursor takes. */
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

/** Whether an entity tag stands in a list of them (RFC 9110, section 13.1). */
const lists = (header: string, etag: string): boolean =>
  header.split(",").some((each) => each.trim() === "*" || each.trim() === etag)

/** Whether the client has just this state, and asks for another only. Here weak tags count too. */
export const isKnown = ({ headers, method }: HttpServerRequest.HttpServerRequest, etag: string): boolean => {
  const known = headers["if-none-match"]?.replaceAll("W/", "")
  return known !== undefined && (method === "GET" || method === "HEAD") && lists(known, etag)
}

/** Whether the client asks for any state, or for just this one. A weak tag names none (RFC 9110, section 13.1.1). */
export const isExpected = ({ headers }: HttpServerRequest.HttpServerRequest, etag: string): boolean => {
  const expected = headers["if-match"]
  return expected === undefined || lists(expected, etag)
}

/** Where a resource is that a POST has made: in the collection, also where an action of that made it. */
const locationOf = (publicUrl: string, url: string, id: string): string =>
  `${publicUrl}${url.split("?", 1)[0]!.replace(/\/(?:uploads|merge)?$/, "")}/${id}`

/** A body with its ETag, or 304 when the client has just this one. `id`: of the resource, where the request made it. */
const withEtag = (etag: string, body: string, status: number, id: string | undefined) =>
  Effect.withFiber<HttpServerResponse.HttpServerResponse, never, HttpServerRequest.HttpServerRequest>((fiber) => {
    const request = Context.getUnsafe(fiber.context, HttpServerRequest.HttpServerRequest)
    if (isKnown(request, etag)) return Effect.succeed(HttpServerResponse.empty({ status: 304, headers: { etag } }))
    const headers: Fields =
      id === undefined ? { etag } : { etag, location: locationOf(fiber.getRef(PublicUrl), request.url, id) }
    return Effect.succeed(json(body, status, headers))
  })

/** What 201 says: the resource is there from now on. */
const madeId = (status: number, id: unknown): string | undefined =>
  status === 201 && typeof id === "string" ? id : undefined

/** The entity tag of a note: its version tells all that it shows. */
const noteTag = ({ id, version }: { readonly id: string; readonly version: number }): string => `"${id}:${version}"`

export const note = (id: string, version: number, body: string, status = 200) =>
  withEtag(noteTag({ id, version }), body, status, madeId(status, id))

/** A tag that tells the text by a hash of it. */
export const etagOf = (text: string): string => `"${hash("sha256", text, "base64url").slice(0, 22)}"`

/** Names of members that belong to one response: signed addresses, and secrets that are shown once. */
export type Passing = ReadonlyArray<string>

const lasting = (shown: object, passing: Passing): object =>
  passing.length === 0 ? shown : Object.fromEntries(Object.entries(shown).filter(([name]) => !passing.includes(name)))

/** The entity tag of a resource without its passing members: what If-Match compares. */
const lastingTag = (shown: object, passing: Passing): string => etagOf(JSON.stringify(lasting(shown, passing)))

/**
 * A resource with derived members, such as `note_count`: its ETag is a hash of all that it shows (contract 2). Where some
 * members are passing, that hash follows the hash of the others, so that a change can be based on those alone.
 */
export const resource = (body: object, status = 200, passing: Passing = []) => {
  const text = JSON.stringify(body)
  const all = etagOf(text)
  const etag = passing.length === 0 ? all : `${lastingTag(body, passing).slice(0, -1)}.${all.slice(1)}`
  return withEtag(etag, text, status, madeId(status, (body as { readonly id?: unknown }).id))
}

/** Entity tags of a header without their passing part. */
const lastingTags = (header: string): string => header.replaceAll(/\.[\w-]{22}"/g, '"')

/** What a request is based on, where it says so: `isBasedOn` tells what its body says. */
const conditionBy = <Shown>(tagOf: (shown: Shown) => string, isBasedOn?: (shown: Shown) => boolean) =>
  Effect.map(HttpServerRequest.HttpServerRequest, ({ headers }): Condition<Shown> | undefined => {
    const header = headers["if-match"]
    if (header === undefined && isBasedOn === undefined) return undefined
    return (current, version) => {
      const tag = tagOf(current)
      return (header === undefined || lists(lastingTags(header), tag)) && isBasedOn?.(current) !== false
        ? Effect.void
        : Effect.fail(Stale.at(version ?? tag))
    }
  })

/** If-Match on what `resource` shows, but for its passing members. */
export const conditionOn = (passing: Passing) => conditionBy((shown: object) => lastingTag(shown, passing))

export const condition = conditionOn([])

const onNote = conditionBy(noteTag)

/** If-Match on a note, and the version that a body names: where they differ, one of them is stale. */
export const noteCondition = (version?: number) =>
  version === undefined ? onNote : conditionBy(noteTag, (shown) => shown.version === version)
