import { Effect } from "effect"
import { HttpRouter, HttpServerRequest, type HttpServerResponse } from "effect/http"
import { ServerBackups } from "../../../../services/admin/ServerBackups.ts"
import { NotFound, type SheafError } from "../../../../services/Errors.ts"
import type { UserId, WorkspaceId } from "../../../../services/Ids.ts"
import { isAtLeast, type Role } from "../../../../services/Principal.ts"
import { Attachments } from "../../../../services/notes/attachments/Attachments.ts"
import { Exports } from "../../../../services/transfers/exports/Exports.ts"
import { Imports } from "../../../../services/transfers/imports/Imports.ts"
import { zipType } from "../../../../services/transfers/exports/ExportUrls.ts"
import { forged, invalid, SignedUrls, type UrlPurpose } from "../../../../services/files/SignedUrls.ts"
import { Throttles } from "../../../../services/limits/Throttles.ts"
import { Members } from "../../../../services/workspaces/Members.ts"
import { insufficient } from "../../../../services/workspaces/RoleChecks.ts"
import { origin } from "../server/ClientAddress.ts"
import { attachmentResponse, fileResponse, savedResponse } from "../responses/FileResponse.ts"
import { problemOf } from "../responses/Problem.ts"
import * as Respond from "../responses/Respond.ts"
import { closingUnread, uploadSource } from "../server/Uploads.ts"

const missing = NotFound.of("file")

/** `/files/…`: downloads and uploads at signed URLs, without a credential (contract 7). */
export const FilesHttp = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const attachments = yield* Attachments
    const backups = yield* ServerBackups
    const exports = yield* Exports
    const imports = yield* Imports
    const urls = yield* SignedUrls
    const members = yield* Members
    const throttles = yield* Throttles

    /** Turns failures of a handler into problems, and counts wrong signatures as invalid credentials. */
    const withProblems = <E extends SheafError, R>(
      handler: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
    ) =>
      Effect.flatMap(origin, ({ ip }) =>
        Effect.catch(
          throttles.credential<HttpServerResponse.HttpServerResponse, SheafError, R>(
            ip,
            handler,
            (error) => error === forged
          ),
          problemOf
        )
      )

    /** The record of a signed URL and its expiry, if the signature is valid for the purpose and the user has the role. */
    const signed = (purpose: UrlPurpose, least: Role) =>
      Effect.gen(function* () {
        const { url } = yield* HttpServerRequest.HttpServerRequest
        const { params } = yield* HttpRouter.RouteContext
        const { id, workspace_id } = params
        if (id === undefined || workspace_id === undefined) return yield* missing
        const [path = "", query = ""] = url.split("?", 2)
        const { expires_at, user_id } = yield* urls.verify({ purpose, path }, new URLSearchParams(query))
        const role = yield* members.roleOf(workspace_id, user_id)
        if (role === undefined) return yield* invalid
        if (!isAtLeast(role, least)) return yield* insufficient(least)
        const by = { user_id: user_id as UserId, workspace_id: workspace_id as WorkspaceId }
        return { id, by, role, expires_at }
      })

    const download = Effect.gen(function* () {
      const { by, expires_at, id } = yield* signed("attachment", "viewer")
      return yield* attachmentResponse(yield* attachments.file(by.workspace_id, id), expires_at)
    })

    const upload = Effect.gen(function* () {
      yield* closingUnread
      const { by, id } = yield* signed("upload", "editor")
      const attachment = yield* attachments.receive(by, id, uploadSource)
      return yield* Respond.resource(attachment)
    })

    const uploadImport = Effect.gen(function* () {
      yield* closingUnread
      // If the member may no longer write, the import ends as failed, which its record shows.
      const { by, id } = yield* signed("import", "viewer")
      return yield* Respond.resource(yield* imports.receive(by, id, uploadSource))
    })

    const downloadExport = Effect.gen(function* () {
      const { by, expires_at, id, role } = yield* signed("export", "viewer")
      const { filename, read, sha256, size } = yield* exports.file(by.workspace_id, id, role)
      const request = yield* HttpServerRequest.HttpServerRequest
      if (request.method === "GET") {
        const actor = { ...(yield* origin), user_id: by.user_id, device_id: null }
        yield* exports.downloaded(actor, by.workspace_id, id)
      }
      return yield* fileResponse({
        etag: Respond.etagOf(`${id} ${sha256}`),
        size,
        content_type: zipType,
        filename,
        expires_at,
        read
      })
    })

    const downloadBackup = Effect.gen(function* () {
      const { url } = yield* HttpServerRequest.HttpServerRequest
      const { params } = yield* HttpRouter.RouteContext
      const [path = "", query = ""] = url.split("?", 2)
      // Until the response has the stream, nothing else would close it.
      return yield* Effect.uninterruptible(
        Effect.flatMap(backups.open(params["id"] ?? "", path, new URLSearchParams(query)), savedResponse)
      )
    })

    yield* router.add("GET", "/files/backups/:id", withProblems(downloadBackup))
    yield* router.add("GET", "/files/exports/:workspace_id/:id", withProblems(downloadExport))
    yield* router.add("GET", "/files/:workspace_id/:id", withProblems(download))
    yield* router.add("PUT", "/files/imports/:workspace_id/:id", withProblems(uploadImport))
    yield* router.add("PUT", "/files/uploads/:workspace_id/:id", withProblems(upload))
  })
)
