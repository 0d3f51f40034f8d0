import { execFile } from "node:child_process"
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { isSlow } from "./Slow.ts"
import type { TestApp } from "./TestApp.ts"

const docs = join(import.meta.dirname, "../../docs")

export interface Block {
  readonly language: string
  readonly code: string
  /** The nearest heading above the block. */
  readonly heading: string
}

/**
 * Returns the code blocks of a Markdown file (its path is relative to `docs/`) in order, without the indentation of a
 * list around them.
 */
export const blocksOf = (file: string): ReadonlyArray<Block> => {
  const text = readFileSync(join(docs, file), "utf8")
  const headingAt = (index: number) => [...text.slice(0, index).matchAll(/^#+ (.+)$/gm)].at(-1)?.[1] ?? ""
  return [...text.matchAll(/^( *)```(\w*)\n([\s\S]*?)^\1```$/gm)].map(({ 1: indent, 2: language, 3: code, index }) => ({
    language: language!,
    code: code!.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
    heading: headingAt(index)
  }))
}

/** The code of all blocks of one language, as one file. */
export const codeOf = (file: string, language: string): string =>
  blocksOf(file)
    .filter((block) => block.language === language)
    .map(({ code }) => code)
    .join("\n")

/** Imports the TypeScript of a guide, unchanged, and returns its exports. */
export const guideModule = async (file: string): Promise<any> => {
  const folder = mkdtempSync(join(tmpdir(), "sheaf-guide-"))
  try {
    writeFileSync(join(folder, "package.json"), `{ "type": "module" }`)
    writeFileSync(join(folder, "guide.ts"), codeOf(file, "ts"))
    return await import(pathToFileURL(join(folder, "guide.ts")).href)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const mark = "\u0001"

/** Runs commands in order in one shell, and returns the output of each. Rejects when one of them fails. */
export const runCommands = async (
  shell: string,
  cwd: string,
  commands: ReadonlyArray<string>
): Promise<ReadonlyArray<string>> => {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const script = `set -e\n${commands.map((command) => `${command}printf '${mark}'\n`).join("")}`
  const output = await new Promise<string>((resolve, reject) => {
    const child = execFile(shell, ["-s"], { cwd, env, timeout: 240_000 }, (error, stdout, stderr) =>
      error === null ? resolve(stdout) : reject(new Error(`${shell}: ${error.message}\n${stdout}${stderr}`))
    )
    child.stdin!.end(script)
  })
  return output.split(mark).slice(0, commands.length)
}

export interface Step {
  readonly command: string
  /** The expected output: the block after the commands, if there is one. */
  readonly stated: string | undefined
}

export interface Printed extends Step {
  readonly printed: string
}

/** Generators of clients install packages; test/ReadMe.test.ts runs them separately. */
export const isGenerator = ({ code }: Block): boolean => code.startsWith("npx ")

/** Commands that install the package; test/scripts/Package.test.ts installs it. */
const isInstallation = ({ code }: Block): boolean => code.startsWith("npm ")

/** The shell commands of a page. A block of `text` or `json` after commands is their output. */
export const stepsOf = (blocks: ReadonlyArray<Block>): ReadonlyArray<Step> =>
  blocks.flatMap((block, index) => {
    const next = blocks[index + 1]
    if (block.language !== "sh" || isGenerator(block)) return []
    const stated = next !== undefined && /^(text|json)$/.test(next.language) ? next.code : undefined
    return [{ command: block.code, stated }]
  })

/**
 * Runs the shell commands of a guide, unchanged except for the server's address, in an empty folder that contains the
 * API key where the first start of a server writes it. A block of `text` or `json` after commands is their expected
 * output.
 */
export const runGuide = async (shell: string, file: string, app: TestApp): Promise<ReadonlyArray<Printed>> => {
  const origin = new URL(app.url).origin
  const steps = stepsOf(
    blocksOf(file)
      .filter((block) => !isInstallation(block))
      .map((block) => ({ ...block, code: block.code.replaceAll("http://127.0.0.1:4000", origin) }))
  )
  const folder = mkdtempSync(join(tmpdir(), "sheaf-guide-"))
  try {
    mkdirSync(join(folder, "data"))
    writeFileSync(join(folder, "data/bootstrap.json"), JSON.stringify({ api_key: app.key }))
    const commands = steps.map(({ command }) => command)
    const printed = await runCommands(shell, folder, commands)
    return steps.map((step, index) => ({ ...step, printed: printed[index]! }))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/**
 * Shells in which the commands of guides are tested; `missing` is the reason why one is skipped. Bash accepts what dash
 * accepts, except for bugs, so only the slow tests run both.
 */
export const shells = (isSlow ? ["dash", "bash"] : ["dash"]).map((name) => {
  const path = ["/usr/bin", "/bin"].map((folder) => `${folder}/${name}`).find(existsSync)
  return { name, path, missing: path === undefined ? ` (skipped: no ${name} here)` : "" }
})

/** Makes a folder look like a clone of the repository with all dependencies installed. */
export const cloneInto = (folder: string): void => {
  mkdirSync(folder)
  const root = join(docs, "..")
  const own = new Set([".git", "data", ".vitest"])
  for (const entry of readdirSync(root)) if (!own.has(entry)) symlinkSync(join(root, entry), join(folder, entry))
}

/** Returns a pattern for expected output in which `…` matches any text. */
export const matching = (stated: string): RegExp =>
  new RegExp(
    `^${stated
      .split("…")
      .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"))
      .join("[\\s\\S]*?")}$`
  )
