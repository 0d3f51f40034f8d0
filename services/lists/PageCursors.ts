import { Effect } from "effect"
import { hash } from "node:crypto"
import { BadRequest } from "../Errors.ts"
import type { ListSpec, PageQuery } from "./Page.ts"
import { type Secrets, signatureLength } from "../secrets/Secrets.ts"

const maxLength = 2048
const bindingLength = 8
/** The first character of a sealed cursor, and the characters of each one before it is encrypted. */
const sealedMark = "~"
const sealedLength = 100

/** The list that a cursor belongs to. `textOrder`: the version of the order of text, if the list is sorted by text. */
type Bound = Pick<ListSpec, "path" | "defaultSort" | "isSealed"> & { readonly textOrder?: string | undefined }

/** A hash of what a cursor is bound to (contract 3). */
const bindingOf = ({ defaultSort, path, textOrder }: Bound, query: PageQuery, owner: string): Buffer => {
  const list = [path, query.sort ?? defaultSort, query.filter?.trim() ?? "", owner]
  // In another order of text, the cursor would be at another position, and rows would be skipped.
  const bound = textOrder === undefined ? list : [...list, textOrder]
  return hash("sha256", JSON.stringify(bound), "buffer").subarray(0, bindingLength)
}

/** Cursors of lists: a signature, the binding, and the sort values of the row before the page. */
export class PageCursors {
  readonly #secrets: typeof Secrets.Service
  constructor(secrets: typeof Secrets.Service) {
    this.#secrets = secrets
  }

  make(spec: Bound, query: PageQuery, owner: string, values: ReadonlyArray<unknown>): string {
    const data = Buffer.concat([bindingOf(spec, query, owner), Buffer.from(JSON.stringify(values))])
    const cursor = Buffer.concat([this.#secrets.sign("page-cursor", data), data]).toString("base64url")
    return spec.isSealed === true
      ? sealedMark + this.#secrets.seal("limited-cursor", cursor.padEnd(sealedLength))
      : cursor
  }

  read(spec: Bound, query: PageQuery, owner: string, cursor: string): Effect.Effect<ReadonlyArray<string>, BadRequest> {
    const bytes = cursor.length <= maxLength ? Buffer.from(this.#opened(spec, cursor), "base64url") : Buffer.alloc(0)
    const data = bytes.subarray(signatureLength)
    if (data.length < bindingLength || !this.#secrets.verify("page-cursor", data, bytes.subarray(0, signatureLength))) {
      return Effect.fail(new BadRequest({ code: "invalid_cursor", detail: "cursor was not issued by this server" }))
    }
    if (!data.subarray(0, bindingLength).equals(bindingOf(spec, query, owner))) {
      return Effect.fail(
        new BadRequest({
          code: "cursor_mismatch",
          detail: "cursor belongs to another list, sort, filter, workspace or order of text: start again without it"
        })
      )
    }
    return Effect.succeed(JSON.parse(data.subarray(bindingLength).toString()) as ReadonlyArray<string>)
  }

  #opened({ isSealed }: Bound, cursor: string): string {
    if (isSealed !== true) return cursor
    return cursor.startsWith(sealedMark) ? (this.#secrets.open("limited-cursor", cursor.slice(1)) ?? "") : ""
  }
}
