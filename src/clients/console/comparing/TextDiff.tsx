import { diffLines, type Part } from "./DiffLines.ts"
import { texts } from "../notes/NoteMessages.ts"

const Change = ({ kind, text }: Part) => {
  if (kind === "same") return <>{text}</>
  const Tag = kind === "added" ? "ins" : "del"
  return (
    <Tag>
      <span class="visually-hidden">{texts.history[kind]}: </span>
      {text}
    </Tag>
  )
}

/** The difference between two texts, nearly as they are read. */
export const TextDiff = ({ from, to }: { readonly from: string; readonly to: string }) => {
  if (from === to) return <p class="hint">{texts.history.same}</p>
  return (
    <pre class="diff" tabIndex={0}>
      {diffLines(from, to).map(({ look, parts }, index) => (
        <span key={index} class={`line ${look} ${parts.length === 1 ? "whole" : ""}`}>
          {parts.map((part, at) => (
            <Change key={at} {...part} />
          ))}
        </span>
      ))}
    </pre>
  )
}
