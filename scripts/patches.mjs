// Mends installed packages by the unified diffs of patches/, which are named as patch-package names them. It runs at
// installation, on whatever Node the machine has, without git and without packages: plain JavaScript.
import * as fs from "node:fs"
import * as path from "node:path"

/** The patches, in the order of their names. */
export const patchesOf = (root) =>
  fs
    .readdirSync(path.join(root, "patches"))
    .filter((name) => name.endsWith(".patch"))
    .sort()
    .map((name) => path.join("patches", name))

/** The files that a diff is about, each with its hunks: where they stand before and after, and their lines then. */
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

const stand = (wanted, lines, place) => wanted.every((line, index) => lines[place + index] === line)

/** The text with the hunks in it; itself where they are in it already, undefined where it is another text. */
const patched = (text, hunks) => {
  const lines = text.split("\n")
  if (hunks.every(({ after, to }) => stand(after, lines, to))) return text
  if (!hunks.every(({ before, from }) => stand(before, lines, from))) return undefined
  for (const { after, before, to } of hunks) lines.splice(to, before.length, ...after)
  return lines.join("\n")
}

/** What each patch makes of the files that it is about, beside what they hold now. Throws one line where that is neither. */
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
      const mended = patched(text, hunks)
      if (mended === undefined) throw new Error(`${name} is not what ${patch} is about: run npm ci`)
      return { file, name, text, mended }
    })
  })

/** Applies what is not applied yet. */
export const applyPatches = (root) => {
  for (const { file, mended, text } of plan(root)) {
    if (mended === text) continue
    // The file appears whole: another start may be reading.
    const next = `${file}.${process.pid}.tmp`
    fs.writeFileSync(next, mended)
    fs.renameSync(next, file)
  }
}

/** Throws one line where a patch is not applied. */
export const requirePatches = (root) => {
  for (const { mended, name, text } of plan(root)) {
    if (mended !== text) throw new Error(`${name} is not mended: run node scripts/setup.mjs`)
  }
}
