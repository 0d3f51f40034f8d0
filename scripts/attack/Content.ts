/** Texts that are expensive to process, and a fast way to store them. */
import type { Workspace } from "../bench/Target.ts"
import { type Client, times } from "./Client.ts"
import type { Lab } from "./Lab.ts"

const LETTERS = "abcdefghijklmnopqrstuvwxyz"
/** Bytes of a large text: the maximum body is 1 MiB, and the words of the texts below are ASCII. */
export const LARGE = 1_000_000

const randomOf = (letters: string, length: number): string =>
  times(length, () => letters[Math.floor(Math.random() * letters.length)]).join("")

/** A random word. */
export const unique = (): string => randomOf(LETTERS, 10)

const filled = (bytes: number, word: () => string): string => {
  const words: Array<string> = []
  for (let size = 0; size < bytes - 12;) {
    const next = word()
    words.push(next)
    size += next.length + 1
  }
  return words.join(" ")
}

/** A word of nine letters from an alphabet of eight: each is similar to many others. */
export const nearWord = (): string => randomOf("abcdefgh", 9)
/** Distinct words that are similar to each other, numbered from `start`. */
export const nearWords = (bytes: number, start: number): string => {
  let next = start
  return filled(bytes, () => [...(next++).toString(8).padStart(9, "0")].map((digit) => LETTERS[Number(digit)]).join(""))
}
/** Text in which hardly any word occurs twice. */
export const randomWords = (bytes: number): string => filled(bytes, () => randomOf(LETTERS, 9))
export const ordinaryText = (bytes: number): string => "lorem ipsum ".repeat(Math.floor(bytes / 12))

export interface NewNote {
  readonly title: string
  readonly body?: string
  readonly tags?: ReadonlyArray<string>
}

/** Stores notes, in pushes of twelve large or 500 small ones, and returns their ids. */
export const store = async (
  client: Client,
  { notebook_id }: Workspace,
  notes: ReadonlyArray<NewNote>
): Promise<Array<string>> => {
  const ids: Array<string> = []
  const perPush = notes.some(({ body = "" }) => body.length > 10_000) ? 12 : 500
  for (let at = 0; at < notes.length; at += perPush) {
    const changes = notes
      .slice(at, at + perPush)
      .map((note) => ({ type: "note", op: "upsert", data: { notebook_id, ...note } }))
    const { results } = await client.need(201, "POST", "/v2/sync/push", { body: { changes } })
    for (const { id, status, error } of results) {
      if (status !== "applied") throw new Error(`a note was ${status}: ${JSON.stringify(error)}`)
      ids.push(id)
    }
  }
  return ids
}

/** An attacker whose workspace contains notes. */
export const attackerWith = async (lab: Lab, notes: ReadonlyArray<NewNote>): Promise<Workspace> => {
  const workspace = lab.server.takeAttacker()
  await store(lab.client(workspace.key), workspace, notes)
  return workspace
}

export const repeated = (text: string, bytes: number): string =>
  text.repeat(Math.floor(bytes / Buffer.byteLength(text)))
