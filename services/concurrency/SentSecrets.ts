import { Redacted } from "effect"

/** An object with its secrets as texts, as it is sent to a thread: a redacted value cannot be sent. */
export type Sent<A> = A extends unknown
  ? { readonly [Key in keyof A]: A[Key] extends Redacted.Redacted ? string : A[Key] }
  : never

/** Prepares an object for a thread. */
export const sent = <A extends object>(value: A): Sent<A> =>
  Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, Redacted.isRedacted(member) ? Redacted.value(member) : member])
  ) as Sent<A>

/** Returns the object that was sent. `secrets` names its members with secrets. */
export const received = <A extends object>(value: Sent<A>, secrets: ReadonlyArray<string>): A =>
  Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, secrets.includes(name) ? Redacted.make(member) : member])
  ) as A
