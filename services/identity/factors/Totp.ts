import { Effect } from "effect"
import type { RandomnessShape } from "../../Randomness.ts"

/**
 * Codes of authenticator apps (RFC 6238), as all apps make them: HMAC-SHA-1, six digits, 30 seconds. The library is loaded
 * when it is needed.
 */
const library = Effect.promise(() => import("otplib"))

/** Seconds by which the clock of the app may differ: one step each way (RFC 6238, section 5.2). */
const tolerance = 30

/** Returns a new secret of 160 bits in Base32 (RFC 4226, section 4). */
export const makeSecret = (randomness: RandomnessShape): Effect.Effect<string> =>
  Effect.map(library, ({ ScureBase32Plugin }) =>
    new ScureBase32Plugin().encode(randomness.bytes(20), { padding: false })
  )

/** Returns the address that a QR code for the app has. */
export const uriOf = (secret: string, issuer: string, label: string): Effect.Effect<string> =>
  Effect.map(library, ({ generateURI }) => generateURI({ issuer, label, secret }))

/** Returns the time step of a valid code, which must be after the last one that was used; undefined for other codes. */
export const stepOf = (
  secret: string,
  code: string,
  now: number,
  last: number | null
): Effect.Effect<number | undefined> =>
  Effect.map(library, ({ verifySync }) => {
    const epoch = Math.floor(now / 1000)
    // The clock was set back by more than a step: the library refuses to compare.
    if (last !== null && last > Math.floor((epoch + tolerance) / 30)) return undefined
    const after = last === null ? {} : { afterTimeStep: last }
    const checked = verifySync({ secret, token: code, epoch, epochTolerance: tolerance, ...after })
    return checked.valid && "timeStep" in checked ? checked.timeStep : undefined
  })
