import { Schema } from "effect"
import * as Text from "../Text.ts"
import { authSecret, publicKey } from "./PushMessage.ts"

const exampleKey = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"

/** Contract 5, reminders. */
export const PushSubscription = Schema.Struct({
  public_key: Schema.String.annotate({
    description: "The `applicationServerKey` for the subscription of a browser, in base64url.",
    examples: [exampleKey]
  }),
  endpoint: Schema.NullOr(Schema.String).annotate({
    description: "The endpoint of the subscription; null if the device is not subscribed.",
    examples: ["https://push.example.com/send/9f3b1c"]
  })
}).annotate({ identifier: "PushSubscription" })
export type PushSubscription = typeof PushSubscription.Type

const key = (
  is: (text: string) => string | undefined,
  what: string,
  description: string,
  example: string,
  maxLength: number
) =>
  Schema.String.check(
    Text.checked(
      "invalid",
      `must be ${what}, in base64url`,
      (text) => text.length <= maxLength && is(text) !== undefined,
      {
        maxLength
      }
    )
  ).annotate({ description, examples: [example] })

/** The output of a browser's `PushSubscription.toJSON()`. */
export const PushSubscribe = Schema.Struct({
  endpoint: Text.Text.annotate({
    description: "The address of the push service for this subscription: an https URL of a public host.",
    examples: ["https://push.example.com/send/9f3b1c"]
  }),
  keys: Schema.Struct({
    p256dh: key(publicKey, "a point of P-256, 65 bytes", "The browser's public key.", exampleKey, 100),
    auth: key(authSecret, "16 bytes", "Its authentication secret.", "BTBZMqHH6r4Tts7J_aSIgg", 40)
  }).annotate({ description: "The keys for encrypting messages to it (RFC 8291)." }),
  expirationTime: Schema.optionalKey(Text.Ignored).annotateKey({
    description: "Accepted and not used: the push service reports when a subscription has ended."
  })
}).annotate({ identifier: "PushSubscribe" })
export type PushSubscribe = typeof PushSubscribe.Type
