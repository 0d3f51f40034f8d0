import { createECDH, createPublicKey, randomBytes, verify } from "node:crypto"
import type { IncomingMessage, ServerResponse } from "node:http"
import { decrypt } from "../../../src/program/testing/PushDevices.ts"
import type { Certificate } from "./Certificate.ts"
import { HttpServer } from "./HttpServer.ts"

/** A received message with its decrypted payload. */
export interface PushedMessage {
  readonly id: string
  readonly ttl: string | undefined
  readonly topic: string | undefined
  readonly urgency: string | undefined
  readonly payload: any
}

/** The response to the messages of a subscription: a status, or none. */
export type PushFault = number | "hang"

/** Returns what is wrong with the identification of the sender (RFC 8292); undefined if nothing is. */
const vapidFault = (authorization: string, origin: string, wanted: string, now: number): string | undefined => {
  const [, token = "", key = ""] = /^vapid t=([^,]+), ?k=([\w-]+)$/.exec(authorization) ?? []
  if (key !== wanted) return "the key is not the one that the browser subscribed with"
  const [header = "", claims = "", signature = ""] = token.split(".")
  const point = Buffer.from(key, "base64url")
  const coordinate = (from: number) => point.subarray(from, from + 32).toString("base64url")
  const jwk = { kty: "EC", crv: "P-256", x: coordinate(1), y: coordinate(33) }
  const publicKey = createPublicKey({ format: "jwk", key: jwk })
  const signed = Buffer.from(`${header}.${claims}`)
  if (!verify("sha256", signed, { key: publicKey, dsaEncoding: "ieee-p1363" }, Buffer.from(signature, "base64url"))) {
    return "the signature is wrong"
  }
  const { aud, exp, sub } = JSON.parse(Buffer.from(claims, "base64url").toString())
  if (aud !== origin) return `the audience is ${aud}`
  if (!(exp > now / 1000 && exp <= now / 1000 + 86_400)) return `the expiry is ${exp}`
  return /^(https:|mailto:.+@)/.test(sub) ? undefined : `the subject is ${sub}`
}

/** A push service with its subscribed browsers: it verifies the sender and decrypts the messages. */
export class PushSink {
  readonly received: Array<PushedMessage> = []
  /** What was wrong with received messages. */
  readonly wrong: Array<string> = []
  readonly faults = new Map<string, PushFault>()
  /** Requests that got the fault "hang". */
  readonly hung: Array<{ readonly id: string; readonly response: ServerResponse }> = []
  private readonly browsers = new Map<string, { readonly key: string; readonly decrypt: (body: Buffer) => string }>()
  private readonly now: () => number
  private server!: HttpServer

  private constructor(now: () => number) {
    this.now = now
  }

  /** `now` is the sender's clock. */
  static async start(certificate: Certificate, now: () => number): Promise<PushSink> {
    const sink = new PushSink(now)
    sink.server = await HttpServer.start((request, response) => void sink.answer(request, response), certificate)
    return sink
  }

  get origin(): string {
    return `https://push.example:${this.server.port}`
  }

  /** Subscribes a browser with a public key, and returns its subscription. */
  subscribe(public_key: string) {
    const ecdh = createECDH("prime256v1")
    const p256dh = ecdh.generateKeys("base64url")
    const auth = randomBytes(16)
    const id = randomBytes(9).toString("base64url")
    this.browsers.set(id, { key: public_key, decrypt: (body) => decrypt(body, ecdh, auth) })
    const keys = { p256dh, auth: auth.toString("base64url") }
    return { id, subscription: { endpoint: `${this.origin}/push/${id}`, expirationTime: null, keys } }
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Array<Buffer> = []
    try {
      for await (const chunk of request) chunks.push(chunk)
    } catch {
      // The sender has closed the connection.
      return
    }
    const { headers, method, url = "" } = request
    const id = url.replace("/push/", "")
    const browser = this.browsers.get(id)
    if (method !== "POST" || browser === undefined) return void response.writeHead(404).end()
    const fault = this.faults.get(id)
    if (fault === "hang") return void this.hung.push({ id, response })
    const text = (name: string) => headers[name] as string | undefined
    const refused = vapidFault(headers.authorization ?? "", this.origin, browser.key, this.now())
    if (refused !== undefined) this.wrong.push(refused)
    if (headers["content-encoding"] !== "aes128gcm") this.wrong.push(`the encoding is ${headers["content-encoding"]}`)
    const [ttl, topic, urgency] = [text("ttl"), text("topic"), text("urgency")]
    const payload = JSON.parse(browser.decrypt(Buffer.concat(chunks)))
    this.received.push({ id, ttl, topic, urgency, payload })
    response.writeHead(fault ?? 201).end()
  }

  /** Responds to all requests that hang, and removes all faults. */
  release(): void {
    this.faults.clear()
    for (const { response } of this.hung) response.writeHead(410).end()
  }

  stop(): Promise<void> {
    return this.server.stop()
  }
}
