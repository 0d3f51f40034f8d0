// Applies the unified diffs of patches/ to installed packages; the files are named as patch-package names them. It runs
// during installation, on the Node of the machine, without git and without packages: plain JavaScript.
import * as fs from "node:fs"
import * as path from "node:path"

/** The patches, in the order of their names. */
export const patchesOf = (root) =>
  fs
    .readdirSync(path.join(root, "patches"))
    .filter((name) => name.endsWith(".patch"))
    .sort()
    .map((name) => path.join("patches", name))

/** The files of a diff, each with its hunks: their positions before and after, and their lines. */
const parse = (diff) => {
  const files = []
  let hunk
  for (const line of diff.split("\n")) {
    const header = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(line)
    if (line.startsWith("+++ b/")) files.push({ name: line.slice(6), hunks: [] })
    else if (header !== null) {
      hunk = { from: header[1] - 1, to: header[2] - 1, before: [], after: [] }
      files.at(-1).hunks.push(hunk)
    } else if (line.startsWith("--- a/")) hunk = undefined
    else if (hunk !== undefined) {
      if (line[0] === " " || line[0] === "-") hunk.before.push(line.slice(1))
      if (line[0] === " " || line[0] === "+") hunk.after.push(line.slice(1))
    }
  }
  return files
}

const isAt = (wanted, lines, place) => wanted.every((line, index) => lines[place + index] === line)

/** The text with the hunks applied; unchanged if they are applied already, undefined if it is a different text. */
const applied = (text, hunks) => {
  const lines = text.split("\n")
  if (hunks.every(({ after, to }) => isAt(after, lines, to))) return text
  if (!hunks.every(({ before, from }) => isAt(before, lines, from))) return undefined
  for (const { after, before, to } of hunks) lines.splice(to, before.length, ...after)
  return lines.join("\n")
}

/** The patched and the current text of each file. Throws a one-line error if a file is neither patched nor original. */
const plan = (root) =>
  patchesOf(root).flatMap((patch) => {
    const parts = path.basename(patch, ".patch").split("+")
    const version = parts.pop()
    const home = path.join(root, "node_modules", ...parts)
    const { version: installed } = JSON.parse(fs.readFileSync(path.join(home, "package.json"), "utf8"))
    if (installed !== version) throw new Error(`${patch} is not for the installed ${parts.join("/")} ${installed}`)
    return parse(fs.readFileSync(path.join(root, patch), "utf8")).map(({ hunks, name }) => {
      const file = path.join(root, name)
      const text = fs.readFileSync(file, "utf8")
      const patched = applied(text, hunks)
      if (patched === undefined) throw new Error(`${name} is not the file that ${patch} changes: run npm ci`)
      return { file, name, text, patched }
    })
  })

/** Applies the patches that are not applied yet. */
export const applyPatches = (root) => {
  for (const { file, patched, text } of plan(root)) {
    if (patched === text) continue
    // The file is replaced atomically, because another start may be reading it.
    const next = `${file}.${process.pid}.tmp`
    fs.writeFileSync(next, patched)
    fs.renameSync(next, file)
  }
}

/** Throws a one-line error if a patch is not applied. */
export const requirePatches = (root) => {
  for (const { patched, name, text } of plan(root)) {
    if (patched !== text) throw new Error(`${name} is not patched: run node scripts/setup.mjs`)
  }
}
