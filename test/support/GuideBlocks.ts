import { execFile } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import type { TestApp } from "./TestApp.ts"

const docs = join(import.meta.dirname, "../../docs")

export interface Block {
  readonly language: string
  readonly code: string
}

/** The blocks of code of a Markdown file below `docs/`, in order, without the indent of a list that they are in. */
export const blocksOf = (file: string): ReadonlyArray<Block> =>
  [...readFileSync(join(docs, file), "utf8").matchAll(/^( *)```(\w*)\n([\s\S]*?)^\1```$/gm)].map(
    ([, indent, language, code]) => ({
      language: language!,
      code: code!.replaceAll(new RegExp(`^${indent}`, "gm"), "")
    })
  )

/** The code of all blocks of a language, as one file. */
export const codeOf = (file: string, language: string): string =>
  blocksOf(file)
    .filter((block) => block.language === language)
    .map(({ code }) => code)
    .join("\n")

/** The exports of the TypeScript of a guide, run as it stands there. */
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

export interface Printed {
  readonly command: string
  /** What the block after the commands says that they print, if there is one. */
  readonly stated: string | undefined
  readonly printed: string
}

const mark = "\u0001"

/**
 * Runs the shell commands of a guide in order in one shell, as they stand there but for the server's address, in an empty
 * folder that has the API key where the first start of a server writes it. A block of `text` or `json` after commands is what
 * they print. Fails as soon as a command fails.
 */
export const runShell = async (shell: string, file: string, app: TestApp): Promise<ReadonlyArray<Printed>> => {
  const origin = new URL(app.url).origin
  const blocks = blocksOf(file).map(({ code, language }) => ({
    language,
    code: code.replaceAll("http://127.0.0.1:4000", origin)
  }))
  const steps = blocks.flatMap(({ code, language }, index) => {
    const next = blocks[index + 1]
    if (language !== "sh") return []
    return [
      { command: code, stated: next !== undefined && /^(text|json)$/.test(next.language) ? next.code : undefined }
    ]
  })
  const folder = mkdtempSync(join(tmpdir(), "sheaf-guide-"))
  try {
    mkdirSync(join(folder, "data"))
    writeFileSync(join(folder, "data/bootstrap.json"), JSON.stringify({ api_key: app.key }))
    const script = `set -e\n${steps.map(({ command }) => `${command}printf '${mark}'\n`).join("")}`
    const output = await new Promise<string>((resolve, reject) => {
      const child = execFile(shell, ["-s"], { cwd: folder, timeout: 120_000 }, (error, stdout, stderr) =>
        error === null
          ? resolve(stdout)
          : reject(new Error(`${file} in ${shell}: ${error.message}\n${stdout}${stderr}`))
      )
      child.stdin!.end(script)
    })
    const printed = output.split(mark)
    return steps.map((step, index) => ({ ...step, printed: printed[index]! }))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** What a guide says is printed, where `…` stands for anything. */
export const matching = (stated: string): RegExp =>
  new RegExp(
    `^${stated
      .split("…")
      .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"))
      .join("[\\s\\S]*?")}$`
  )
