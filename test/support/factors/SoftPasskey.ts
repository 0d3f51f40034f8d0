import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto"

const base64url = (bytes: Uint8Array | string): string => Buffer.from(bytes).toString("base64url")
const sha256 = (bytes: Uint8Array | string): Buffer => createHash("sha256").update(bytes).digest()

/** CBOR (RFC 8949) of the few types that WebAuthn needs. */
const cbor = (value: number | string | Uint8Array | ReadonlyMap<number | string, unknown>): Buffer => {
  const head = (major: number, length: number): Buffer =>
    length < 24
      ? Buffer.from([(major << 5) | length])
      : length < 256
        ? Buffer.from([(major << 5) | 24, length])
        : Buffer.from([(major << 5) | 25, length >> 8, length & 255])
  if (typeof value === "number") return value < 0 ? head(1, -1 - value) : head(0, value)
  if (typeof value === "string") return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
  if (value instanceof Map) {
    const entries = [...value].flatMap(([key, each]) => [cbor(key), cbor(each)])
    return Buffer.concat([head(5, value.size), ...entries])
  }
  return Buffer.concat([head(2, (value as Uint8Array).length), value as Uint8Array])
}

const present = 1
const verified = 4
const attested = 64

/** An authenticator with one passkey (WebAuthn, ES256), as browsers report it. Members can be set to make it lie. */
export class SoftPasskey {
  readonly id = randomBytes(16)
  origin: string
  counter = 0
  /** Whether it verifies its user. */
  isVerifying = true
  #userHandle = ""
  readonly #key: KeyObject
  readonly #public: KeyObject

  constructor(origin: string) {
    this.origin = origin
    const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
    this.#key = privateKey
    this.#public = publicKey
  }

  #flags(): number {
    return present | (this.isVerifying ? verified : 0)
  }

  #data(rpId: string, flags: number, more: Uint8Array = Buffer.alloc(0)): Buffer {
    const counter = Buffer.alloc(4)
    counter.writeUInt32BE(this.counter)
    return Buffer.concat([sha256(rpId), Buffer.from([flags]), counter, more])
  }

  #client(type: string, challenge: string): string {
    return JSON.stringify({ type, challenge, origin: this.origin, crossOrigin: false })
  }

  /** The response of `navigator.credentials.create()`. */
  create(options: any): Record<string, unknown> {
    this.#userHandle = options.user.id
    const { x, y } = this.#public.export({ format: "jwk" })
    const key = cbor(
      new Map<number, unknown>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, Buffer.from(x!, "base64url")],
        [-3, Buffer.from(y!, "base64url")]
      ])
    )
    const length = Buffer.from([0, this.id.length])
    const more = Buffer.concat([Buffer.alloc(16), length, this.id, key])
    const authData = this.#data(options.rp.id, this.#flags() | attested, more)
    const attestation = new Map<string, unknown>([
      ["fmt", "none"],
      ["attStmt", new Map()],
      ["authData", authData]
    ])
    return this.#response({
      clientDataJSON: base64url(this.#client("webauthn.create", options.challenge)),
      attestationObject: base64url(cbor(attestation)),
      transports: ["internal"]
    })
  }

  /** The response of `navigator.credentials.get()`. */
  get(options: any): Record<string, unknown> {
    const client = this.#client("webauthn.get", options.challenge)
    const authData = this.#data(options.rpId, this.#flags())
    return this.#response({
      clientDataJSON: base64url(client),
      authenticatorData: base64url(authData),
      signature: base64url(sign("sha256", Buffer.concat([authData, sha256(client)]), this.#key)),
      userHandle: this.#userHandle
    })
  }

  #response(response: object): Record<string, unknown> {
    const id = base64url(this.id)
    return {
      id,
      rawId: id,
      type: "public-key",
      authenticatorAttachment: "platform",
      clientExtensionResults: {},
      response
    }
  }
}
