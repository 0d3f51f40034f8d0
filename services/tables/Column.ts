import { type Schema, SchemaAST } from "effect"

/** PostgreSQL types of columns. Times are `text`: RFC 3339 in UTC, with milliseconds. */
export type SqlType = "text" | "int" | "bigint" | "boolean" | "json" | "text[]"

/** A column, and how its values appear in JSON. */
export interface Column<out A> {
  readonly type: SqlType
  readonly nullable: boolean
  /** JSON omits the member when the value is null. */
  readonly optional: boolean
  /** The kind of a text that needs no escapes in JSON; undefined for other columns. */
  readonly form: "id" | "time" | undefined
  /** Whether values can be megabytes. */
  readonly isLarge: boolean
  /** All possible texts, when the schema lists them. */
  readonly values: ReadonlyArray<string> | undefined
  /** For a text that lists show in place of a large one: the column of which it is the beginning, and its length. */
  readonly beginningOf?: { readonly column: string; readonly characters: number }
  readonly Value?: A
}

/** Columns by name, in order. */
export type Shape = Readonly<Record<string, Column<unknown>>>

const of = <A>(type: SqlType): Column<A> => ({
  type,
  nullable: false,
  optional: false,
  form: undefined,
  isLarge: false,
  values: undefined
})

export const text = <A extends string = string>(): Column<A> => of("text")
export const int: Column<number> = of("int")
/** Whole numbers of JavaScript, exact up to 2^53. */
export const bigint: Column<number> = of("bigint")
export const boolean: Column<boolean> = of("boolean")
export const texts = <A extends string = string>(): Column<ReadonlyArray<A>> => of("text[]")
export const json = <A>(): Column<A> => of("json")

/** The first characters of a large text, which are read without the rest of it. */
export const beginning = (column: string, characters: number): Column<string> => ({
  ...of("text"),
  beginningOf: { column, characters }
})

export const nullable = <A>(column: Column<A>): Column<A | null> => ({ ...column, nullable: true })

const isText = (ast: SchemaAST.AST): boolean =>
  SchemaAST.isString(ast) ||
  (SchemaAST.isLiteral(ast) && typeof ast.literal === "string") ||
  (SchemaAST.isUnion(ast) && ast.types.every(isText))

const annotated = <A>(ast: SchemaAST.AST, key: string): A | undefined => SchemaAST.resolveAt<A>(key)(ast)

const typeOf = (ast: SchemaAST.AST): SqlType => {
  if (isText(ast)) return "text"
  if (SchemaAST.isNumber(ast)) return annotated(ast, "isBig") === true ? "bigint" : "int"
  if (SchemaAST.isBoolean(ast)) return "boolean"
  if (SchemaAST.isArrays(ast) && ast.rest.length === 1 && isText(ast.rest[0]!)) return "text[]"
  return "json"
}

const valuesOf = (alternatives: ReadonlyArray<SchemaAST.AST>): ReadonlyArray<string> | undefined => {
  const values = alternatives.flatMap((ast) =>
    SchemaAST.isLiteral(ast) && typeof ast.literal === "string" ? [ast.literal] : []
  )
  return values.length === alternatives.length ? values : undefined
}

const columnOf = (ast: SchemaAST.AST): Column<unknown> => {
  const alternatives = SchemaAST.isUnion(ast) ? ast.types.filter((each) => !SchemaAST.isNull(each)) : [ast]
  const nullable = SchemaAST.isUnion(ast) && alternatives.length < ast.types.length
  const inner = nullable && alternatives.length === 1 ? alternatives[0]! : ast
  return {
    type: nullable && alternatives.length > 1 ? (alternatives.every(isText) ? "text" : "json") : typeOf(inner),
    nullable,
    optional: SchemaAST.isOptional(ast),
    form: annotated(inner, "plain") ?? annotated(ast, "plain"),
    isLarge: annotated(inner, "isLarge") === true,
    values: valuesOf(SchemaAST.isUnion(inner) ? inner.types.filter((each) => !SchemaAST.isNull(each)) : alternatives)
  }
}

/** The columns of a schema: one for each member, with its name. */
export const shapeOf = (schema: { readonly fields: Schema.Struct.Fields }): Shape =>
  Object.fromEntries(Object.entries(schema.fields).map(([name, { ast }]) => [name, columnOf(ast)]))

/** The column names as a list in SQL. */
export const columnsOf = (shape: Shape): string => Object.keys(shape).join(", ")
