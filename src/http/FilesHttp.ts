import { Effect } from "effect"
import { HttpRouter, HttpServerRequest, type HttpServerResponse } from "effect/http"
import { NotFound, type SheafError } from "../../services/Errors.ts"
import { Attachments } from "../../services/notes/Attachments.ts"
import { Exports } from "../../services/transfers/Exports.ts"
import { Imports } from "../../services/transfers/Imports.ts"
import { zipType } from "../../services/transfers/ExportUrls.ts"
import { SignedUrls, type UrlPurpose } from "../../services/storage/SignedUrls.ts"
import { attachmentAnswer, fileAnswer } from "./FileAnswer.ts"
import { problemOf } from "./Problem.ts"
import * as Respond from "./Respond.ts"
import { closingUnread, uploadSource } from "./Uploads.ts"

const missing = NotFound.of("file")

/** Failures as their problems. */
const told = <E extends SheafError, R>(handler: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
  Effect.catch(handler, problemOf)

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
      return yield* attachmentAnswer(yield* attachments.file(workspace_id, id), expires_at)
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
