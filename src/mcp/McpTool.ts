import { Effect, Predicate, Schema } from "effect"
import type { Invalid, SheafError } from "../../services/Errors.ts"
import type { Principal } from "../../services/Principal.ts"
import { invalidFrom, short } from "../../services/Text.ts"
import type { AccessRule } from "../api/Authorization.ts"
import { filled } from "./ToolFields.ts"

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

/** The argument of each tool that writes. */
export const mutation_id = Schema.optionalKey(short(100).check(filled).annotate({ description: "Makes a retry safe." }))

interface Options<Args, Result extends object> {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly access: AccessRule | undefined
  readonly args: Schema.Codec<Args, unknown>
  readonly result: Schema.Codec<Result, unknown>
  readonly run: (args: Args) => Effect.Effect<Result, SheafError, Principal>
}

/**
 * Members of a JSON Schema that took a sixth of the list of tools. A description has the form of a text, and a problem the
 * limit of a value.
 */
const isDispensable = (name: string, value: unknown): boolean =>
  /^(minLength|maxLength|minimum|pattern|examples)$/.test(name) ||
  (name === "maximum" && Number(value) > 1_000) ||
  (name === "additionalProperties" && value === true)

/** The short form of a value that may be null. */
const shortened = (value: unknown): unknown => {
  if (!Predicate.hasProperty(value, "anyOf") || !Array.isArray(value.anyOf) || value.anyOf.length !== 2) return value
  const [type, other]: ReadonlyArray<{ readonly type?: unknown }> = value.anyOf
  return typeof type?.type === "string" && other?.type === "null" ? { ...type, type: [type.type, "null"] } : value
}

/** A short JSON Schema. */
const jsonSchemaOf = (schema: Schema.Constraint, onExcessProperty: "error" | "ignore"): object => {
  const { definitions, schema: root } = Schema.toJsonSchemaDocument(schema, { onExcessProperty })
  const whole = Object.keys(definitions).length === 0 ? root : { ...root, $defs: definitions }
  return JSON.parse(
    JSON.stringify(whole, (name, value: unknown) => (isDispensable(name, value) ? undefined : shortened(value)))
  )
}

const make = <Args, Result extends object>(
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
    inputSchema: jsonSchemaOf(args, "error"),
    // Results have the marks of data around these members, and later versions may add more.
    outputSchema: jsonSchemaOf(result, "ignore"),
    decode: (given) =>
      Effect.mapBoth(decode(given ?? {}), {
        onFailure: ({ issue }) => invalidFrom(issue),
        onSuccess: (decoded) => ({ mutation_id: mutationOf(decoded), run: Effect.suspend(() => run(decoded)) })
      })
  }
}

/** A tool that changes nothing. */
export const reading = <Args, Result extends object>(options: Options<Args, Result>): McpTool =>
  make(options, { isReadOnly: true, isAdditive: true })

type Writing = { readonly mutation_id?: string }

/** A tool that only adds. Its arguments include `mutation_id`. */
export const adding = <Args extends Writing, Result extends object>(options: Options<Args, Result>): McpTool =>
  make(options, { isReadOnly: false, isAdditive: true })

/** A tool that changes notes. Its arguments include `mutation_id`. */
export const changing = <Args extends Writing, Result extends object>(options: Options<Args, Result>): McpTool =>
  make(options, { isReadOnly: false, isAdditive: false })
