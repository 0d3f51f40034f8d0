import { texts } from "./NoteMessages.ts"
import { lineRuns, type Run, wordRuns } from "./TextChanges.ts"

/** Lines of unchanged text that are shown around a change. */
const context = 3
/** Maximum lines of a change on the screen. */
const maxShown = 2_000

const shortened = (lines: ReadonlyArray<string>, isFirst: boolean, isLast: boolean): ReadonlyArray<string> => {
  const [before, after] = [isFirst ? 0 : context, isLast ? 0 : context]
  if (lines.length <= before + after + 1) return lines
  return [...lines.slice(0, before), "⋯", ...lines.slice(lines.length - after)]
}

/** Lines as a text; empty without lines. */
const textOf = (lines: ReadonlyArray<string>): string =>
  lines
    .slice(0, maxShown)
    .map((line) => `${line}\n`)
    .join("")

interface ChangeProps {
  readonly kind: "added" | "removed"
  readonly text: string
  readonly isLines?: boolean
}

const Change = ({ isLines = false, kind, text }: ChangeProps) => {
  if (text === "") return null
  const Tag = kind === "added" ? "ins" : "del"
  return (
    <Tag class={isLines ? "lines" : ""}>
      <span class="visually-hidden">{texts.history[kind]}: </span>
      {text}
    </Tag>
  )
}

/** Changed lines: the words that differ if most are the same, as in a long paragraph, and else whole lines. */
const ChangedLines = ({ added, removed }: Run) => {
  const [from, to] = [textOf(removed), textOf(added)]
  const words = from === "" || to === "" ? undefined : wordRuns(from, to)
  if (words === undefined) {
    return (
      <>
        <Change kind="removed" text={from} isLines />
        <Change kind="added" text={to} isLines />
      </>
    )
  }
  return (
    <>
      {words.map(({ added, removed, same }, index) => (
        <span key={index}>
          {same.join("")}
          <Change kind="removed" text={removed.join("")} />
          <Change kind="added" text={added.join("")} />
        </span>
      ))}
    </>
  )
}

/** The difference between two texts. */
export const TextDiff = ({ from, to }: { readonly from: string; readonly to: string }) => {
  if (from === to) return <p class="hint">{texts.history.same}</p>
  const runs = lineRuns(from, to)
  return (
    <pre class="diff" tabIndex={0}>
      {runs.map((run, index) => (
        <span key={index}>
          {textOf(shortened(run.same, index === 0, index === runs.length - 1))}
          <ChangedLines {...run} />
        </span>
      ))}
    </pre>
  )
}
