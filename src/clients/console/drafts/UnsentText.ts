import { signal } from "@preact/signals"
import { randomId } from "../../client/RandomId.ts"
import { failureOf } from "./SaveFailure.ts"

/** A text that a user writes for one request, such as a comment or a template. */
interface Unsent {
  readonly text: string
  /** The last attempt, whose response has not come. A repetition with the same text has the same idempotency key. */
  readonly attempt?: { readonly key: string; readonly text: string }
}

const none: Unsent = { text: "" }

/** The texts of this tab by their names. Each is also in `localStorage`, until it is sent. */
const texts = signal<ReadonlyMap<string, Unsent>>(new Map())
const sending = new Set<string>()

const placeOf = (name: string): string => `sheaf unsent ${name}`

const stored = (name: string): Unsent => {
  try {
    return JSON.parse(localStorage.getItem(placeOf(name)) ?? "null") ?? none
  } catch (error) {
    // The browser refuses the storage.
    console.warn(error)
    return none
  }
}

const current = (name: string): Unsent => texts.value.get(name) ?? stored(name)

const keep = (name: string, unsent: Unsent): void => {
  const isEmpty = unsent.text === ""
  const kept = new Map(texts.value)
  if (isEmpty) kept.delete(name)
  else kept.set(name, unsent)
  try {
    if (isEmpty) localStorage.removeItem(placeOf(name))
    else localStorage.setItem(placeOf(name), JSON.stringify(unsent))
  } catch (error) {
    // Then the text is in this tab alone.
    console.warn(error)
  }
  texts.value = kept
}

/** The text of a name; empty if there is none. It stays on this device until it is sent. */
export const unsentText = (name: string): string => current(name).text

export const typeUnsent = (name: string, text: string): void => keep(name, { ...current(name), text })

/**
 * Sends the text of a name, and then drops it; what is typed meanwhile stays. Does nothing while the text is being sent.
 * Rejects if `request` does: then the text stays, and a repetition has the same key.
 */
export const sendUnsent = async (
  name: string,
  request: (text: string, idempotencyKey: string) => Promise<unknown>
): Promise<void> => {
  if (sending.has(name)) return
  sending.add(name)
  const { attempt, text } = current(name)
  const key = attempt?.text === text ? attempt.key : randomId()
  try {
    keep(name, { text, attempt: { key, text } })
    await request(text, key)
    const typed = unsentText(name)
    keep(name, { text: typed.startsWith(text) ? typed.slice(text.length).trimStart() : typed })
  } catch (error) {
    // The server has stored a refusal under the key.
    const isRefused = ["refused", "gone"].includes(failureOf(error).kind)
    if (isRefused) keep(name, { text: unsentText(name) })
    throw error
  } finally {
    sending.delete(name)
  }
}
