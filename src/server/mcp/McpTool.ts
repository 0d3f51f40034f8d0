import { Effect, Predicate, Schema } from "effect"
import type { Invalid, SheafError } from "../../../services/Errors.ts"
import type { Principal } from "../../../services/Principal.ts"
import { invalidFrom, short } from "../../../services/Text.ts"
import type { AccessRule } from "../api/Authorization.ts"
import { type ArgumentSchema, asSchema } from "./SentArguments.ts"
import { filled } from "../../../services/notes/texts/EditRequest.ts"
import type { ResultValue } from "./ToolResults.ts"

/** A call with decoded arguments. */
interface ToolCall {
  /** The arguments that repetitions are compared by. */
  readonly args: unknown
  /** With the same id, a repeated call changes nothing and gets the same result. */
  readonly mutation_id: string | undefined
  readonly run: Effect.Effect<ResultValue, SheafError, Principal>
}

/** A tool of the MCP server (contract 10). */
export interface McpTool {
  readonly name: string
  readonly title: string
  readonly description: string
  /** The rights that a caller needs to see and call it; undefined if every caller may. */
  readonly access: AccessRule | undefined
  /** Whether it exists for connected apps only. */
  readonly isForApps: boolean
  readonly isReadOnly: boolean
  /** Whether its changes belong to the change set of the caller. */
  readonly isGrouped: boolean
  /** Whether something may be lost: hosts then ask before each call. */
  readonly isDestructive: boolean
  readonly inputSchema: ArgumentSchema
  readonly outputSchema: object
  /** Maximum bytes of the blocks of a result, without its JSON. */
  readonly maxContent: number
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
  readonly isForApps?: boolean
  readonly isGrouped?: boolean
  readonly maxContent?: number
  readonly run: (args: Args) => Effect.Effect<Result & ResultValue, SheafError, Principal>
}

/**
 * Members of a JSON Schema that took a sixth of the list of tools. A description has the form of a text, and a problem the
 * limit of a value.
 */
const isDispensable = (name: string, value: unknown): boolean =>
  /^((min|max)(Length|Items|Properties|imum)|pattern|examples|propertyNames)$/.test(name) ||
  (name === "additionalProperties" && value !== false)

/** The same in the schema of a result, of which a caller sees the members that it has. */
const isDispensableInResult = (name: string, value: unknown): boolean =>
  (name === "required" && Array.isArray(value)) || isDispensable(name, value)

/** A short JSON Schema. It has `properties`, also without any: some hosts refuse all tools of a server otherwise. */
const jsonSchemaOf = (
  schema: Schema.Constraint,
  onExcessProperty: "error" | "ignore",
  isLeftOut: (name: string, value: unknown) => boolean
): ArgumentSchema => {
  const { definitions, schema: root } = Schema.toJsonSchemaDocument(schema, { onExcessProperty })
  const whole = { properties: {}, ...root, ...(Object.keys(definitions).length === 0 ? {} : { $defs: definitions }) }
  return JSON.parse(JSON.stringify(whole, (name, value: unknown) => (isLeftOut(name, value) ? undefined : value)))
}

const make = <Args, Result extends object>(
  {
    access,
    args,
    description,
    isForApps = false,
    isGrouped = true,
    maxContent = 0,
    name,
    result,
    run,
    title
  }: Options<Args, Result>,
  { isDestructive, isReadOnly }: Pick<McpTool, "isDestructive" | "isReadOnly">
): McpTool => {
  const decode = Schema.decodeUnknownEffect(args, { errors: "all", onExcessProperty: "error" })
  const mutationOf = (decoded: Args): string | undefined =>
    Predicate.hasProperty(decoded, "mutation_id") && typeof decoded.mutation_id === "string"
      ? decoded.mutation_id
      : undefined
  const inputSchema = jsonSchemaOf(args, "error", isDispensable)
  return {
    name,
    title,
    description,
    access,
    isForApps,
    isReadOnly,
    isGrouped,
    isDestructive,
    inputSchema,
    // Results have the marks of fences too, and later versions may add more.
    outputSchema: jsonSchemaOf(result, "ignore", isDispensableInResult),
    maxContent,
    decode: (sent) => {
      const given = asSchema(inputSchema, sent ?? {})
      return Effect.mapBoth(decode(given), {
        onFailure: ({ issue }) => invalidFrom(issue),
        onSuccess: (decoded) => ({
          args: given,
          mutation_id: mutationOf(decoded),
          run: Effect.suspend(() => run(decoded))
        })
      })
    }
  }
}

/** A tool that changes nothing. */
export const reading = <Args, Result extends object>(options: Options<Args, Result>): McpTool =>
  make(options, { isReadOnly: true, isDestructive: false })

type Writing = { readonly mutation_id?: string }

/** A tool that adds, or changes what another call can change back. Its arguments include `mutation_id`. */
export const writing = <Args extends Writing, Result extends object>(options: Options<Args, Result>): McpTool =>
  make(options, { isReadOnly: false, isDestructive: false })

/** A tool that takes text or a note away from where people look for it. Its arguments include `mutation_id`. */
export const removing = <Args extends Writing, Result extends object>(options: Options<Args, Result>): McpTool =>
  make(options, { isReadOnly: false, isDestructive: true })
