import { Config, Context, Data, Effect, Redacted } from "effect"
import { readFileSync, statSync } from "node:fs"
import { fileFailure } from "../../../services/FileFailure.ts"
import { distance } from "./NearName.ts"

/** An environment variable or a resource that cannot be used: the start stops with this one line. */
export class ConfigError extends Data.TaggedError("ConfigError")<{ readonly message: string }> {}

/** A variable as the environment has it. */
export interface ReadVariable {
  readonly name: string
  /** Undefined if it is not set. Redacted if it is a secret. */
  readonly value: string | Redacted.Redacted<unknown> | undefined
  /** The file that contains the value; undefined if the variable itself does. */
  readonly file: string | undefined
  /** Whether `NAME_FILE` may name a file with the value. */
  readonly isSecret: boolean
}

/** Called with each variable that is read. */
export const VariableReader = Context.Reference<(variable: ReadVariable) => void>("sheaf/settings/VariableReader", {
  defaultValue: () => () => {}
})

/** Why a text is not valid, for a parser that can name the wrong part. `${name} ${why}` is a sentence. */
export class Wrong {
  readonly why: string
  constructor(why: string) {
    this.why = why
  }
}

type Parse<A> = (text: string) => A | Wrong | undefined

const given = (name: string) =>
  Config.String(name).pipe(
    Config.withDefault(""),
    Effect.mapError((error) => new ConfigError({ message: error.message }))
  )

const parsed = <A>(
  name: string,
  what: string,
  parse: Parse<A>,
  text: string,
  of: Pick<ReadVariable, "file" | "isSecret">
) =>
  Effect.gen(function* () {
    const value = text === "" ? undefined : parse(text)
    ;(yield* VariableReader)({
      name,
      value: Redacted.isRedacted(value) ? value : text === "" ? undefined : of.isSecret ? Redacted.make(text) : text,
      ...of
    })
    if (text === "") return undefined
    // The message omits the value, which may be a secret.
    if (value === undefined) return yield* new ConfigError({ message: `${name} must be ${what}` })
    if (value instanceof Wrong) return yield* new ConfigError({ message: `${name} ${value.why}` })
    return value
  })

/** Reads and checks one variable; an error names it. An empty value counts as absent. */
export const variable = <A>(name: string, what: string, parse: Parse<A>) =>
  Effect.flatMap(given(name), (text) => parsed(name, what, parse, text, { file: undefined, isSecret: false }))

/** Maximum bytes of a file with a secret: more than any secret has. */
const maxSecretBytes = 65_536

/** The text of a file with a secret, without its last line break. */
const secretIn = (name: string, file: string): Effect.Effect<string, ConfigError> =>
  Effect.suspend(() => {
    const refused = (why: string) => new ConfigError({ message: `${name} cannot be used: ${why}` })
    let bytes: Uint8Array
    try {
      const found = statSync(file)
      if (!found.isFile()) return refused(`${file}: it is not a file`)
      if (found.size > maxSecretBytes) return refused(`${file}: it is larger than ${maxSecretBytes} bytes`)
      bytes = readFileSync(file)
    } catch (error) {
      const failure = fileFailure(error, file)
      if (failure === undefined) throw error
      return refused(failure)
    }
    try {
      const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes).replace(/\r?\n$/, "")
      return text === "" ? refused(`${file}: it is empty`) : Effect.succeed(text)
    } catch {
      return refused(`${file}: it is not text in UTF-8`)
    }
  })

const fileNameOf = (name: string): string => `${name}_FILE`

/** The same for a secret, which the file that `NAME_FILE` names may contain instead, as secrets of containers are. */
export const secretVariable = <A>(name: string, what: string, parse: Parse<A>) =>
  Effect.gen(function* () {
    const [text, path] = [yield* given(name), yield* given(fileNameOf(name))]
    if (path === "") return yield* parsed(name, what, parse, text, { file: undefined, isSecret: true })
    if (text !== "") {
      return yield* new ConfigError({ message: `${name} and ${fileNameOf(name)} are both set: set only one of them` })
    }
    const content = yield* secretIn(fileNameOf(name), path)
    return yield* parsed(name, what, parse, content, { file: path, isSecret: true })
  })

/** First words of our variables that are also those of other programs' variables. */
const shared = new Set(["DATABASE", "DATA", "LOG", "MAIL", "NODE", "OTEL", "PUBLIC", "RATE", "REDIS"])

/** Variables that Kubernetes and links of Docker set for a service with the name of one of our first words. */
const isOfService = (name: string): boolean => /_(SERVICE_(HOST|PORT\w*)|PORT(_\d+_(TCP|UDP)\w*)?)$/.test(name)

/** Maximum number of warnings. */
const maxWarnings = 20

/**
 * Warnings about variables that Sheaf does not read although they look like its own: one edit away, or with the same
 * first word. `read`: all variables that it reads.
 */
export const misspelt = (names: ReadonlyArray<string>, read: ReadonlyArray<ReadVariable>): ReadonlyArray<string> => {
  const own = read.map(({ name }) => name)
  const files = read.filter(({ isSecret }) => isSecret).map(({ name }) => fileNameOf(name))
  const known = [...own, ...files]
  const words = new Set(own.filter((name) => name.includes("_")).map((name) => name.split("_")[0]!))
  const warning = (name: string): ReadonlyArray<string> => {
    if (own.some((each) => name === fileNameOf(each)))
      return [`${name} has no effect: only secrets are read from files`]
    const [near] = known
      .map((each) => ({ each, edits: Math.abs(each.length - name.length) > 2 ? 3 : distance(name, each) }))
      .sort((one, other) => one.edits - other.edits)
    const word = name.split("_")[0]!
    const isOurs = name !== word && words.has(word) && !shared.has(word) && !isOfService(name)
    if (!isOurs && near!.edits > 1) return []
    return [`${name} is not a variable of Sheaf${near!.edits > 2 ? "" : `: is ${near!.each} meant?`}`]
  }
  return names
    .filter((name) => /^[A-Z][A-Z0-9_]{3,59}$/.test(name) && !known.includes(name))
    .sort()
    .flatMap(warning)
    .slice(0, maxWarnings)
}
