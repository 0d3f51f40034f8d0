import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { PasswordConfirmation } from "../../../../../services/admin/OperatorEffect.ts"
import { BackupDownload, ServerBackup, serverBackupList } from "../../../../../services/admin/ServerBackup.ts"
import { Accepted } from "../../../../../services/identity/Session.ts"
import { administers } from "../../Authorization.ts"
import { ShownOnce } from "../../Conventions.ts"
import { id, list, optionalBody, page } from "../../Envelopes.ts"
import { describing, listing, operations } from "../../Operation.ts"

const read = operations(administers.read)
const write = operations(administers.write("none"))

export class AdminBackupsApi extends HttpApiGroup.make("adminBackups")
  .add(
    HttpApiEndpoint.get("list", "/", { query: page, success: list(ServerBackup) }).annotateMerge(
      read(
        "adminListBackups",
        "List backups",
        "The attempts to back up: those that succeeded, the last failed ones, and one that runs. `GET /admin/server` has their plan.",
        listing(serverBackupList)
      )
    ),
    HttpApiEndpoint.post("begin", "/", { success: Accepted.pipe(HttpApiSchema.status(202)) }).annotateMerge(
      write(
        "adminBeginBackup",
        "Make a backup now",
        "Begins a backup in the place of BACKUP_TO, encrypted as scheduled ones are. Its attempt is in the list soon.",
        { codes: ["invalid_state"] }
      )
    ),
    HttpApiEndpoint.post("beginDrill", "/drill", { success: Accepted.pipe(HttpApiSchema.status(202)) }).annotateMerge(
      write(
        "adminBeginDrill",
        "Check a restore now",
        "Begins a drill: the newest backup in BACKUP_TO is restored into a scratch database, and compared. Its result is soon in `backups.drills` of `GET /admin/server`.",
        { codes: ["invalid_state"] }
      )
    ),
    HttpApiEndpoint.get("get", "/:id", { params: id, success: ServerBackup }).annotateMerge(
      read("adminGetBackup", "Get a backup", "An attempt to back up, with its result.")
    ),
    HttpApiEndpoint.post("download", "/:id/download", {
      params: id,
      payload: optionalBody(PasswordConfirmation),
      success: BackupDownload
    })
      .annotateMerge(
        operations(administers.write("takes data"))(
          "adminDownloadBackup",
          "Get the URL of a backup",
          "A signed URL that is valid for 15 minutes. The node of the request must reach the file. Only the first response to an Idempotency-Key has it; a repetition is 409 `invalid_state`.",
          { codes: ["invalid_state"] }
        )
      )
      .annotate(ShownOnce, true)
  )
  .prefix("/admin/backups")
  .annotateMerge(describing("Backups of the server", "Backups, for operators of the server.")) {}
