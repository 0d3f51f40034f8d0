import { Effect, Redacted } from "effect"
import type { AlarmWebhook } from "../../../services/admin/AlarmWebhook.ts"
import { keyOf } from "../../../services/webhooks/Signature.ts"
import { webUrl } from "./SettingParsers.ts"
import { ConfigError, secretVariable, variable } from "./Variables.ts"

export interface AlarmSettings {
  readonly webhook: AlarmWebhook | undefined
  /** The address of a list of releases, which is read once a day; without it none is. */
  readonly releases: string | undefined
}

const anAddress = "an http or https URL"

export const alarmSettings = Effect.gen(function* () {
  const url = yield* variable("ALARM_WEBHOOK", anAddress, webUrl)
  const secret = yield* secretVariable("ALARM_WEBHOOK_SECRET", "whsec_ and 24 to 64 bytes in base64", (text) =>
    keyOf(text) === undefined ? undefined : Redacted.make(text)
  )
  if (secret !== undefined && url === undefined) {
    return yield* new ConfigError({ message: "ALARM_WEBHOOK is required with ALARM_WEBHOOK_SECRET" })
  }
  const releases = yield* variable("RELEASES_URL", anAddress, webUrl)
  return { webhook: url === undefined ? undefined : { url, secret }, releases } satisfies AlarmSettings
})
