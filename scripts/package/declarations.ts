import { execFileSync } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, relative } from "node:path"
import { type BundledFile, root } from "../bundle.ts"
import { declarationOf } from "./manifest.ts"
import { peers } from "./modules.ts"

/** A file of declarations: its path in the package, and where it is now. */
interface Declared {
  readonly path: string
  readonly file: string
}

/** Modules of the bundled driver, whose declarations are published too. */
const driver = /^@effect\/sql-pg\/(?<module>\w+)$/
/** Imports that a project resolves. */
const resolvable = new RegExp(`^(node:|(effect|${peers.join("|")})(/|$))`)

const specifiers =
  /(?<=^(?:import|export) (?:type )?(?:\{[^}]*\}|\*|\* as \w+) from "|^import "|\bimport\(")[^"]+(?=")/gm

/** Lets tsc write the declarations of modules and of all that they import into a folder. */
const emit = (sources: ReadonlyArray<string>, folder: string): void => {
  const config = join(folder, "tsconfig.json")
  const compilerOptions = {
    rootDir: root,
    outDir: join(folder, "types"),
    typeRoots: [join(root, "node_modules/@types")],
    noEmit: false,
    declaration: true,
    emitDeclarationOnly: true,
    // `npm run check` reports errors.
    noCheck: true
  }
  const files = sources.map((source) => join(root, source))
  writeFileSync(config, JSON.stringify({ extends: join(root, "tsconfig.json"), compilerOptions, include: [], files }))
  // More checkers repeat most of the work: four take twice the processor time of one.
  execFileSync(join(root, "node_modules/.bin/tsc"), ["-p", config, "--checkers", "1"], { stdio: "inherit" })
}

const imported = (specifier: string, from: Declared): Declared => {
  const module = driver.exec(specifier)?.groups?.["module"]
  const name = `${module ?? specifier.replace(/\.ts$/, "")}.d.ts`
  return module === undefined
    ? { path: join(dirname(from.path), name), file: join(dirname(from.file), name) }
    : { path: join("types/sql-pg", name), file: join(root, "node_modules/@effect/sql-pg/dist", name) }
}

/**
 * Returns the declarations of modules and of all that these import, with their paths in the package. Throws an Error for
 * an import that a project cannot resolve.
 */
export const declarations = (sources: ReadonlyArray<string>): ReadonlyArray<BundledFile> => {
  const folder = mkdtempSync(join(tmpdir(), "sheaf-types-"))
  try {
    emit(sources, folder)
    const found = new Map<string, Declared>()
    const add = (declared: Declared) => found.set(declared.path, declared)
    for (const source of sources) add({ path: declarationOf(source), file: join(folder, declarationOf(source)) })
    // The iteration includes what is added meanwhile.
    return Array.from(found.values(), (declared) => {
      const { file, path } = declared
      const text = readFileSync(file, "utf8").replace(/^\/\/# sourceMappingURL=.*\n?/m, "")
      const contents = text.replaceAll(specifiers, (specifier) => {
        if (resolvable.test(specifier)) return specifier
        const target = imported(specifier, declared)
        if (!existsSync(target.file))
          throw new Error(`${path} imports ${specifier}, which has no declarations to publish`)
        if (!found.has(target.path)) add(target)
        const link = relative(dirname(path), target.path).replace(/\.d\.ts$/, ".js")
        return link.startsWith(".") ? link : `./${link}`
      })
      return { path, contents: Buffer.from(contents) }
    })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
