import { Schema } from "effect"
import { email } from "../Email.ts"
import * as Fields from "../Fields.ts"
import { listOf } from "../lists/ListSpec.ts"

/** A mail that waits, or was given up in the last 7 days (contract 11). Its text is not shown. */
export const ServerMail = Schema.Struct({
  id: Fields.text("The id of the mail, which is also in its Message-ID.", "0VCcGn8iBvavW0CMiePEXu"),
  recipient: Fields.text("The address that it goes to.", "anna@example.org"),
  state: Schema.Literals(["waiting", "retrying", "failed"]).annotate({
    description: "`retrying`: a try failed, and another one follows. `failed`: it was given up.",
    examples: ["failed"]
  }),
  attempts: Fields.count("Number of tries.", 1),
  next_at: Schema.NullOr(Fields.time("When the next try begins; null if none does.")).annotate({ examples: [null] }),
  error: Schema.NullOr(Fields.text("Why it was given up: a code of SMTP or of the system; else null.", "550")),
  created_at: Fields.createdAt
}).annotate({ identifier: "ServerMail" })
export type ServerMail = typeof ServerMail.Type

/** The result of a test mail. */
export const MailTest = Schema.Struct({
  recipient: Fields.text("The address that it goes to.", "anna@example.org"),
  sent: Schema.Boolean.annotate({ description: "Whether the SMTP server has accepted it.", examples: [true] }),
  error: Schema.NullOr(
    Fields.text(
      "Why it was not sent: a code of SMTP or of the system; null if it was sent, or if there is no SMTP server and it is in DATA_DIR/outbox.",
      "ECONNREFUSED"
    )
  ).annotate({ examples: [null] })
}).annotate({ identifier: "MailTest" })
export type MailTest = typeof MailTest.Type

export const MailTestCreate = Schema.Struct({
  email: email({ description: "The address that it goes to.", examples: ["anna@example.org"] })
}).annotate({ identifier: "MailTestCreate" })

export const serverMailList = listOf(ServerMail, {
  path: "/admin/mails",
  from: `(SELECT id, recipient, CASE WHEN attempts > 0 THEN 'retrying' ELSE 'waiting' END AS state, attempts, next_at,
      NULL AS error, created_at FROM mails
    UNION ALL SELECT id, recipient, 'failed', attempts, NULL, error, created_at FROM failed_mails) m`,
  sort: ["-created_at"],
  filter: ["id", "recipient", "state", "created_at"],
  words: ["recipient"],
  enums: ["state"],
  indexed: { id: "few" }
})
