import { type Json, nameOf } from "./Description.ts"

/** The constraints of a schema, collected from a reference, the keywords next to it, `allOf`, and a union with null. */
export interface SchemaShape {
  /** The name of the schema that it refers to. */
  readonly ref: string | undefined
  /** The possible types, except null. */
  readonly types: ReadonlyArray<string>
  readonly isNullable: boolean
  /** The possible values, from `enum` or `const`. */
  readonly values: ReadonlyArray<unknown> | undefined
  readonly patterns: ReadonlyArray<string>
  /** Other keywords, such as `maxLength`, `minimum` and `default`. */
  readonly keywords: Json
  readonly properties: ReadonlyMap<string, Json>
  readonly required: ReadonlySet<string>
  readonly items: Json | undefined
  /** The branches of each union. If there are several unions, all apply. */
  readonly unions: ReadonlyArray<ReadonlyArray<Json>>
}

const isNull = (schema: Json): boolean =>
  schema["type"] === "null" || schema["const"] === null || (schema["enum"]?.length === 1 && schema["enum"][0] === null)

const constantsOf = (branch: Json): ReadonlyArray<unknown> | undefined =>
  branch["const"] !== undefined ? [branch["const"]] : branch["properties"] === undefined ? branch["enum"] : undefined

/** Whether a schema has more than a name and annotations. */
const hasForm = (schema: Json): boolean =>
  ["properties", "items", "anyOf", "oneOf"].some((keyword) => schema[keyword] !== undefined)

export class SchemaShapes {
  readonly #schemas: Readonly<Record<string, Json>>

  constructor(schemas: Readonly<Record<string, Json>>) {
    this.#schemas = schemas
  }

  /** Returns a schema and the parts of its `allOf`. If `isOpened`, references are replaced with their schemas. */
  #partsOf(schema: Json, isOpened: boolean, seen: ReadonlySet<string>): ReadonlyArray<Json> {
    const { $ref, allOf = [], ...own } = schema
    const added = (allOf as ReadonlyArray<Json>).flatMap((each) => this.#partsOf(each, isOpened, seen))
    if ($ref === undefined) return [own, ...added]
    const name = nameOf($ref)
    // Keywords next to a reference are specific to this place, and come first.
    if (!isOpened || seen.has(name) || this.#schemas[name] === undefined) return [own, { $ref }, ...added]
    return [own, ...this.#partsOf(this.#schemas[name], true, new Set([...seen, name])), ...added]
  }

  of(schema: Json): SchemaShape {
    let parts = this.#partsOf(schema, false, new Set())
    const refs = new Set(parts.flatMap(({ $ref }) => ($ref === undefined ? [] : [nameOf($ref)])))
    // A reference with annotations stays a reference. Several references, or one with further members, are merged.
    if (refs.size > 1 || (refs.size === 1 && parts.some(hasForm))) parts = this.#partsOf(schema, true, new Set())
    return this.#merged(parts)
  }

  /** Returns the shape with the members of the schemas that it refers to. */
  opened(schema: Json): SchemaShape {
    return this.#merged(this.#partsOf(schema, true, new Set()))
  }

  #merged(parts: ReadonlyArray<Json>): SchemaShape {
    let isNullable = false
    let values: ReadonlyArray<unknown> | undefined
    const refs = new Set<string>()
    const types = new Set<string>()
    const patterns = new Set<string>()
    const keywords: Record<string, unknown> = {}
    const properties = new Map<string, Json>()
    const required = new Set<string>()
    const unions: Array<ReadonlyArray<Json>> = []
    let items: Json | undefined

    const restrict = (to: ReadonlyArray<unknown>) => {
      values = values === undefined ? to : values.filter((value) => to.includes(value))
    }
    const take = (part: Json): void => {
      const {
        $ref,
        anyOf,
        const: constant,
        enum: list,
        oneOf,
        pattern,
        properties: own,
        required: needed,
        type,
        ...rest
      } = part
      if ($ref !== undefined) refs.add(nameOf($ref))
      for (const each of [type ?? []].flat()) each === "null" ? (isNullable = true) : types.add(each)
      if (constant !== undefined) restrict([constant])
      if (list !== undefined) {
        if (list.includes(null)) isNullable = true
        restrict(list.filter((value: unknown) => value !== null))
      }
      if (pattern !== undefined) patterns.add(pattern)
      for (const [name, member] of Object.entries<Json>(own ?? {})) {
        const known = properties.get(name)
        properties.set(name, known === undefined ? member : { allOf: [known, member] })
      }
      for (const name of needed ?? []) required.add(name)
      if (rest["items"] !== undefined) items = rest["items"]
      for (const [keyword, value] of Object.entries(rest)) keywords[keyword] ??= value
      for (const branches of [anyOf, oneOf]) if (branches !== undefined) join(branches)
    }
    /** Except null, a union with one branch is that branch, and a union of constants is a list of values. */
    const join = (all: ReadonlyArray<Json>): void => {
      const branches = all.filter((each) => !isNull(each))
      if (branches.length < all.length) isNullable = true
      const constants = branches.map(constantsOf)
      if (branches.length === 1) for (const each of this.#partsOf(branches[0]!, false, new Set())) take(each)
      else if (constants.every((each) => each !== undefined)) restrict(constants.flat())
      else unions.push(branches)
    }
    for (const part of parts) take(part)

    return {
      ref: refs.size === 1 ? [...refs][0] : undefined,
      types: [...types],
      isNullable,
      values,
      patterns: [...patterns],
      keywords,
      properties,
      required,
      items,
      unions
    }
  }
}
