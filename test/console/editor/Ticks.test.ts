import { describe, expect, it } from "vitest"
import { mergeContent } from "../../../src/clients/console/drafts/NoteContent.ts"
import { differOnlyInTicks, ticked } from "../../../src/clients/console/drafts/Ticks.ts"
import { boxOf, withBox } from "../../../services/markdown/contents/TaskLines.ts"
import { rounds } from "../../support/Slow.ts"

/** A line of a note with the identity that it keeps wherever it moves. */
interface Line {
  readonly id: number
  readonly text: string
}

const random = (seed: number) => {
  let state = seed + 1
  return (most: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0
    return Math.floor(((state >>> 0) / 2 ** 32) * most)
  }
}

const words = ["milk", "bread", "tickets", "call Ada", "milk and bread", ""]
const starts = ["- [ ] ", "- [x] ", "  * [ ] ", "1. [X] ", "> - [ ] ", "- ", "# ", ""]

const textOf = (lines: ReadonlyArray<Line>): string => lines.map(({ text }) => text).join("\n")
const untickedOf = (lines: ReadonlyArray<Line>) => lines.map(({ text }) => withBox(text, false))

/** A note, and the note after others have changed it. */
const moved = (seed: number) => {
  const below = random(seed)
  let last = 0
  const line = (): Line => ({ id: last++, text: starts[below(starts.length)]! + words[below(words.length)]! })
  const before = Array.from({ length: 1 + below(12) }, line)
  const now = [...before]
  for (let moves = below(6); moves > 0; moves--) {
    const at = below(now.length + 1)
    const taken = now[below(now.length)]
    switch (below(5)) {
      case 0:
        now.splice(at, 0, line())
        break
      case 1:
        now.splice(at, 1)
        break
      case 2:
        if (taken !== undefined) now.splice(below(now.length), 0, ...now.splice(now.indexOf(taken), 1))
        break
      case 3:
        if (taken !== undefined)
          now[now.indexOf(taken)] = { ...taken, text: withBox(taken.text, boxOf(taken.text)?.isTicked === false) }
        break
      default:
        if (taken !== undefined) now.splice(at, 0, { id: last++, text: taken.text })
    }
  }
  const tasks = before.flatMap(({ text }, index) => (boxOf(text) === undefined ? [] : [index]))
  return { before, now, target: tasks[below(tasks.length)] }
}

describe("a ticked task", () => {
  it("is the line that was ticked, or none, however the text has moved in between", () => {
    const counts = { ticked: 0, refused: 0 }
    for (let seed = 0; seed < rounds(1_000, 50_000); seed++) {
      const { before, now, target } = moved(seed)
      if (target === undefined) continue
      const { id, text } = before[target]!
      const isTicked = boxOf(text)!.isTicked === false
      const after = ticked(textOf(before), textOf(now), target, isTicked)
      const yours = before.map((line) => (line.id === id ? withBox(line.text, isTicked) : line.text)).join("\n")
      const theirs = { title: "", body: textOf(now) }
      const { isClear, merged } = mergeContent({
        base: { title: "", body: textOf(before) },
        theirs,
        yours: { title: "", body: yours }
      })
      // The draft makes the same of a tick that meets the text of others.
      expect([merged.body, isClear], `seed ${seed}`).toEqual(after === undefined ? [theirs.body, false] : [after, true])
      const neutral = withBox(text, false)
      const places = [untickedOf(before), untickedOf(now)].map(
        (lines) => lines.filter((each) => each === neutral).length
      )
      if (after === undefined) {
        counts.refused++
        expect(places, `seed ${seed}`).not.toEqual([1, 1])
        continue
      }
      counts.ticked++
      const lines = after.split("\n")
      expect(lines.length, `seed ${seed}`).toBe(now.length)
      // If each line is where it was, equal ones are known by their places.
      const isSame = untickedOf(before).join("\n") === untickedOf(now).join("\n")
      now.forEach((line, index) => {
        const isTarget = isSame
          ? index === target
          : line.id === id || (places[1] === 1 && withBox(line.text, false) === neutral)
        expect(lines[index], `seed ${seed}`).toBe(isTarget ? withBox(line.text, isTicked) : line.text)
      })
    }
    expect(counts.ticked).toBeGreaterThan(200)
    expect(counts.refused).toBeGreaterThan(50)
  })

  it("changes one letter, and keeps the line breaks of Windows", () => {
    expect(ticked("- [ ] a\r\n- [ ] b\r\n", "- [ ] a\r\n- [ ] b\r\n", 1, true)).toBe("- [ ] a\r\n- [x] b\r\n")
    expect(ticked("1) [X] a", "1) [X] a", 0, false)).toBe("1) [ ] a")
  })

  it("is no line that only looks like one", () => {
    for (const line of [
      "[ ] a",
      "- [] a",
      "- [ ]a",
      "-[ ] a",
      "- [y] a",
      "text - [ ] a",
      "> [ ] a",
      "1234567890. [ ] a"
    ])
      expect(boxOf(line), line).toBe(undefined)
    expect(boxOf(`${"> ".repeat(50_000)}x`)).toBe(undefined)
    expect(boxOf(`${" ".repeat(100_000)}x`)).toBe(undefined)
    expect(boxOf("- [ ]")).toEqual({ column: 3, isTicked: false })
    expect(boxOf("> 1. - [x] a")).toEqual({ column: 8, isTicked: true })
  })

  it("differs from other changes of a text", () => {
    expect(differOnlyInTicks("- [ ] a\nb", "- [x] a\nb")).toBe(true)
    expect(differOnlyInTicks("- [ ] a\nb", "- [x] a\nc")).toBe(false)
    expect(differOnlyInTicks("[ ] a", "[x] a")).toBe(false)
  })
})
