type Json = Readonly<Record<string, any>>

const nameOf = (reference: Json): string => reference["$ref"].split("/").at(-1)

/** The components of a union; undefined if the schema is not a union of components. */
const branchesOf = ({ anyOf }: Json): ReadonlyArray<string> | undefined =>
  anyOf?.every((each: Json) => each["$ref"] !== undefined) === true ? anyOf.map(nameOf) : undefined

/** The constant values of a member in a component or in the branches of a union; undefined if it is not constant. */
const fixed = (member: string, name: string, schemas: Json): ReadonlyArray<unknown> | undefined => {
  const branches = branchesOf(schemas[name])
  if (branches === undefined) {
    const value = schemas[name].properties?.[member]?.const
    return value === undefined ? undefined : [value]
  }
  const values = branches.map((branch) => fixed(member, branch, schemas))
  return values.some((each) => each === undefined) ? undefined : [...new Set(values.flat())]
}

/** The members that can distinguish branches, in order of preference. */
const discriminators = ["type", "op", "status", "event", "grant_type"]

/**
 * Makes a union a `oneOf` with a discriminator if a member distinguishes its branches, so that generators create a type
 * that the member narrows. Without a discriminator if branches are unions, because generators warn about that.
 */
export const discriminated = (schema: Json, schemas: Json): Json => {
  const branches = branchesOf(schema)
  if (branches === undefined) return schema
  const { anyOf, ...rest } = schema
  for (const propertyName of discriminators) {
    const values = branches.map((branch) => fixed(propertyName, branch, schemas) ?? [undefined])
    const all = values.flat()
    if (all.includes(undefined) || new Set(all).size < all.length) continue
    if (branches.some((branch) => branchesOf(schemas[branch]) !== undefined)) return { ...rest, oneOf: anyOf }
    const mapping = Object.fromEntries(
      branches.map((branch, index) => [values[index]![0], `#/components/schemas/${branch}`])
    )
    return { ...rest, oneOf: anyOf, discriminator: { propertyName, mapping } }
  }
  return schema
}
