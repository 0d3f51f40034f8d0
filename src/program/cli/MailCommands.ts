import { Effect } from "effect"
import * as TestMail from "../../../services/mail/TestMail.ts"
import { load } from "../../server/settings/Config.ts"
import * as Ports from "../Ports.ts"
import { command, group } from "./OperatorCommand.ts"
import * as Output from "./Output.ts"
import { Refused } from "./Refused.ts"
import { email } from "./accounts/UserCommands.ts"

const test = command("test", {
  description: "Send a mail at once, without the database, and show the response of the mail server",
  examples: [["sheaf mail test anna@example.org", "Send a test mail"]],
  input: { email },
  run: Effect.fnUntraced(function* ({ email }) {
    const settings = yield* load
    const sent = yield* TestMail.send(email, settings.publicUrl, "en").pipe(
      Effect.provide(Ports.mailer(settings)),
      Effect.mapError(({ code }) => new Refused({ message: `The mail to ${email} was not sent: ${code}` }))
    )
    yield* Output.show(
      { recipient: email, sent },
      sent
        ? "The mail server has accepted the mail."
        : "There is no mail server: the mail is in DATA_DIR/outbox. Set SMTP_URL."
    )
  })
})

export const mail = group("mail", "Mail", [test])
