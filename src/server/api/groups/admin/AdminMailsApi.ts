import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { MailTest, MailTestCreate, ServerMail, serverMailList } from "../../../../../services/admin/ServerMail.ts"
import { administers } from "../../Authorization.ts"
import { id, list, page } from "../../Envelopes.ts"
import { describing, listing, operations } from "../../Operation.ts"

const read = operations(administers.read)
const write = operations(administers.write("none"))

export class AdminMailsApi extends HttpApiGroup.make("adminMails")
  .add(
    HttpApiEndpoint.get("list", "/", { query: page, success: list(ServerMail) }).annotateMerge(
      read(
        "adminListMails",
        "List the mails that wait or have failed",
        "Mails that wait to be sent, and those that were given up in the last 7 days, without their texts.",
        listing(serverMailList)
      )
    ),
    HttpApiEndpoint.get("get", "/:id", { params: id, success: ServerMail }).annotateMerge(
      read("adminGetMail", "Get a mail that waits or has failed", "Without its text.")
    ),
    HttpApiEndpoint.post("test", "/test", { payload: MailTestCreate, success: MailTest }).annotateMerge(
      write(
        "adminTestMail",
        "Send a test mail",
        "Sends a mail at once, past the queue, and returns the response of the SMTP server. One is sent at a time.",
        { codes: ["invalid_state"] }
      )
    ),
    HttpApiEndpoint.post("resend", "/:id/resend", { params: id, success: ServerMail }).annotateMerge(
      write(
        "adminResendMail",
        "Send a mail again",
        "Sends it now, and again for three days if that fails. A link in it may have expired. The response is 404 if it was sent meanwhile."
      )
    )
  )
  .prefix("/admin/mails")
  .annotateMerge(describing("Mails of the server", "The outbox, for operators of the server.")) {}
