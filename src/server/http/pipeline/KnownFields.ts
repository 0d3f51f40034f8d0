import { SchemaAST } from "effect"

/** The possible schemas of a value, with unions replaced by their members. */
const shapesOf = (asts: ReadonlyArray<SchemaAST.AST>): ReadonlyArray<SchemaAST.AST> =>
  asts.flatMap((ast) =>
    SchemaAST.isUnion(ast) ? shapesOf(ast.types) : SchemaAST.isSuspend(ast) ? shapesOf([ast.thunk()]) : [ast]
  )

const takesAnything = (ast: SchemaAST.AST): boolean =>
  SchemaAST.isDeclaration(ast) || SchemaAST.isUnknown(ast) || SchemaAST.isAny(ast)

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

/**
 * The paths of all members of a value that none of the schemas has. Members of a record, and everything under a schema
 * that accepts anything, are known. Returns at most `max` paths, so that a response with them stays small.
 */
export const unknownFields = (
  asts: ReadonlyArray<SchemaAST.AST>,
  value: unknown,
  max: number,
  path: ReadonlyArray<string> = []
): ReadonlyArray<ReadonlyArray<string>> => {
  if (!isObject(value)) return []
  const shapes = shapesOf(asts)
  if (shapes.some(takesAnything)) return []
  const found: Array<ReadonlyArray<string>> = []
  const look = (asts: ReadonlyArray<SchemaAST.AST>, key: string, child: unknown): boolean => {
    found.push(...unknownFields(asts, child, max - found.length, [...path, key]))
    return found.length < max
  }
  if (Array.isArray(value)) {
    const items = shapes.filter(SchemaAST.isArrays).flatMap(({ elements, rest }) => [...elements, ...rest])
    for (const [index, item] of value.entries()) {
      if (!look(items, String(index), item)) break
    }
    return found
  }
  const objects = shapes.filter(SchemaAST.isObjects)
  if (objects.length === 0 || objects.some(({ indexSignatures }) => indexSignatures.length > 0)) return []
  const fields = objects.flatMap(({ propertySignatures }) => propertySignatures)
  // Not `Object.entries`: only the first few of many values are read.
  for (const key of Object.keys(value)) {
    const known = fields.filter(({ name }) => name === key).map(({ type }) => type)
    if (known.length === 0) found.push([...path, key])
    else if (!look(known, key, value[key])) break
    if (found.length >= max) break
  }
  return found
}
