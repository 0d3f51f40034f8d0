import { diffIndices } from "node-diff3"
import { texts } from "../Messages.ts"

interface Piece {
  readonly kind: "same" | "added" | "removed"
  readonly lines: ReadonlyArray<string>
}

/** Lines of unchanged text that are shown around a change. */
const context = 3
/** Maximum lines of both texts that are compared. */
const mostLines = 20_000

/** The lines that were removed and added between two texts. */
const piecesOf = (from: string, to: string): ReadonlyArray<Piece> => {
  const [old, fresh] = [from.split("\n"), to.split("\n")]
  if (old.length + fresh.length > mostLines) {
    return [
      { kind: "removed", lines: old },
      { kind: "added", lines: fresh }
    ]
  }
  const pieces: Array<Piece> = []
  let at = 0
  for (const { buffer1, buffer1Content, buffer2Content } of diffIndices(old, fresh)) {
    pieces.push({ kind: "same", lines: old.slice(at, buffer1[0]) })
    pieces.push({ kind: "removed", lines: buffer1Content }, { kind: "added", lines: buffer2Content })
    at = buffer1[0] + buffer1[1]
  }
  return [...pieces, { kind: "same" as const, lines: old.slice(at) }].filter(({ lines }) => lines.length > 0)
}

const shortened = (lines: ReadonlyArray<string>, isFirst: boolean, isLast: boolean): ReadonlyArray<string> => {
  const [before, after] = [isFirst ? 0 : context, isLast ? 0 : context]
  if (lines.length <= before + after + 1) return lines
  return [...lines.slice(0, before), "⋯", ...lines.slice(lines.length - after)]
}

/** Maximum lines of a piece on the screen. */
const mostShown = 2_000

/** The difference between two texts, line by line. */
export const TextDiff = ({ from, to }: { readonly from: string; readonly to: string }) => {
  if (from === to) return <p class="hint">{texts.history.same}</p>
  const pieces = piecesOf(from, to)
  return (
    <pre class="diff" tabIndex={0}>
      {pieces.map(({ kind, lines }, index) => {
        const shown = kind === "same" ? shortened(lines, index === 0, index === pieces.length - 1) : lines
        const text = `${shown.slice(0, mostShown).join("\n")}\n`
        if (kind === "same") return <span key={index}>{text}</span>
        const Tag = kind === "added" ? "ins" : "del"
        return (
          <Tag key={index}>
            <span class="visually-hidden">{texts.history[kind]}: </span>
            {text}
          </Tag>
        )
      })}
    </pre>
  )
}
