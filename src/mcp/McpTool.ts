import { Effect, Predicate, Schema } from "effect"
import type { Invalid, SheafError } from "../../services/Errors.ts"
import type { Principal } from "../../services/Principal.ts"
import { invalidFrom, short } from "../../services/Text.ts"
import type { AccessRule } from "../api/Authorization.ts"

/** A call with decoded arguments. */
export interface ToolCall {
  /** With the same id, a repeated call changes nothing and gets the same result. */
  readonly mutation_id: string | undefined
  readonly run: Effect.Effect<object, SheafError, Principal>
}

/** A tool of the MCP server (contract 10). */
export interface McpTool {
  readonly name: string
  readonly title: string
  readonly description: string
  /** The rights that a caller needs to see and call it; undefined if every caller may. */
  readonly access: AccessRule | undefined
  readonly isReadOnly: boolean
  /** Whether it only adds: it changes no existing note. */
  readonly isAdditive: boolean
  readonly inputSchema: object
  readonly outputSchema: object
  /** Decodes arguments; unknown ones are refused. */
  readonly decode: (args: unknown) => Effect.Effect<ToolCall, Invalid>
}

/** Marks the part of a result that contains texts of notes. */
interface Bounded {
  readonly data_begins: string
  readonly data_ends: string
}

/** The schema of a result. */
export const resultOf = <Fields extends Schema.Struct.Fields>(fields: Fields) =>
  Schema.Struct({ data_begins: Schema.String, ...fields, data_ends: Schema.String })

/** The argument of each tool that writes. */
export const mutation_id = Schema.optionalKey(
  short(100).annotate({ description: "Your own id of this change: with the same id, a repeated call has no effect." })
)

interface Options<Args, Result extends Bounded> {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly access: AccessRule | undefined
  readonly args: Schema.Codec<Args, unknown>
  readonly result: Schema.Codec<Result, unknown>
  readonly run: (args: Args) => Effect.Effect<Omit<Result, keyof Bounded>, SheafError, Principal>
}

const jsonSchemaOf = (schema: Schema.Constraint): object => {
  const { definitions, schema: root } = Schema.toJsonSchemaDocument(schema, { onExcessProperty: "error" })
  return Object.keys(definitions).length === 0 ? root : { ...root, $defs: definitions }
}

const make = <Args, Result extends Bounded>(
  { access, args, description, name, result, run, title }: Options<Args, Result>,
  { isAdditive, isReadOnly }: Pick<McpTool, "isAdditive" | "isReadOnly">
): McpTool => {
  const decode = Schema.decodeUnknownEffect(args, { errors: "all", onExcessProperty: "error" })
  const mutationOf = (decoded: Args): string | undefined =>
    Predicate.hasProperty(decoded, "mutation_id") && typeof decoded.mutation_id === "string"
      ? decoded.mutation_id
      : undefined
  return {
    name,
    title,
    description,
    access,
    isReadOnly,
    isAdditive,
    inputSchema: jsonSchemaOf(args),
    outputSchema: jsonSchemaOf(result),
    decode: (given) =>
      Effect.mapBoth(decode(given ?? {}), {
        onFailure: ({ issue }) => invalidFrom(issue),
        onSuccess: (decoded) => ({ mutation_id: mutationOf(decoded), run: Effect.suspend(() => run(decoded)) })
      })
  }
}

/** A tool that changes nothing. */
export const reading = <Args, Result extends Bounded>(options: Options<Args, Result>): McpTool =>
  make(options, { isReadOnly: true, isAdditive: true })

type Writing = { readonly mutation_id?: string }

/** A tool that only adds. Its arguments include `mutation_id`. */
export const adding = <Args extends Writing, Result extends Bounded>(options: Options<Args, Result>): McpTool =>
  make(options, { isReadOnly: false, isAdditive: true })

/** A tool that changes notes. Its arguments include `mutation_id`. */
export const changing = <Args extends Writing, Result extends Bounded>(options: Options<Args, Result>): McpTool =>
  make(options, { isReadOnly: false, isAdditive: false })
