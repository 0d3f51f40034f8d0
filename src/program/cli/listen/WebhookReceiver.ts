import { Console, Effect } from "effect"
import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { timingSafeEqual } from "node:crypto"
import { Operator } from "../../../../services/identity/operators/Operator.ts"
import { signatureOf, signerOf } from "../../../../services/webhooks/Signature.ts"
import { Webhooks } from "../../../../services/webhooks/Webhooks.ts"
import { Workspaces } from "../../../../services/workspaces/Workspaces.ts"
import { ConfigError } from "../../../server/settings/Config.ts"
import * as Output from "../Output.ts"

/** Maximum age of a message in seconds (Standard Webhooks 1.0, "Verifying webhook authenticity"). */
const tolerance = 300
/** Maximum bytes of a message, more than any event has. */
const maxBytes = 16 * 1024 * 1024

/** The reason why a message is not valid; undefined if it is valid. */
const faultOf = ({ headers }: IncomingMessage, body: string, secret: string): string | undefined => {
  const [id, seconds, signature] = ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) =>
    String(headers[name] ?? "")
  ) as [string, string, string]
  if (Math.abs(Date.now() / 1000 - Number(seconds)) > tolerance) return "it is too old"
  const expected = Buffer.from(signatureOf([signerOf(secret)], id, Number(seconds), body))
  const isKnown = signature.split(" ").some((each) => {
    const given = Buffer.from(each)
    return given.length === expected.length && timingSafeEqual(given, expected)
  })
  return isKnown ? undefined : "its signature is wrong"
}

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Array<Buffer> = []
  let size = 0
  for await (const chunk of request) {
    size += chunk.length
    if (size > maxBytes) throw new Error("it is too large")
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

interface Received {
  readonly at: string
  readonly id: string
  readonly verified: boolean
  readonly body: string
}

/** A local server that reports the messages it receives, until the scope closes. */
const receiver = (secret: () => string, report: (received: Received) => void) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const server = createServer((request: IncomingMessage, response: ServerResponse) => {
        bodyOf(request).then(
          (body) => {
            const fault = faultOf(request, body, secret())
            report({
              at: new Date().toISOString(),
              id: String(request.headers["webhook-id"] ?? ""),
              verified: fault === undefined,
              body
            })
            response.writeHead(fault === undefined ? 204 : 400).end(fault)
          },
          () => response.destroy()
        )
      })
      server.listen(0, "127.0.0.1")
      await once(server, "listening")
      return server
    }),
    (server) =>
      Effect.sync(() => {
        server.close()
        server.closeAllConnections()
      })
  )

const workspaceOf = Effect.fnUntraced(function* (named: string | undefined) {
  const operator = yield* Operator
  if (named !== undefined) return yield* operator.workspace(named)
  const all = yield* (yield* Workspaces).all("")
  const [oldest] = all
    .filter(({ deleted_at }) => deleted_at === null)
    .toSorted((one, other) => one.created_at.localeCompare(other.created_at))
  if (oldest === undefined) return yield* new ConfigError({ message: "There is no workspace" })
  return yield* operator.workspace(oldest.id)
})

/** Creates a webhook that delivers to this process, verifies and prints each delivery, and removes the webhook at the end. */
export const receiving = Effect.fnUntraced(function* (named: string | undefined, events: ReadonlyArray<string>) {
  const webhooks = yield* Webhooks
  const isJson = yield* Output.Json
  const workspace_id = yield* workspaceOf(named)
  let secret = ""
  const print = ({ at, body, id, verified }: Received) => {
    const { data, type } = JSON.parse(body)
    if (isJson) return console.log(JSON.stringify({ at, verified, event: JSON.parse(body) }))
    const parts = [at, verified ? "verified" : "NOT VERIFIED", id, type, data?.resource_id]
    console.log(Output.plain(parts.join("  ")))
  }
  const server = yield* receiver(() => secret, print)
  const address = server.address()
  const port = address === null || typeof address === "string" ? 0 : address.port
  const hook = yield* Effect.acquireRelease(
    Effect.catchTag(
      webhooks.issue(workspace_id, { url: `http://127.0.0.1:${port}/`, events }),
      "Invalid",
      () =>
        new ConfigError({
          message: "WEBHOOK_ALLOW must contain 127.0.0.1, for this command and for the server: WEBHOOK_ALLOW=127.0.0.1"
        })
    ),
    ({ id }) =>
      // The webhook may have been deleted meanwhile.
      Effect.catchTag(webhooks.revoke(workspace_id, id), "NotFound", () => Effect.void)
  )
  secret = hook.secret!
  if (!isJson) {
    yield* Console.log(`Webhook ${hook.id} of ${workspace_id} receives ${events.join(", ")}; Ctrl-C removes it.`)
  }
  return yield* Effect.never
})
