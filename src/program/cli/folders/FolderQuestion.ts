import { Effect, Terminal } from "effect"
import type { FolderAction } from "../../../clients/folder/SheafFolder.ts"
import { plain } from "../Output.ts"
import { hasTerminal } from "../SecretInput.ts"

/** Maximum number of deletions that a question lists. */
const listed = 5

/** What a question asks. */
const questionOf = (held: ReadonlyArray<FolderAction>): string => {
  const lines = (["trashNote", "trashFile"] as const).flatMap((kind) => {
    const all = held.filter((each) => (each.kind === "trashNote") === (kind === "trashNote"))
    if (all.length === 0) return []
    const shown = all.slice(0, listed).map(({ path }) => `  ${plain(path)}`)
    const more = all.length - shown.length
    const title = `${all.length} ${kind === "trashNote" ? "notes" : "files"} would go to the trash:`
    return [title, ...shown, ...(more > 0 ? [`  and ${more} more`] : [])]
  })
  return `${lines.join("\n")}\nDelete them? [y/N] `
}

/** Whether people can be asked: not by programs, which have an exit code. */
export const canAsk = (): boolean => hasTerminal() && !process.env["CI"]

const isMeant = Effect.fnUntraced(function* (held: ReadonlyArray<FolderAction>) {
  const terminal = yield* Terminal.Terminal
  yield* terminal.display(questionOf(held))
  const line = yield* Effect.catchTag(terminal.readLine, "QuitError", () => Effect.succeed(""))
  return /^y(?:es)?$/i.test(line.trim())
})

/** A question about deletions that wait, which is asked once for each set of them. It returns those that are meant. */
export const deletionQuestion = () => {
  let last = ""
  return Effect.fnUntraced(function* (held: ReadonlyArray<FolderAction>) {
    const set = JSON.stringify(held)
    const isAsked = set === last
    last = set
    return !isAsked && held.length > 0 && (yield* isMeant(held)) ? held : []
  })
}
