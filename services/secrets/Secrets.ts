import { Context, Effect, Layer, Redacted } from "effect"
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  timingSafeEqual
} from "node:crypto"
import { Randomness } from "../Randomness.ts"

/** Purposes, for each of which a separate key is derived. */
export type Purpose =
  | "sync-cursor"
  | "limited-cursor"
  | "limited-id"
  | "page-cursor"
  | "stored-answer"
  | "session-token"
  | "refresh-token"
  | "setup-key"
  | "limit-key"
  | "mail"
  | "file-url"
  | "web-push"
  | "share-token"
  | "share-access"
  | "webhook"
  | "sign-in"
  | "id-token"
  | "totp"
  | "factor-offer"
  | "fingerprint"

/**
 * The keys of this installation: each is derived from SECRET_KEY by HKDF-SHA-256 (RFC 5869) for one purpose, so that a
 * signature for one purpose is never valid for another. The previous key verifies and decrypts, but is not used for new
 * data.
 */
export class Secrets extends Context.Service<
  Secrets,
  {
    readonly sign: (purpose: Purpose, data: Uint8Array) => Uint8Array
    /** 32 bytes derived from the data by each key, the current key first. Without key and data they look random. */
    readonly derivations: (purpose: Purpose, data: Uint8Array) => ReadonlyArray<Uint8Array>
    readonly verify: (purpose: Purpose, data: Uint8Array, signature: Uint8Array) => boolean
    /** Encrypts a text for storage with AES-256-GCM and a random nonce, as base64url. */
    readonly seal: (purpose: Purpose, text: string) => string
    /** Whether there is a previous key. */
    readonly isChanging: boolean
    /** The text that `seal` encrypted; undefined when it was encrypted with another key. */
    readonly open: (purpose: Purpose, sealed: string) => string | undefined
    /** The same text encrypted with the current key: unchanged if it already is; undefined when no key decrypts it. */
    readonly renew: (purpose: Purpose, sealed: string) => string | undefined
  }
>()("sheaf/secrets/Secrets") {
  static readonly layer = (options: {
    readonly current: Redacted.Redacted<Uint8Array>
    readonly previous: Redacted.Redacted<Uint8Array> | undefined
  }) =>
    Layer.effect(
      Secrets,
      Effect.gen(function* () {
        const randomness = yield* Randomness
        const keys = new Map<string, KeyObject>()
        const roots = [options.current, options.previous].filter((root) => root !== undefined)
        const key = (root: number, purpose: Purpose): KeyObject => {
          const name = `${root}:${purpose}`
          let derived = keys.get(name)
          if (derived === undefined) {
            // Cached as a key object: making it for each signature would cost four times as much as the signature.
            derived = createSecretKey(
              new Uint8Array(hkdfSync("sha256", Redacted.value(roots[root]!), "sheaf", purpose, 32))
            )
            keys.set(name, derived)
          }
          return derived
        }
        const hmac = (root: number, purpose: Purpose, data: Uint8Array) =>
          createHmac("sha256", key(root, purpose)).update(data).digest()
        const mac = (root: number, purpose: Purpose, data: Uint8Array) =>
          hmac(root, purpose, data).subarray(0, signatureLength)
        const seal = (purpose: Purpose, text: string) => {
          const nonce = randomness.bytes(nonceLength)
          const cipher = createCipheriv(algorithm, key(0, purpose), nonce)
          const sealed = [cipher.update(text, "utf8"), cipher.final()]
          return Buffer.concat([nonce, cipher.getAuthTag(), ...sealed]).toString("base64url")
        }
        /** The decrypted text, and the index of the key that it was encrypted with. */
        const opened = (
          purpose: Purpose,
          sealed: string
        ): { readonly text: string; readonly root: number } | undefined => {
          const bytes = Buffer.from(sealed, "base64url")
          if (bytes.length < nonceLength + tagLength) return undefined
          const nonce = bytes.subarray(0, nonceLength)
          const tag = bytes.subarray(nonceLength, nonceLength + tagLength)
          for (const root of roots.keys()) {
            const decipher = createDecipheriv(algorithm, key(root, purpose), nonce, {
              authTagLength: tagLength
            }).setAuthTag(tag)
            const text = decipher.update(bytes.subarray(nonceLength + tagLength))
            try {
              return { text: Buffer.concat([text, decipher.final()]).toString(), root }
            } catch {
              // Try the other key, if any.
            }
          }
          return undefined
        }
        return Secrets.of({
          sign: (purpose, data) => mac(0, purpose, data),
          derivations: (purpose, data) => roots.map((_, root) => hmac(root, purpose, data)),
          verify: (purpose, data, signature) =>
            signature.length === signatureLength &&
            roots.some((_, root) => timingSafeEqual(mac(root, purpose, data), signature)),
          seal,
          open: (purpose, sealed) => opened(purpose, sealed)?.text,
          renew: (purpose, sealed) => {
            const found = opened(purpose, sealed)
            return found === undefined ? undefined : found.root === 0 ? sealed : seal(purpose, found.text)
          },
          isChanging: roots.length > 1
        })
      })
    )
}

const algorithm = "aes-256-gcm"
const nonceLength = 12
const tagLength = 16

/** Bytes of a signature: 128 bits cannot be guessed, and keep cursors short. */
export const signatureLength = 16
