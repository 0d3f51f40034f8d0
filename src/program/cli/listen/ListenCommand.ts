import { Effect, Redacted } from "effect"
import { Flag } from "effect/cli"
import { keyOf } from "../../../../services/webhooks/Signature.ts"
import { patterns } from "../../../../services/webhooks/Webhook.ts"
import { onDatabase } from "../CommandServices.ts"
import { command } from "../OperatorCommand.ts"
import { Refused } from "../Refused.ts"
import { forwarding, maxReplayed } from "./EventForwarding.ts"
import { receiving } from "./WebhookReceiver.ts"

const isAddress = (text: string): boolean => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)

/** An address with or without the path of the API. */
const baseUrl = (text: string): string => {
  const url = new URL(text)
  return url.pathname === "/" ? `${url.origin}/v2` : text
}

/** A flag that only forwarding has; undefined without it. */
const optional = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.withDefault(undefined))

const address = (name: string, description: string) =>
  Flag.String(name).pipe(
    Flag.filter(isAddress, () => "Expected a URL such as http://localhost:3000/hook"),
    Flag.withDescription(description),
    Flag.withDefault(undefined)
  )

const input = {
  workspace: optional("workspace", "Without --forward-to: the id or slug of a workspace; default: the oldest one"),
  events: Flag.String("events").pipe(
    Flag.map((text) => [...new Set(text.split(",").map((pattern) => pattern.trim()))]),
    Flag.filter(
      (all) => all.every((pattern) => patterns.includes(pattern)),
      () => "Expected event types separated by commas, such as note.created,tag.* or *"
    ),
    Flag.withDescription("Event types separated by commas, such as note.created,tag.*; default: all"),
    Flag.withDefault(["*"])
  ),
  forwardTo: address("forward-to", "Send the events of any server to this URL, signed as webhooks are"),
  url: address("url", "With --forward-to: the address of the server; default: SHEAF_URL"),
  key: optional(
    "key",
    "With --forward-to: an API key of the workspace; default: SHEAF_KEY, which other users of this machine cannot see"
  ),
  secret: Flag.String("secret").pipe(
    Flag.filter(
      (text) => keyOf(text) !== undefined,
      () => "Expected whsec_ and 24 to 64 bytes in base64"
    ),
    Flag.withDescription("With --forward-to: the signing secret; default: a new one, which is printed"),
    Flag.withDefault(undefined)
  ),
  since: optional("since", "With --forward-to: first send the events after this one (ev_…)"),
  replay: Flag.Int("replay").pipe(
    Flag.filter(
      (count) => count >= 0 && count <= maxReplayed,
      () => `Expected a number up to ${maxReplayed}`
    ),
    Flag.withDescription("With --forward-to: first send this number of past events again"),
    Flag.withDefault(undefined)
  )
}

export const listen = command("listen", {
  description:
    "Receive, verify and print webhooks of the running server on this machine, or forward the events of any server to " +
    "a URL, until Ctrl-C",
  examples: [
    ["sheaf listen --events note.*,tag.created", "Receive events of notes, and of new tags"],
    [
      "SHEAF_KEY=sfk_… sheaf listen --forward-to http://localhost:3000/hook --url https://notes.example.org",
      "Forward the events of the key's workspace"
    ]
  ],
  input,
  run: ({ events, forwardTo, workspace, ...more }) =>
    Effect.gen(function* () {
      // Ctrl-C is how this command ends.
      process.exitCode = 0
      const { key = process.env["SHEAF_KEY"], replay, secret, since, url = process.env["SHEAF_URL"] } = more
      if (forwardTo === undefined) {
        const given = Object.entries(more).find(([, value]) => value !== undefined)
        if (given !== undefined) return yield* new Refused({ message: `--${given[0]} needs --forward-to` })
        return yield* onDatabase(Effect.scoped(receiving(workspace, events)))
      }
      if (workspace !== undefined) return yield* new Refused({ message: "--forward-to uses the workspace of the key" })
      if (replay !== undefined && since !== undefined)
        return yield* new Refused({ message: "--replay and --since exclude each other" })
      if (key === undefined) return yield* new Refused({ message: "--forward-to needs --key or SHEAF_KEY" })
      if (url === undefined || !isAddress(url))
        return yield* new Refused({
          message: "--forward-to needs --url or SHEAF_URL, such as https://notes.example.org"
        })
      return yield* forwarding({
        url: baseUrl(url),
        key: Redacted.make(key),
        forwardTo,
        events,
        secret,
        since,
        replay: replay ?? 0
      })
    })
})
