/** Maximum number of values in each list. */
const most = 40

const prefixOf = (id: string): string | undefined => /^([a-z]{2,3})_[0-9A-Za-z_-]{6,}$/.exec(id)?.[1]

const garbage = [
  "",
  "x",
  "nt_",
  "nt_none",
  "__proto__",
  "constructor",
  "0",
  "null",
  "..",
  "%00",
  "\u0000",
  "\ud800",
  "é",
  "🙂",
  "' OR ''='",
  "*",
  `nt_${"A".repeat(40)}`,
  `nt_${"A".repeat(41)}`,
  "sy_0123456789abcdef",
  "a".repeat(300),
  "$ref",
  "tag, other"
]

/** Ids and cursors from responses: of existing records, deleted ones, and those of another workspace. */
export class IdPool {
  private readonly real = new Map<string, Array<string>>()
  private readonly gone: Array<string> = []
  private readonly foreign: Array<string> = []
  private readonly cursors: Array<string> = []

  private static keep(list: Array<string>, text: string): void {
    if (list.includes(text)) return
    if (list.length === most) list.shift()
    list.push(text)
  }

  /** Collects the ids and cursors of a response body. */
  learn(body: any, isForeign = false, depth = 0): void {
    if (typeof body !== "object" || body === null || depth > 4) return
    if (body.deleted === true && typeof body.id === "string") return IdPool.keep(this.gone, body.id)
    for (const [name, value] of Object.entries(body)) {
      if (name.endsWith("cursor") && typeof value === "string") IdPool.keep(this.cursors, value)
      else if (name === "id" && typeof value === "string") {
        const prefix = prefixOf(value)
        if (isForeign) IdPool.keep(this.foreign, value)
        else if (prefix !== undefined) {
          if (!this.real.has(prefix)) this.real.set(prefix, [])
          IdPool.keep(this.real.get(prefix)!, value)
        }
      } else if (typeof value === "object") this.learn(value, isForeign, depth + 1)
    }
  }

  /** Maps a number to an id: mostly to an existing one of the given kind. */
  pick(kind: string, draw: number): string {
    const from = (list: ReadonlyArray<string>) => (list.length === 0 ? "none" : list[draw % list.length]!)
    if (kind === "cursor") {
      const cursor = from(this.cursors)
      return draw % 4 === 0 ? cursor.slice(0, -1) : draw % 7 === 0 ? `${cursor}A` : cursor
    }
    switch (draw % 12) {
      case 0:
        return from(this.gone)
      case 1:
        return from(this.foreign)
      case 2:
        return from(garbage)
      case 3:
        return from([...this.real.values()].flat())
      default:
        return from(this.real.get(kind) ?? [...this.real.values()].flat())
    }
  }
}
