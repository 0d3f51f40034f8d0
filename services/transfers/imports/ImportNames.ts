import { hash } from "node:crypto"
import * as Ids from "../../Ids.ts"
import type { ResourceType } from "../../Resources.ts"
import type { Names } from "../formats/Item.ts"

const length = 14
/** Characters at the end of the id of a reminder: less than 42 bits. */
const markLength = 7

/** Returns `count` digits in base 62, at most 16, from the hash of a text. */
const digits = (text: string, count: number): string => {
  // 16 digits in base 62 are less than 96 bits.
  let value = BigInt(`0x${hash("sha256", text).slice(0, 24)}`)
  let found = ""
  while (found.length < count) {
    found += Ids.base62(Number(value % 62n), 1)
    value /= 62n
  }
  return found
}

const reminderMark = (note_id: string, remind_at: string): string => digits(`rm\n${note_id}\n${remind_at}`, markLength)

/** Whether an import created a reminder for this note and time, even if its time was changed since. */
export const isImportedReminder = (id: string, note_id: string, remind_at: string): boolean =>
  id.endsWith(reminderMark(note_id, remind_at))

/**
 * Ids of the records of an import, by keys: the same in each attempt, on every node. Like other ids, they begin with a
 * time, here that of the creation of the import, so that records of the same time are close to each other in the index.
 */
export class ImportNames implements Names {
  readonly #import_id: string
  readonly #time: string
  readonly #keepsIds: boolean

  /** `keepsIds`: keys are ids, and are used unchanged. */
  constructor(import_id: string, created_at: string, keepsIds = false) {
    this.#import_id = import_id
    this.#time = Ids.base62(Date.parse(created_at), 8)
    this.#keepsIds = keepsIds
  }

  /** The id of the record of this type with this key. */
  readonly id = (type: ResourceType, key: string): string => {
    if (this.#keepsIds) return key
    const prefix = Ids.prefixes[type]
    return `${prefix}_${this.#time}${digits(`${this.#import_id}\n${prefix}\n${key}`, length)}`
  }

  readonly note = (key: string) => this.id("note", key)
  readonly file = (key: string) => this.id("attachment", key)

  /** The id of a reminder from another program. Later imports recognize it by its end (`isImportedReminder`). */
  readonly newReminder = (note_id: string, remind_at: string) => {
    const mark = reminderMark(note_id, remind_at)
    return this.id("reminder", `${note_id}\n${remind_at}`).slice(0, -mark.length) + mark
  }
}
