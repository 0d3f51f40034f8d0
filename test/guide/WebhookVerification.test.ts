import { spawnSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest"
import { systemRandomness } from "../../services/Randomness.ts"
import { makeSecret, signatureOf, signerOf } from "../../services/webhooks/Signature.ts"
import { codeOf, guideModule } from "../support/GuideBlocks.ts"

/** The verification code of the guide to webhooks in both languages, compared with Standard Webhooks. */

const page = "guides/webhooks.md"
const now = 1_772_366_400

interface Request {
  readonly secret: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** The receiver's time in seconds. */
  readonly at: number
}

/** Whether each request is accepted; `error` if the secret is refused. */
type Verify = (requests: ReadonlyArray<Request>) => ReadonlyArray<boolean | "error">

let verifyInTypeScript: Verify

beforeAll(async () => {
  const { isFromSheaf } = await guideModule(page)
  verifyInTypeScript = (requests) =>
    requests.map(({ at, body, headers, secret }) => {
      vi.useFakeTimers({ now: at * 1000, toFake: ["Date"] })
      try {
        return isFromSheaf(secret, headers, Buffer.from(body))
      } catch {
        return "error"
      }
    })
})
afterEach(() => vi.useRealTimers())

const python = `${codeOf(page, "python")}
import json
import sys

def verified(request):
    time.time = lambda: request["at"]
    try:
        return is_from_sheaf(request["secret"], request["headers"], request["body"].encode())
    except Exception:
        return "error"

print(json.dumps([verified(request) for request in json.load(sys.stdin)]))
`

const verifyInPython: Verify = (requests) => {
  const { status, stderr, stdout } = spawnSync("python3", ["-c", python], {
    input: JSON.stringify(requests),
    encoding: "utf8"
  })
  if (status !== 0) throw new Error(stderr)
  return JSON.parse(stdout)
}

const hasPython = spawnSync("python3", ["--version"]).status === 0
const languages: ReadonlyArray<readonly [string, () => Verify, boolean]> = [
  ["TypeScript", () => verifyInTypeScript, true],
  [hasPython ? "Python" : "Python (skipped: no python3 here)", () => verifyInPython, hasPython]
]

const headersOf = (id: string, timestamp: number | string, signature: string) => ({
  "webhook-id": id,
  "webhook-timestamp": String(timestamp),
  "webhook-signature": signature
})

const file = new URL("../../../shared/data/webhooks/vectors.json", import.meta.url)
const isThere = existsSync(file)
const missing = isThere ? "" : " (skipped: no ../shared/data/webhooks here)"

describe.for(languages)("the verification in %s", ([, verifier, isRunnable]) => {
  const verify: Verify = (requests) => verifier()(requests)
  const secret = makeSecret(systemRandomness)
  const signed = (age: number, secrets = [secret], body = "{}"): Request => ({
    secret,
    headers: headersOf("ev_1", now - age, signatureOf(secrets.map(signerOf), "ev_1", now - age, body)),
    body,
    at: now
  })
  const altered = (headers: object): Request => ({ ...signed(0), headers: { ...signed(0).headers, ...headers } })

  it.skipIf(!isRunnable)("accepts signatures of the server, with either secret during a rotation", () => {
    const body = `{"title":"Größe 日本語 🎉 \u2028"}`
    const upperCase = Object.fromEntries(
      Object.entries(signed(0).headers).map(([name, value]) => [name.toUpperCase(), value])
    )
    expect(
      verify([
        signed(0),
        signed(300),
        signed(-300),
        signed(0, [makeSecret(systemRandomness), secret]),
        signed(0, [secret, makeSecret(systemRandomness)]),
        signed(0, [secret], body),
        { ...signed(0), headers: upperCase },
        { ...signed(0), secret: secret.slice("whsec_".length) }
      ])
    ).toEqual(Array.from({ length: 8 }, () => true))
  })

  it.skipIf(!isRunnable)("refuses other secrets, bodies, ids, times and formats", () => {
    const right = signed(0).headers["webhook-signature"]!
    const { "webhook-id": _, ...withoutId } = signed(0).headers
    const { "webhook-timestamp": __, ...withoutTime } = signed(0).headers
    const { "webhook-signature": ___, ...withoutSignature } = signed(0).headers
    const requests: ReadonlyArray<Request> = [
      { ...signed(0), secret: makeSecret(systemRandomness) },
      { ...signed(0), body: "{} " },
      signed(301),
      signed(-301),
      altered({ "webhook-id": "ev_2" }),
      altered({ "webhook-timestamp": String(now - 1) }),
      altered({ "webhook-timestamp": "hello" }),
      altered({ "webhook-timestamp": `${now}.0` }),
      altered({ "webhook-timestamp": "²" }),
      altered({ "webhook-signature": right.slice("v1,".length) }),
      altered({ "webhook-signature": right.replace("v1,", "v2,") }),
      altered({ "webhook-signature": right.slice(0, 10) }),
      altered({ "webhook-signature": "v1," }),
      altered({ "webhook-signature": "v1,ä" }),
      altered({ "webhook-signature": "" }),
      ...[withoutId, withoutTime, withoutSignature, {}].map((headers) => ({ ...signed(0), headers }))
    ]
    expect(verify(requests)).toEqual(requests.map(() => false))
  })

  it.skipIf(!isRunnable)("refuses an empty secret", () => {
    expect(verify(["", "whsec_"].map((secret) => ({ ...signed(0), secret })))).toEqual(["error", "error"])
  })

  it.skipIf(!isRunnable || !isThere)(`agrees with the vectors of Standard Webhooks${missing}`, () => {
    const { multi, rotation, sign, verify_must_fail } = JSON.parse(readFileSync(file, "utf8"))
    const requests: ReadonlyArray<Request> = [
      ...sign.map(({ id, payload, secret, signature, timestamp }: any) => ({
        secret,
        headers: headersOf(id, timestamp, signature),
        body: payload,
        at: timestamp
      })),
      {
        secret: multi.secret,
        headers: headersOf(multi.id, multi.timestamp, multi.header),
        body: multi.payload,
        at: multi.timestamp
      },
      ...[rotation.old, rotation.new].map((secret: string) => ({
        secret,
        headers: headersOf(rotation.id, rotation.timestamp, rotation.header_any_order.join(" ")),
        body: rotation.payload,
        at: rotation.timestamp
      }))
    ]
    expect(requests.length).toBeGreaterThan(8)
    expect(verify(requests)).toEqual(requests.map(() => true))
    const wrong = verify_must_fail.filter((each: any) => each.headers !== undefined)
    expect(wrong.length).toBeGreaterThan(4)
    const first = requests[0]!
    expect(verify(wrong.map(({ headers }: any) => ({ ...first, headers: { ...first.headers, ...headers } })))).toEqual(
      wrong.map(() => false)
    )
  })
})
