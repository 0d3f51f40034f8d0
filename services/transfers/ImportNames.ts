import { hash } from "node:crypto"
import * as Ids from "../Ids.ts"
import type { Names } from "./Item.ts"

const length = 14

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

  private of(prefix: Ids.Prefix, key: string): string {
    if (this.keepsIds) return key
    // 14 digits in base 62 are less than 84 bits.
    let value = BigInt(`0x${hash("sha256", `${this.import_id}\n${prefix}\n${key}`).slice(0, 24)}`)
    let text = ""
    while (text.length < length) {
      text += Ids.base62(Number(value % 62n), 1)
      value /= 62n
    }
    return `${prefix}_${this.time}${text}`
  }

  readonly note = (key: string) => this.of("nt", key)
  readonly file = (key: string) => this.of("at", key)
  readonly reminder = (key: string) => this.of("rm", key)
  readonly notebook = (key: string) => this.of("nb", key)
  readonly tag = (key: string) => this.of("tg", key)
  readonly template = (key: string) => this.of("tp", key)
  readonly comment = (key: string) => this.of("cm", key)
}
