import { readFileSync } from "node:fs"
import { join } from "node:path"
import { satisfies, validRange } from "semver"

/**
 * Compares the installed packages with a file of advisories, where `npm audit` has no access to a registry:
 *
 *     npm run advisories -- FILE
 *
 * The file holds what npm's `/-/npm/v1/security/advisories/bulk` returns, or records of OSV (https://ossf.github.io/osv-schema):
 * one, an array, or one on each line, such as those of the GitHub Advisory Database. Exits with 1 when an advisory names an
 * installed version, and with 2 when the file cannot be read as one of these.
 */

interface Advisory {
  readonly id: string
  readonly title: string
  readonly name: string
  /** Whether it affects a version. */
  readonly names: (version: string) => boolean
}

interface Osv {
  readonly id: string
  readonly summary?: string
  readonly withdrawn?: string
  readonly affected?: ReadonlyArray<{
    readonly package: { readonly ecosystem: string; readonly name: string }
    readonly versions?: ReadonlyArray<string>
    readonly ranges?: ReadonlyArray<{ readonly type: string; readonly events: ReadonlyArray<Record<string, string>> }>
  }>
}

type Bulk = Record<
  string,
  ReadonlyArray<{ id: number | string; title: string; url?: string; vulnerable_versions: string }>
>

const isIn = (version: string, range: string): boolean => satisfies(version, range, { includePrerelease: true })

const checkedRange = (range: string): string => {
  if (validRange(range) === null) throw new Error(`"${range}" is not a version range`)
  return range
}

/** The ranges between the events of an OSV record: each begins with `introduced`, and may have an end. */
const rangesOf = (events: ReadonlyArray<Record<string, string>>): ReadonlyArray<string> => {
  const ranges: Array<string> = []
  for (const { fixed, introduced, last_affected } of events) {
    if (introduced !== undefined) ranges.push(introduced === "0" ? ">=0.0.0-0" : `>=${introduced}`)
    if (fixed !== undefined) ranges.push(`${ranges.pop()} <${fixed}`)
    if (last_affected !== undefined) ranges.push(`${ranges.pop()} <=${last_affected}`)
  }
  return ranges.map(checkedRange)
}

const fromOsv = ({ affected = [], id, summary = "", withdrawn }: Osv): ReadonlyArray<Advisory> =>
  withdrawn !== undefined
    ? []
    : affected
        .filter((each) => each.package.ecosystem === "npm")
        .map(({ package: { name }, ranges = [], versions = [] }) => {
          const all = ranges.filter(({ type }) => type === "SEMVER").flatMap(({ events }) => rangesOf(events))
          const names = (version: string) => versions.includes(version) || all.some((range) => isIn(version, range))
          return { id, title: summary, name, names }
        })

const fromBulk = (bulk: Bulk): ReadonlyArray<Advisory> =>
  Object.entries(bulk).flatMap(([name, list]) =>
    list.map(({ id, title, url, vulnerable_versions }) => {
      const range = checkedRange(vulnerable_versions)
      return { id: url ?? String(id), title, name, names: (version: string) => isIn(version, range) }
    })
  )

const advisoriesIn = (text: string): ReadonlyArray<Advisory> => {
  const isLines = /^\{.*\}\r?\n\{/.test(text.trimStart())
  const read: unknown = isLines
    ? text
        .split("\n")
        .filter((line) => line.trim() !== "")
        .map((line) => JSON.parse(line))
    : JSON.parse(text)
  if (Array.isArray(read)) return (read as ReadonlyArray<Osv>).flatMap(fromOsv)
  const one = read as Osv | Bulk
  return typeof one.id === "string" ? fromOsv(one as Osv) : fromBulk(one as Bulk)
}

interface Locked {
  readonly version?: string
  readonly dev?: boolean
  readonly link?: boolean
}

const lock = JSON.parse(readFileSync(join(import.meta.dirname, "..", "package-lock.json"), "utf8")) as {
  readonly packages: Record<string, Locked>
}
const installed = Object.entries(lock.packages).flatMap(([path, { dev = false, link = false, version }]) => {
  const [, name] = /(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(path) ?? []
  return name === undefined || version === undefined || link ? [] : [{ name, version, dev }]
})

const [file] = process.argv.slice(2)
try {
  if (file === undefined) throw new Error("a file of advisories is required: npm run advisories -- FILE")
  const advisories = Map.groupBy(advisoriesIn(readFileSync(file, "utf8")), ({ name }) => name)
  const found = installed.flatMap(({ dev, name, version }) =>
    (advisories.get(name) ?? [])
      .filter(({ names }) => names(version))
      .map(({ id, title }) => `${name}@${version}${dev ? " (development only)" : ""}: ${title} ${id}`)
  )
  for (const line of new Set(found)) console.log(line)
  console.log(`${installed.length} packages, ${advisories.size} packages with advisories, ${new Set(found).size} found`)
  process.exitCode = found.length === 0 ? 0 : 1
} catch (error) {
  console.error(`advisories: ${(error as Error).message}`)
  process.exitCode = 2
}
