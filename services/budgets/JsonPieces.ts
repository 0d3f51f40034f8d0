const isPlain = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !("toJSON" in value)

/** The JSON of a value, in pieces: an object whose arrays may hold much comes item by item. */
export function* jsonPieces(value: unknown): Generator<string, void> {
  if (!isPlain(value) || !Object.values(value).some(Array.isArray)) {
    yield JSON.stringify(value ?? null)
    return
  }
  let before = "{"
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue
    const head = `${before}${JSON.stringify(name)}:`
    before = ","
    if (!Array.isArray(member)) {
      yield head + JSON.stringify(member)
      continue
    }
    yield `${head}[`
    for (const [index, item] of member.entries()) yield `${index === 0 ? "" : ","}${JSON.stringify(item) ?? "null"}`
    yield "]"
  }
  yield before === "{" ? "{}" : "}"
}
