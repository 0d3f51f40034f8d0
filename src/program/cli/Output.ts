import { Console, Effect } from "effect"
import { CliOutput, Flag, GlobalFlag } from "effect/cli"

/** Selects JSON output, for programs that read it. */
export const Json = GlobalFlag.Setting("json")({
  flag: Flag.Boolean("json").pipe(Flag.withDefault(false), Flag.withDescription("Print one JSON document"))
})

/** Replaces control and formatting characters: text of users must not move the cursor or reverse the text on a terminal. */
export const plain = (value: unknown): string => String(value).replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "\uFFFD")

const cell = (value: unknown): string =>
  value === null || value === undefined
    ? "–"
    : Array.isArray(value)
      ? value.map(cell).join(",")
      : typeof value === "object"
        ? Object.entries(value)
            .map(([name, part]) => `${name}: ${cell(part)}`)
            .join(", ")
        : plain(value)

const padded = (text: string, width: number): string =>
  text + " ".repeat(Math.max(0, width - CliOutput.displayWidth(text)))

const widest = (texts: ReadonlyArray<string>): number => Math.max(...texts.map(CliOutput.displayWidth))

/** Prints an object, one line per field, followed by remarks. */
export const show = Effect.fnUntraced(function* (thing: object, ...remarks: ReadonlyArray<string>) {
  if (yield* Json) return yield* Console.log(JSON.stringify(thing, null, 2))
  const fields = Object.entries(thing)
  const width = widest(fields.map(([name]) => name))
  for (const [name, value] of fields) yield* Console.log(`${padded(name, width)}  ${cell(value)}`)
  for (const remark of remarks) yield* Console.log(remark)
})

/** Prints items page by page, as a table with these columns, or as `{"data": [...]}` with all their members. */
export const list = Effect.fnUntraced(function* <A extends { readonly [Column in C]: unknown }, C extends string, E, R>(
  columns: ReadonlyArray<C>,
  next: (last: A | undefined) => Effect.Effect<ReadonlyArray<A>, E, R>,
  isWanted: (item: A) => boolean = () => true
) {
  const isJson = yield* Json
  let widths: ReadonlyArray<number> | undefined
  let last: A | undefined
  let isFirst = true
  if (isJson) yield* Console.log(`{"data": [`)
  while (true) {
    const all = yield* next(last)
    const page = all.filter(isWanted)
    if (isJson) {
      for (const item of page) {
        yield* Console.log(`${isFirst ? "" : ","}${JSON.stringify(item)}`)
        isFirst = false
      }
    } else {
      const rows = page.map((item) => columns.map((column) => cell(item[column])))
      if (widths === undefined) {
        const titles = columns.map((column) => column.toUpperCase().replaceAll("_", " "))
        widths = titles.map((title, index) => widest([title, ...rows.map((row) => row[index]!)]))
        rows.unshift(titles)
      }
      for (const row of rows) {
        yield* Console.log(
          row
            .map((text, index) => padded(text, widths![index]!))
            .join("  ")
            .trimEnd()
        )
      }
    }
    last = all.at(-1)
    if (last === undefined) break
  }
  if (isJson) yield* Console.log("]}")
})
