import { Effect } from "effect"
import { HttpRouter, HttpServerRequest, type HttpServerResponse } from "effect/http"
import { buffer } from "node:stream/consumers"
import type { Readable } from "node:stream"
import type { ByteRange } from "../../services/storage/Blobs.ts"
import { NotFound, type SheafError } from "../../services/Errors.ts"
import { Attachments } from "../../services/notes/Attachments.ts"
import { Exports } from "../../services/transfers/Exports.ts"
import { Imports } from "../../services/transfers/Imports.ts"
import { zipType } from "../../services/transfers/ExportUrls.ts"
import { SignedUrls, type UrlPurpose } from "../../services/storage/SignedUrls.ts"
import { fileAnswer } from "./FileAnswer.ts"
import { problemOf } from "./Problem.ts"
import * as Respond from "./Respond.ts"
import { closingUnread, uploadSource } from "./Uploads.ts"

const missing = NotFound.of("file")

/** Failures as their problems. */
const told = <E extends SheafError, R>(handler: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
  Effect.catch(handler, problemOf)

/** So much of a file tells what it is. */
const headBytes = 512

const head = <E>(size: number, read: (range?: ByteRange) => Effect.Effect<Readable, E>) =>
  size === 0
    ? Effect.succeed(new Uint8Array())
    : Effect.flatMap(read({ start: 0, end: Math.min(size, headBytes) - 1 }), (body) =>
        Effect.promise(() => buffer(body))
      )

/** `/files/…`: bytes by addresses that are good by themselves (contract 7). Nobody has signed in here. */
export const FilesHttp = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const attachments = yield* Attachments
    const exports = yield* Exports
    const imports = yield* Imports
    const urls = yield* SignedUrls

    /** What the address names, once its signature is found to be good for this; and when it ends. */
    const signed = (purpose: UrlPurpose) =>
      Effect.gen(function* () {
        const { url } = yield* HttpServerRequest.HttpServerRequest
        const { params } = yield* HttpRouter.RouteContext
        const { id, workspace_id } = params
        if (id === undefined || workspace_id === undefined) return yield* missing
        const [path = "", query = ""] = url.split("?", 2)
        const expires_at = yield* urls.verify({ purpose, path }, new URLSearchParams(query))
        return { id, workspace_id, expires_at }
      })

    const download = Effect.gen(function* () {
      const { expires_at, id, workspace_id } = yield* signed("attachment")
      const { read, row } = yield* attachments.file(workspace_id, id)
      return yield* fileAnswer({
        // Its bytes never change; what they are called and taken for may.
        etag: Respond.etagOf(`${row.id} ${row.revision} ${row.sha256}`),
        size: row.size!,
        content_type: row.content_type,
        filename: row.filename,
        expires_at,
        read,
        head: head(row.size!, read)
      })
    })

    const upload = Effect.gen(function* () {
      yield* closingUnread
      const { id, workspace_id } = yield* signed("upload")
      const attachment = yield* attachments.receive(workspace_id, id, uploadSource)
      return yield* Respond.resource(attachment)
    })

    const uploadImport = Effect.gen(function* () {
      yield* closingUnread
      const { id, workspace_id } = yield* signed("import")
      return yield* Respond.resource(yield* imports.receive(workspace_id, id, uploadSource))
    })

    const downloadExport = Effect.gen(function* () {
      const { expires_at, id, workspace_id } = yield* signed("export")
      const { filename, read, sha256, size } = yield* exports.file(workspace_id, id)
      return yield* fileAnswer({
        etag: Respond.etagOf(`${id} ${sha256}`),
        size,
        content_type: zipType,
        filename,
        expires_at,
        read
      })
    })

    yield* router.add("GET", "/files/exports/:workspace_id/:id", told(downloadExport))
    yield* router.add("GET", "/files/:workspace_id/:id", told(download))
    yield* router.add("PUT", "/files/imports/:workspace_id/:id", told(uploadImport))
    yield* router.add("PUT", "/files/uploads/:workspace_id/:id", told(upload))
  })
)
