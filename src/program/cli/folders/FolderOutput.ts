import type { FolderReport } from "../../../clients/folder/SheafFolder.ts"
import { plain } from "../Output.ts"

type Action = FolderReport["actions"][number]

const words: Readonly<Record<Action["kind"], string | undefined>> = {
  create: "new note",
  send: "sent",
  retitle: "note renamed",
  renameNotebook: "notebook renamed",
  trashNote: "note to the trash",
  write: "written",
  move: "file renamed",
  moveFolder: "folder renamed",
  trashFile: "file to the trash",
  attachFile: "file sent",
  fetchFile: "file received",
  trashAsset: "file to the trash",
  // Both sides are equal already.
  meet: undefined,
  forget: undefined,
  removeAttachment: undefined,
  leaveFile: undefined,
  forgetFile: undefined
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** The report for programs. */
export const jsonOf = ({ actions, error, held, problems, waiting }: FolderReport): object => {
  const shown = ({ kind, path, ...more }: Action) => ({ kind, path, ...("from" in more ? { from: more.from } : {}) })
  return {
    actions: actions.filter(({ kind }) => words[kind] !== undefined).map(shown),
    held: held.map(shown),
    problems,
    waiting,
    error: error === undefined ? null : messageOf(error)
  }
}

/** The report for people. */
export const linesOf = (report: FolderReport, folder: string): ReadonlyArray<string> => {
  const { actions, error, held, problems, waiting } = report
  const lines = actions.flatMap((action) => {
    const word = words[action.kind]
    if (word === undefined) return []
    const from = "from" in action && action.from !== action.path ? ` from ${action.from}` : ""
    return [`${word.padEnd(17)}  ${action.path}${from}`]
  })
  lines.push(...problems.map(({ message, path }) => `not done           ${path}: ${message}`))
  const [files, notes] = [
    held.filter(({ kind }) => kind !== "trashNote"),
    held.filter(({ kind }) => kind === "trashNote")
  ]
  const confirm = `sheaf sync ${folder} --once --missing delete-many`
  if (notes.length > 0) {
    lines.push(`${notes.length} files are gone: their notes stay until you put the files back, or run ${confirm}`)
  }
  if (files.length > 0) lines.push(`${files.length} notes are gone: their files stay until you run ${confirm}`)
  if (error !== undefined) lines.push(`The server is not reached: ${messageOf(error)}`)
  if (waiting > 0) lines.push(`${waiting} changes wait for the server`)
  return lines.map(plain)
}
