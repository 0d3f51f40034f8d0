import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { MailTest, MailTestCreate, ServerMail, serverMailList } from "../../../../services/admin/ServerMail.ts"
import { Access, administers } from "../Authorization.ts"
import { id, list, page } from "../Envelopes.ts"
import { listing, operation } from "../Operation.ts"

export class AdminMailsApi extends HttpApiGroup.make("adminMails")
  .add(
    HttpApiEndpoint.get("list", "/", { query: page, success: list(ServerMail) })
      .annotateMerge(
        operation(
          "adminListMails",
          "List the mails that wait or have failed",
          "Mails that wait to be sent, and those that were given up in the last 7 days, without their texts.",
          listing(serverMailList)
        )
      )
      .annotate(Access, administers.read),
    HttpApiEndpoint.get("get", "/:id", { params: id, success: ServerMail })
      .annotateMerge(operation("adminGetMail", "Get a mail that waits or has failed", "Without its text."))
      .annotate(Access, administers.read),
    HttpApiEndpoint.post("test", "/test", { payload: MailTestCreate, success: MailTest })
      .annotateMerge(
        operation(
          "adminTestMail",
          "Send a test mail",
          "Sends a mail at once, past the queue, and returns the response of the SMTP server. One is sent at a time.",
          { codes: ["invalid_state"] }
        )
      )
      .annotate(Access, administers.write("none")),
    HttpApiEndpoint.post("resend", "/:id/resend", { params: id, success: ServerMail })
      .annotateMerge(
        operation(
          "adminResendMail",
          "Send a mail again",
          "Sends it now, and again for three days if that fails. A link in it may have expired. The response is 404 if it was sent meanwhile."
        )
      )
      .annotate(Access, administers.write("none"))
  )
  .prefix("/admin/mails")
  .annotateMerge(
    OpenApi.annotations({ title: "Mails of the server", description: "The outbox, for operators of the server." })
  ) {}
