import { attemptFile } from "../UsingFile.ts"
import { Config, Effect, Schema } from "effect"
import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  statSync,
  unlinkSync,
  writeSync
} from "node:fs"
import { dirname, resolve } from "node:path"
import { isNode, LineCounter, parseDocument } from "yaml"
import { NotApplicable, type SecretPlaces } from "../../../services/admin/Applying.ts"
import { Declaration } from "../../../services/admin/Declaration.ts"
import { invalidFrom } from "../../../services/Text.ts"
import { Refused } from "./Refused.ts"

/** Maximum bytes of a declaration: about 100 000 users. */
const maxBytes = 16 * 1024 * 1024
/** Maximum bytes of a file with a secret. */
const maxSecretBytes = 65_536

const refused = (message: string) => new Refused({ message })
const notApplicable = (message: string) => new NotApplicable({ message })

const decode = Schema.decodeUnknownEffect(Declaration, { errors: "all", onExcessProperty: "error" })

/** Maximum number of errors of a file that are shown. */
const maxShown = 20

/** Reads a declaration, as YAML or JSON. Each error names its line. */
export const readDeclaration = Effect.fnUntraced(function* (file: string) {
  const text = yield* attemptFile(file, refused, () => {
    // A pipe has no size, and a size says nothing about a device.
    const bytes = readFileSync(file === "-" ? 0 : file)
    return bytes.length > maxBytes ? undefined : bytes.toString()
  })
  if (text === undefined) return yield* refused(`${file}: it is larger than ${maxBytes} bytes`)
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  const at = (offset: number | undefined) => (offset === undefined ? file : `${file}:${lines.linePos(offset).line}`)
  const [wrong] = document.errors
  if (wrong !== undefined) return yield* refused(`${at(wrong.pos[0])}: ${wrong.message}`)
  /** The place of a value, or of the nearest one that the file has around it. */
  const placeOf = (path: ReadonlyArray<string>): string => {
    for (let length = path.length; length > 0; length--) {
      const node = document.getIn(path.slice(0, length), true)
      if (isNode(node) && node.range) return at(node.range[0])
    }
    return at(0)
  }
  return yield* Effect.mapError(decode(document.toJS() ?? {}), ({ issue }) => {
    const { errors = [] } = invalidFrom(issue)
    const shown = errors.slice(0, maxShown).map(({ field, message, pointer = "" }) => {
      const path = pointer.split("/").slice(1)
      return `${placeOf(path)}: ${field === "" ? "the file" : field} ${message}`
    })
    return refused([...shown, ...(errors.length > maxShown ? ["and more"] : [])].join("; "))
  })
})

/** The secrets that a declaration refers to. Its files are relative to `directory`. */
export const secretPlaces = (directory: string): SecretPlaces => {
  const read = (file: string) =>
    attemptFile(file, notApplicable, () => {
      if (statSync(file).size > maxSecretBytes) return undefined
      return readFileSync(file, "utf8").replace(/\r?\n$/, "")
    })
  const given = (name: string, text = "") =>
    text === "" ? Effect.fail(notApplicable(`${name} has no secret`)) : Effect.succeed(text)
  return {
    read: ({ env = "", file }) =>
      file === undefined
        ? Effect.flatMap(Effect.orDie(Config.String(env).pipe(Config.withDefault(""))), (text) => given(env, text))
        : Effect.flatMap(read(resolve(directory, file)), (text) => given(file, text)),
    kept: (file) =>
      Effect.suspend(() => {
        const path = resolve(directory, file)
        return statSync(path, { throwIfNoEntry: false }) === undefined ? Effect.undefined : read(path)
      }),
    keep: (file, secret) => {
      const path = resolve(directory, file)
      return attemptFile(path, notApplicable, () => {
        mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
        const temporary = `${path}.tmp`
        const handle = openSync(temporary, "w", 0o600)
        try {
          writeSync(handle, `${secret}\n`)
          fsyncSync(handle)
        } finally {
          closeSync(handle)
        }
        // Unlike a rename, a link does not replace a file.
        linkSync(temporary, path)
        unlinkSync(temporary)
        const place = openSync(dirname(path), "r")
        try {
          fsyncSync(place)
        } finally {
          closeSync(place)
        }
      })
    }
  }
}
