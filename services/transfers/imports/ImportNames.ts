import { hash } from "node:crypto"
import * as Ids from "../../Ids.ts"
import type { ResourceType } from "../../Resources.ts"
import type { Names } from "../formats/Item.ts"

const length = 14
/** Of the end of an id of a reminder: less than 42 bits. */
const markLength = 7

/** `count` digits in base 62 that follow from a text: at most 16. */
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

/** Whether an import made a reminder for this note and time, whatever its time is now. */
export const isImportedReminder = (id: string, note_id: string, remind_at: string): boolean =>
  id.endsWith(reminderMark(note_id, remind_at))

/**
 * Ids of what an import makes, by keys: the same at every reading, on every node. They begin with the moment at which the
 * import was made, as other ids do with theirs, so that neighbours in time are neighbours in the index.
 */
export class ImportNames implements Names {
  private readonly import_id: string
  private readonly time: string
  private readonly keepsIds: boolean

  /** `keepsIds`: keys are ids, and stay as they are. */
  constructor(import_id: string, created_at: string, keepsIds = false) {
    this.import_id = import_id
    this.time = Ids.base62(Date.parse(created_at), 8)
    this.keepsIds = keepsIds
  }

  /** The id of the record of this type with this key. */
  readonly id = (type: ResourceType, key: string): string => {
    if (this.keepsIds) return key
    const prefix = Ids.prefixes[type]
    return `${prefix}_${this.time}${digits(`${this.import_id}\n${prefix}\n${key}`, length)}`
  }

  readonly note = (key: string) => this.id("note", key)
  readonly file = (key: string) => this.id("attachment", key)

  /** The id of a reminder for an item of another program; later imports know it by its end (`isImportedReminder`). */
  readonly newReminder = (note_id: string, remind_at: string) => {
    const mark = reminderMark(note_id, remind_at)
    return this.id("reminder", `${note_id}\n${remind_at}`).slice(0, -mark.length) + mark
  }
}
