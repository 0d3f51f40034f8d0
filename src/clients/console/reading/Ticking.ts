import { effect } from "@preact/signals"
import { boxOf } from "../../../../services/markdown/contents/TaskLines.ts"
import type { NoteDraft } from "../drafts/NoteDraft.ts"
import { linesIn, ticked } from "../drafts/Ticks.ts"
import { texts } from "../notes/NoteMessages.ts"
import { notify } from "../ui/Notices.tsx"

/** Maximum characters of the name of a box, which is read aloud. */
const longestName = 100

interface Box {
  readonly line: number
  readonly input: HTMLInputElement
}

/** The boxes of a rendered text that name a line of a task, with the sign that the line has. */
const boxesIn = (page: Document, lines: ReadonlyArray<string>): ReadonlyArray<Box> =>
  [...page.querySelectorAll<HTMLElement>("li[data-line]")].flatMap((item) => {
    const line = Number(item.dataset["line"])
    const input = item.querySelector("input")
    return input !== null && boxOf(lines[line] ?? "")?.isTicked === input.checked ? [{ line, input }] : []
  })

/**
 * Brings the boxes of a rendered text to life: each changes its line of the draft, and shows it as it is now. `read` is
 * the text that was rendered. `onMoved` is called for a line that is not in the text any more. Ends when the returned
 * function is called.
 */
export const tickable = (page: Document, draft: NoteDraft, read: string, onMoved: () => void): (() => void) => {
  const lines = read.split("\n")
  const boxes = boxesIn(page, lines)
  const byInput = new Map<EventTarget, Box>()
  for (const box of boxes) {
    const { input, line } = box
    const text = lines[line]!
    byInput.set(input, box)
    input.disabled = false
    input.ariaLabel = text
      .slice(boxOf(text)!.column + 2)
      .trim()
      .slice(0, longestName)
  }
  const onChange = ({ target }: Event) => {
    const box = byInput.get(target!)
    if (box === undefined) return
    const { input, line } = box
    const body = ticked(read, draft.content.value.body, line, input.checked)
    if (body !== undefined) return draft.type({ body })
    input.checked = !input.checked
    notify(texts.boxMoved, undefined, "box")
    onMoved()
  }
  page.addEventListener("change", onChange)
  const stop = effect(() => {
    const { body } = draft.content.value
    const placeOf = linesIn(read, body)
    const now = body.split("\n")
    for (const { input, line } of boxes) {
      const box = boxOf(now[placeOf(line) ?? -1] ?? "")
      if (box !== undefined) input.checked = box.isTicked
    }
  })
  return () => {
    stop()
    page.removeEventListener("change", onChange)
    for (const { input } of boxes) input.disabled = true
  }
}
