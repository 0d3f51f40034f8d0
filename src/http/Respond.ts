import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import type { Page } from "../../services/Page.ts"

/** Answers whose JSON is made already, by the database or by `JSON.stringify`: no second pass through a schema. */
export const json = (body: string | Uint8Array, status = 200, headers?: Readonly<Record<string, string>>) =>
  typeof body === "string"
    ? HttpServerResponse.text(body, { status, contentType: "application/json", headers })
    : HttpServerResponse.uint8Array(body, { status, contentType: "application/json", headers })

/** JSON around bytes that the database made. */
export const around = (before: string, bytes: Uint8Array, after: string, status = 200) =>
  json(Buffer.concat([Buffer.from(before), bytes, Buffer.from(after)]), status)

export const value = (body: object, status = 200, headers?: Readonly<Record<string, string>>) =>
  json(JSON.stringify(body), status, headers)

/** The list envelope. */
export const page = (page: Page) =>
  around(`{"data":[`, page.items, `],"has_more":${page.has_more},"next_cursor":${JSON.stringify(page.next_cursor)}}`)

/** The delete envelope. */
export const deleted = (id: string) => value({ deleted: true, id })

const noteEtag = (id: string, version: number) => `"${id}:${version}"`

/** Whether an entity tag stands in a list of them (RFC 9110, section 13.1). */
const lists = (header: string, etag: string): boolean =>
  header.split(",").some((each) => each.trim() === "*" || each.trim().replace(/^W\//, "") === etag)

/** A note with its ETag, or 304 when the client has just this version. */
export const note = (id: string, version: number, body: string | Uint8Array, status = 200) =>
  Effect.map(HttpServerRequest.HttpServerRequest, (request) => {
    const etag = noteEtag(id, version)
    const known = request.headers["if-none-match"]
    const isKnown = known !== undefined && (request.method === "GET" || request.method === "HEAD") && lists(known, etag)
    return isKnown ? HttpServerResponse.empty({ status: 304, headers: { etag } }) : json(body, status, { etag })
  })

/** A version that no note has. */
export const noVersion = -1

/**
 * The version that If-Match asks for: undefined when it asks for none, `noVersion` when it names none of this note's.
 * Versions only grow, so that of several only the newest can be the current one.
 */
export const expectedVersion = (id: string) =>
  Effect.map(HttpServerRequest.HttpServerRequest, (request) => {
    const header = request.headers["if-match"]
    if (header === undefined || header.trim() === "*") return undefined
    let newest = noVersion
    for (const each of header.split(",")) {
      const match = /^"(.*):([0-9]{1,9})"$/.exec(each.trim())
      if (match !== null && match[1] === id) newest = Math.max(newest, Number(match[2]))
    }
    return newest
  })
