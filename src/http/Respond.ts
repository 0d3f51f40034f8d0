import { Context, Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { hash } from "node:crypto"
import { type Condition, Stale } from "../../services/Errors.ts"
import type { Page } from "../../services/lists/Page.ts"

/** A longer text is not kept until it is sent, and copied once more behind its headers, but turned to bytes at once. */
const large = 64 * 1024

/** Answers whose JSON is made already, by the database or by `JSON.stringify`: no second pass through a schema. */
export const json = (body: string, status = 200, headers?: Readonly<Record<string, string>>) =>
  body.length < large
    ? HttpServerResponse.text(body, { status, contentType: "application/json", headers })
    : HttpServerResponse.uint8Array(Buffer.from(body), { status, contentType: "application/json", headers })

/** JSON that is bytes already. */
export const bytes = (body: Uint8Array, status = 200) =>
  HttpServerResponse.uint8Array(body, { status, contentType: "application/json" })

export const value = (body: object, status = 200, headers?: Readonly<Record<string, string>>) =>
  json(JSON.stringify(body), status, headers)

/** JSON around items that the database made. */
export const around = (before: string, items: ReadonlyArray<string>, after: string, status = 200) =>
  json(before + items.join() + after, status)

/** How clients reach the service, without `/v2`. */
export const PublicUrl = Context.Reference<string>("sheaf/http/PublicUrl", { defaultValue: () => "" })

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
    return Effect.succeed(json(`{"data":[${items.join()}${after}`, 200, headers))
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

/** A body with its ETag, or 304 when the client has just this one. */
const withEtag = (etag: string, body: string, status: number) =>
  Effect.map(HttpServerRequest.HttpServerRequest, (request) =>
    isKnown(request, etag) ? HttpServerResponse.empty({ status: 304, headers: { etag } }) : json(body, status, { etag })
  )

/** The entity tag of a note: its version tells all that it shows. */
const noteTag = ({ id, version }: { readonly id: string; readonly version: number }): string => `"${id}:${version}"`

export const note = (id: string, version: number, body: string, status = 200) =>
  withEtag(noteTag({ id, version }), body, status)

/** A tag that tells the text by a hash of it. */
export const etagOf = (text: string): string => `"${hash("sha256", text, "base64url").slice(0, 22)}"`

/** A resource with derived members, such as `note_count`: its ETag is a hash of all that it shows (contract 2). */
export const resource = (body: object, status = 200) => {
  const text = JSON.stringify(body)
  return withEtag(etagOf(text), text, status)
}

/** What a request is based on, where it says so: `isBasedOn` tells what its body says. */
const conditionBy = <Shown>(tagOf: (shown: Shown) => string, isBasedOn?: (shown: Shown) => boolean) =>
  Effect.map(HttpServerRequest.HttpServerRequest, ({ headers }): Condition<Shown> | undefined => {
    const header = headers["if-match"]
    if (header === undefined && isBasedOn === undefined) return undefined
    return (current, version) => {
      const tag = tagOf(current)
      return (header === undefined || lists(header, tag)) && isBasedOn?.(current) !== false
        ? Effect.void
        : Effect.fail(Stale.at(version ?? tag))
    }
  })

/** If-Match on what `resource` shows. */
export const condition = conditionBy((shown: object) => etagOf(JSON.stringify(shown)))

const onNote = conditionBy(noteTag)

/** If-Match on a note, and the version that a body names: where they differ, one of them is stale. */
export const noteCondition = (version?: number) =>
  version === undefined ? onNote : conditionBy(noteTag, (shown) => shown.version === version)
