/** The text form of the items of Joplin: a title, a text, and lines of properties at the end. */

export interface JoplinItem {
  readonly title: string
  readonly body: string
  readonly properties: ReadonlyMap<string, string>
}

/** Types of items (`type_`). */
export const itemTypes = { note: "1", folder: "2", resource: "4", tag: "5", noteTag: "6", revision: "13" } as const

/** The id in the address of an item, `:/id`, and the heading after it. */
export const itemLink = /^:\/([0-9a-f]{32})(?:#(.*))?$/i

const property = /^([a-z_]+):(?: (.*))?$/

/** Property values have their line breaks escaped. */
const unescaped = (value: string): string =>
  value.replaceAll(/\\(\\?)([nr])/g, (_, isEscaped: string, letter: string) =>
    isEscaped === "" ? (letter === "n" ? "\n" : "\r") : `\\${letter}`
  )

/** Undefined if the text is not an item of Joplin. */
export const joplinItemOf = (source: string): JoplinItem | undefined => {
  const lines = source.replaceAll("\r\n", "\n").trimEnd().split("\n")
  const properties = new Map<string, string>()
  let at = lines.length - 1
  for (; at >= 0 && lines[at]!.trim() !== ""; at--) {
    const [, key, value = ""] = property.exec(lines[at]!) ?? []
    if (key === undefined) return undefined
    properties.set(key, unescaped(value))
  }
  if (!properties.has("type_") || !properties.has("id")) return undefined
  const [title = "", ...rest] = lines.slice(0, Math.max(0, at))
  // A blank line separates the title from the text.
  return { title, body: (rest[0] === "" ? rest.slice(1) : rest).join("\n"), properties }
}
