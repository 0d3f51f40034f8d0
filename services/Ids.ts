import { prefixes as resourcePrefixes } from "./Resources.ts"

/** The digits of base 62, in byte order. */
export const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

/** Returns a whole number in base 62, padded to `width`. In byte order the texts sort as the numbers do. */
export const base62 = (value: number, width: number): string => {
  let text = ""
  for (let rest = value; text.length < width; rest = Math.floor(rest / 62)) text = digits[rest % 62] + text
  return text
}

/** Returns the number that `base62` wrote, or -1 if the text is not base 62. */
export const fromBase62 = (text: string): number => {
  let value = 0
  for (const letter of text) {
    const digit = digits.indexOf(letter)
    if (digit < 0) return -1
    value = value * 62 + digit
  }
  return value
}

/** Prefixes of identifiers by kind (contract, Identifier prefixes). */
export const prefixes = {
  ...resourcePrefixes,
  user: "us",
  identity: "ui",
  factor: "fa",
  audit_entry: "al",
  event: "ev",
  delivery: "dl",
  change_set: "cs",
  revert: "rv",
  link: "lk",
  task: "tk",
  backup: "bk",
  check: "cr",
  request: "req",
  key_request: "kr"
} as const
export type Kind = keyof typeof prefixes
export type Prefix = (typeof prefixes)[Kind]

export const isKind = (name: string): name is Kind => Object.hasOwn(prefixes, name)

/** An identifier of one kind; identifiers of other kinds are not assignable. */
export type Id<P extends Prefix> = `${P}_${string}`
export type WorkspaceId = Id<(typeof prefixes)["workspace"]>
export type UserId = Id<(typeof prefixes)["user"]>

/** Whether a client may choose this id (contract 6): the prefix and 16–40 of `[0-9A-Za-z_-]`. */
export const isClientMade = <P extends Prefix>(prefix: P, id: string): id is Id<P> =>
  id.startsWith(`${prefix}_`) && /^[0-9A-Za-z_-]{16,40}$/.test(id.slice(prefix.length + 1))
