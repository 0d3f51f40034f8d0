import { hash } from "node:crypto"
import type { Secrets } from "../../secrets/Secrets.ts"

/** Milliseconds for which a reader does not have to enter the password again. */
export const passLife = 7 * 24 * 3_600_000

/** The data that a pass is bound to: a new password ends all earlier passes. */
interface Locked {
  readonly id: string
  readonly password: string
}

const form = /^(\d{1,15})\.([\w-]{22})$/

/** Signed passes for readers who have entered the password of a share. */
export const make = (secrets: Secrets["Service"]) => {
  const text = ({ id, password }: Locked, until: string) =>
    Buffer.from([id, hash("sha256", password, "base64url"), until].join("\n"))
  return {
    issue: (share: Locked, now: number): string => {
      const until = String(now + passLife)
      return `${until}.${Buffer.from(secrets.sign("share-access", text(share, until))).toString("base64url")}`
    },
    isGood: (share: Locked, pass: string, now: number): boolean => {
      const [, until, signature] = form.exec(pass) ?? []
      return (
        until !== undefined &&
        Number(until) > now &&
        secrets.verify("share-access", text(share, until), Buffer.from(signature!, "base64url"))
      )
    }
  }
}
