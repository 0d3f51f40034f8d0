/** Encodes text in encodings that `TextEncoder` does not support: the reverse of `TextDecoder` (WHATWG). */

const tables = new Map<string, ReadonlyMap<string, ReadonlyArray<number>>>()

const tableOf = (label: string): ReadonlyMap<string, ReadonlyArray<number>> => {
  const known = tables.get(label)
  if (known !== undefined) return known
  const table = new Map<string, ReadonlyArray<number>>()
  const decoder = new TextDecoder(label)
  const add = (...bytes: ReadonlyArray<number>) => {
    const text = decoder.decode(new Uint8Array(bytes))
    if ([...text].length === 1 && text !== "\ufffd" && !table.has(text)) table.set(text, bytes)
  }
  for (let byte = 0; byte < 0x100; byte++) add(byte)
  for (let lead = 0x81; lead < 0xff; lead++) for (let trail = 0x40; trail < 0xff; trail++) add(lead, trail)
  tables.set(label, table)
  return table
}

export const encoded = (text: string, label: string): Buffer => {
  if (label === "utf-16le") return Buffer.from(text, "utf16le")
  if (label === "utf-16be") return Buffer.from(text, "utf16le").swap16()
  return Buffer.from(
    [...text].flatMap((letter) => {
      const bytes = tableOf(label).get(letter)
      if (bytes === undefined) throw new Error(`${label} has no ${letter}`)
      return bytes
    })
  )
}
