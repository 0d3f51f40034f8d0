type Json = Readonly<Record<string, any>>

const nameOf = (reference: Json): string => reference["$ref"].split("/").at(-1)

/** The components that a union is of; undefined when the schema is none. */
const branchesOf = ({ anyOf }: Json): ReadonlyArray<string> | undefined =>
  anyOf?.every((each: Json) => each["$ref"] !== undefined) === true ? anyOf.map(nameOf) : undefined

/** The values that a member is fixed to in a component, or in the branches of a union; undefined where it is free. */
const fixed = (member: string, name: string, schemas: Json): ReadonlyArray<unknown> | undefined => {
  const branches = branchesOf(schemas[name])
  if (branches === undefined) {
    const value = schemas[name].properties?.[member]?.const
    return value === undefined ? undefined : [value]
  }
  const values = branches.map((branch) => fixed(member, branch, schemas))
  return values.some((each) => each === undefined) ? undefined : [...new Set(values.flat())]
}

/** The members by which branches are told apart, those that say most first. */
const tellers = ["type", "op", "status", "event"]

/**
 * A union whose branches a member tells apart says so: generators make a type of it that the member narrows. A
 * discriminator leads to objects, and generators warn of one that leads to further unions.
 */
export const discriminated = (schema: Json, schemas: Json): Json => {
  const branches = branchesOf(schema)
  if (branches === undefined) return schema
  const { anyOf, ...rest } = schema
  for (const propertyName of tellers) {
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
