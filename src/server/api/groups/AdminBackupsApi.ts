import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { PasswordConfirmation } from "../../../../services/admin/OperatorEffect.ts"
import { BackupDownload, ServerBackup, serverBackupList } from "../../../../services/admin/ServerBackup.ts"
import { Accepted } from "../../../../services/identity/Session.ts"
import { Access, administers } from "../Authorization.ts"
import { ShownOnce } from "../Conventions.ts"
import { id, list, optionalBody, page } from "../Envelopes.ts"
import { listing, operation } from "../Operation.ts"

export class AdminBackupsApi extends HttpApiGroup.make("adminBackups")
  .add(
    HttpApiEndpoint.get("list", "/", { query: page, success: list(ServerBackup) })
      .annotateMerge(
        operation(
          "adminListBackups",
          "List backups",
          "The attempts to back up: those that succeeded, the last failed ones, and one that runs. `GET /admin/server` has their plan.",
          listing(serverBackupList)
        )
      )
      .annotate(Access, administers.read),
    HttpApiEndpoint.post("begin", "/", { success: Accepted.pipe(HttpApiSchema.status(202)) })
      .annotateMerge(
        operation(
          "adminBeginBackup",
          "Make a backup now",
          "Begins a backup in the place of BACKUP_TO, encrypted as scheduled ones are. Its attempt is in the list soon.",
          { codes: ["invalid_state"] }
        )
      )
      .annotate(Access, administers.write("none")),
    HttpApiEndpoint.get("get", "/:id", { params: id, success: ServerBackup })
      .annotateMerge(operation("adminGetBackup", "Get a backup", "An attempt to back up, with its result."))
      .annotate(Access, administers.read),
    HttpApiEndpoint.post("download", "/:id/download", {
      params: id,
      payload: optionalBody(PasswordConfirmation),
      success: BackupDownload
    })
      .annotateMerge(
        operation(
          "adminDownloadBackup",
          "Get the URL of a backup",
          "A signed URL that is valid for 15 minutes. The node of the request must reach the file. Only the first response to an Idempotency-Key has it; a repetition is 409 `invalid_state`.",
          { codes: ["invalid_state"] }
        )
      )
      .annotate(Access, administers.write("takes data"))
      .annotate(ShownOnce, true)
  )
  .prefix("/admin/backups")
  .annotateMerge(
    OpenApi.annotations({ title: "Backups of the server", description: "Backups, for operators of the server." })
  ) {}
