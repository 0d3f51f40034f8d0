import { noteEnding } from "../../../markdown/LinkText.ts"
import { baseOf } from "../Paths.ts"

/** Which files of an archive are notes by their paths. */

const plainEnding = /\.(?:mdown|mdtext|mdtxt|mdwn|mkd|mkdn|text|txt)$/i
const htmlEnding = /\.x?html?$/i

/** Whether it is a page in HTML. Pages are notes of an archive without Markdown; in others they are files. */
export const isPage = (path: string): boolean => htmlEnding.test(path)

/** The ending of a note's file, with its dot; undefined if the name has none or another one. */
export const noteEndingOf = (path: string): string | undefined =>
  (noteEnding.exec(path) ?? plainEnding.exec(path) ?? htmlEnding.exec(path))?.[0]

/** Whether its content decides whether it is a note. */
export const hasNoEnding = (path: string): boolean => !baseOf(path).includes(".")

export const mayBeNote = (path: string): boolean =>
  hasNoEnding(path) || (noteEndingOf(path) !== undefined && !isPage(path))
