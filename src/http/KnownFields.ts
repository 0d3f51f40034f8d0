import { SchemaAST } from "effect"
import type { Budget, Sliced } from "../../services/budgets/Budget.ts"

/** What a value may be: a union is each of its members. */
const shapesOf = (asts: ReadonlyArray<SchemaAST.AST>): ReadonlyArray<SchemaAST.AST> =>
  asts.flatMap((ast) =>
    SchemaAST.isUnion(ast) ? shapesOf(ast.types) : SchemaAST.isSuspend(ast) ? shapesOf([ast.thunk()]) : [ast]
  )

const takesAnything = (ast: SchemaAST.AST): boolean =>
  SchemaAST.isDeclaration(ast) || SchemaAST.isUnknown(ast) || SchemaAST.isAny(ast)

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

/** Steps of a value that is looked at, and of a member that could be meant. */
const cost = { value: 20, field: 1 } as const

/**
 * The paths of all members of a value that none of the schemas names. A member of a record, and what is under a schema
 * that takes anything, is known. At most `max` of them, so that an answer about them stays small.
 */
export function* unknownFields(
  asts: ReadonlyArray<SchemaAST.AST>,
  value: unknown,
  max: number,
  budget: Budget,
  path: ReadonlyArray<string> = []
): Sliced<ReadonlyArray<ReadonlyArray<string>>> {
  if (!isObject(value)) return []
  const shapes = shapesOf(asts)
  if (budget.spend(shapes.length * cost.value)) yield
  if (shapes.some(takesAnything)) return []
  const found: Array<ReadonlyArray<string>> = []
  function* look(asts: ReadonlyArray<SchemaAST.AST>, key: string, child: unknown): Sliced<boolean> {
    found.push(...(yield* unknownFields(asts, child, max - found.length, budget, [...path, key])))
    return found.length < max
  }
  if (Array.isArray(value)) {
    const items = shapes.filter(SchemaAST.isArrays).flatMap(({ elements, rest }) => [...elements, ...rest])
    for (const [index, item] of value.entries()) {
      if (budget.spend(cost.value)) yield
      if (!(yield* look(items, String(index), item))) break
    }
    return found
  }
  const objects = shapes.filter(SchemaAST.isObjects)
  if (objects.length === 0 || objects.some(({ indexSignatures }) => indexSignatures.length > 0)) return []
  const fields = objects.flatMap(({ propertySignatures }) => propertySignatures)
  // Names without their values: of many, only the first few are looked at.
  for (const key of Object.keys(value)) {
    const known = fields.filter(({ name }) => name === key).map(({ type }) => type)
    if (budget.spend(cost.value + fields.length * cost.field)) yield
    if (known.length === 0) found.push([...path, key])
    else if (!(yield* look(known, key, value[key]))) break
    if (found.length >= max) break
  }
  return found
}
