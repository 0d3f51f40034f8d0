import { Context, Layer, Redacted } from "effect"
import { createHmac, createSecretKey, hkdfSync, type KeyObject, timingSafeEqual } from "node:crypto"

/** Purposes for which a key of its own is derived. */
export type Purpose = "sync-cursor" | "page-cursor"

/**
 * The keys of this installation: each is derived from SECRET_KEY by HKDF-SHA-256 (RFC 5869) for one purpose, so that
 * what is signed for one can never stand for another. The previous key is still accepted, never used anew.
 */
export class Secrets extends Context.Service<Secrets, {
  readonly sign: (purpose: Purpose, data: Uint8Array) => Uint8Array
  readonly verify: (purpose: Purpose, data: Uint8Array, signature: Uint8Array) => boolean
}>()("sheaf/storage/Secrets") {
  static readonly layer = (options: {
    readonly current: Redacted.Redacted<Uint8Array>
    readonly previous: Redacted.Redacted<Uint8Array> | undefined
  }) => {
    const keys = new Map<string, KeyObject>()
    const roots = [options.current, options.previous].filter((root) => root !== undefined)
    const key = (root: number, purpose: Purpose): KeyObject => {
      const name = `${root}:${purpose}`
      let derived = keys.get(name)
      if (derived === undefined) {
        // As a key object: made anew for each signature, it would cost four times the signature.
        derived = createSecretKey(new Uint8Array(hkdfSync("sha256", Redacted.value(roots[root]!), "sheaf", purpose, 32)))
        keys.set(name, derived)
      }
      return derived
    }
    const mac = (root: number, purpose: Purpose, data: Uint8Array) =>
      createHmac("sha256", key(root, purpose)).update(data).digest().subarray(0, signatureLength)
    return Layer.succeed(
      Secrets,
      Secrets.of({
        sign: (purpose, data) => mac(0, purpose, data),
        verify: (purpose, data, signature) =>
          signature.length === signatureLength &&
          roots.some((_, root) => timingSafeEqual(mac(root, purpose, data), signature))
      })
    )
  }
}

/** Bytes of a signature: 128 bits are beyond guessing, and keep cursors short. */
export const signatureLength = 16
